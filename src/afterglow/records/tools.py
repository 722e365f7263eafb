"""Which family a tool belongs to. The map is data: a new tool is a new word in a list."""

from __future__ import annotations

import enum
from functools import lru_cache


class TaskType(enum.Enum):
    """What a session mostly did: more than 60 % of its calls in one family, else mixed."""

    CODE = "code"
    FILE = "file"
    RESEARCH = "research"
    MIXED = "mixed"


FAMILIES: dict[str, frozenset[str]] = {
    "code": frozenset(
        "terminal process execute_code bash bashoutput killshell shell shell_command powershell local_shell exec "
        "exec_command write_stdin "
        "unified_exec run_shell_command run_terminal_cmd read_bash write_bash stop_bash list_bash bashexecution "
        "container.exec code_interpreter python notebookedit".split()
    ),
    "file": frozenset(
        "read read_file read_many_files readmanyfiles write write_file edit multiedit replace patch apply_patch "
        "str_replace_editor str_replace_based_edit_tool view create insert grep glob find ls list list_directory "
        "search_files search_file_content grep_search file_search codebase_search notebookread lsp rg "
        "delete_file".split()
    ),
    "research": frozenset(
        "web_search web_extract websearch webfetch web_fetch google_web_search x_search fetch_content "
        "get_search_content vision_analyze video_analyze session_search tool_search".split()
    ),
}
PREFIXES = {
    "browser_": "research",
    "mcp__context7": "research",
    "mcp__deepwiki": "research",
}
SHELL = frozenset(
    "terminal bash shell shell_command powershell local_shell exec exec_command unified_exec run_shell_command "
    "run_terminal_cmd bashexecution "
    "container.exec".split()
)
# Tools whose calls write files.
WRITERS = frozenset(
    "edit multiedit write create patch apply_patch write_file replace notebookedit str_replace_editor".split()
)
# Names of our own tools inside agents begin so.
OWN = (
    "mcp__afterglow__",
    "mcp_afterglow_",
    "mcp__plugin_afterglow_",
    "afterglow_recall",
    "memory_backend",
)
_FAMILY_OF = {tool: name for name, tools in FAMILIES.items() for tool in tools}


def is_own(tool: str) -> bool:
    """Whether it is one of ours: looking something up here is no experience to learn from."""
    return tool.startswith(OWN)


@lru_cache(maxsize=4096)
def family(tool: str) -> str:
    """`code`, `file`, `research`, or `other` for everything else (plans, sub-agents, services)."""
    name = tool.lower()
    named = _FAMILY_OF.get(name)
    if named:
        return named
    return next(
        (kind for prefix, kind in PREFIXES.items() if name.startswith(prefix)), "other"
    )


@lru_cache(maxsize=4096)
def is_shell(tool: str) -> bool:
    return tool.lower() in SHELL


def task_type(counts: dict[str, int]) -> TaskType:
    """Dominant above 60 % of all calls, whatever family they are in."""
    total = sum(counts.values())
    for kind in (TaskType.CODE, TaskType.FILE, TaskType.RESEARCH):
        if total and counts.get(kind.value, 0) > 0.6 * total:
            return kind
    return TaskType.MIXED
