"""What tools do and which family they belong to, as data: a new tool is a new word in a list."""

from __future__ import annotations

import enum
from functools import lru_cache


class TaskType(enum.Enum):
    """What a session mostly did: more than 60 % of its calls in one family, else mixed."""

    CODE = "code"
    FILE = "file"
    RESEARCH = "research"
    MIXED = "mixed"


# What tools do, in the words of many agents: the one list of them. A new tool is a new word here.
TOOLS: dict[str, str] = {
    "shell": "terminal bash shell shell_command powershell local_shell exec exec_command unified_exec run_shell_command "
    "run_terminal_cmd bashexecution container.exec execute execute_command run_command run_in_terminal developer__shell",
    "process": "process bashoutput killshell write_stdin read_bash write_bash stop_bash list_bash get_terminal_output",
    "program": "execute_code code_interpreter python",
    "read": "read read_file readfile view view_file notebookread read_many_files readmanyfiles open_file cat "
    "get_file_contents read_text_file read_multiple_files view_image",
    "list": "ls list list_directory list_dir list_files",
    "find": "glob find find_file file_search",
    "search": "grep search_files search_file_content grep_search codebase_search rg search find_symbol lsp "
    "search_for_pattern search_code semantic_search semanticsearch finder",
    "edit": "edit multiedit replace patch apply_patch str_replace str_replace_editor insert edit_file notebookedit "
    "str_replace_based_edit_tool search_replace replace_in_file apply_diff edit_block replace_symbol_body delete_file "
    "applypatch strreplace replace_string_in_file multi_replace_string_in_file insert_edit_into_file insert_content "
    "search_and_replace code_action developer__text_editor",
    "write": "write write_file create create_file write_to_file save_file",
    "fetch": "webfetch web_fetch fetch web_extract websearch web_search google_web_search fetch_content x_search "
    "get_search_content vision_analyze video_analyze session_search tool_search browser_navigate navigate open_url get_url",
    "delegate": "task agent delegate spawn_agent subagent dispatch_agent delegate_task skill activate_skill "
    "new_task runsubagent oracle",
    "ask": "askuserquestion ask_user ask_user_question clarify request_user_input ask_followup_question",
    "approve": "exitplanmode exit_plan_mode",
    "plan": "todowrite todoread todo update_plan write_todos enterplanmode toolsearch think report_intent",
    "wait": "taskoutput taskstop taskupdate taskcreate tasklist taskget wait wait_agent close_agent",
    "remember": "memory save_memory store_memory",
    "answer": "submit finish respond attempt_completion",
}  # fmt: skip
# What agents call the argument of a shell that holds its line.
LINE_KEYS = (
    "command", "cmd", "script", "code", "shell_command", "commands", "CommandLine",
)  # fmt: skip
_KIND_OF = {tool: kind for kind, tools in TOOLS.items() for tool in tools.split()}

# Families that a session's work is counted by; a notebook is code.
_FAMILY_OF_KIND = {
    **dict.fromkeys(("shell", "process", "program"), "code"),
    **dict.fromkeys(("read", "list", "find", "search", "edit", "write"), "file"),
    "fetch": "research",
}
FAMILIES = frozenset(_FAMILY_OF_KIND.values())
_FAMILY_OF_TOOL = {"notebookedit": "code"}
PREFIXES = {
    "browser_": "research",
    "mcp__context7": "research",
    "mcp__deepwiki": "research",
}
# Names of our own tools inside agents begin so.
OWN = (
    "mcp__afterglow__",
    "mcp_afterglow_",
    "mcp__plugin_afterglow_",
    "afterglow_recall",
    "afterglow_write",
    "memory_backend",
)


def is_own(tool: str) -> bool:
    """Whether it is one of ours: looking something up here is no experience to learn from."""
    return tool.startswith(OWN)


@lru_cache(maxsize=4096)
def tool_kind(tool: str) -> str:
    """What a tool does, as `TOOLS` says; empty for what is not in it."""
    return _KIND_OF.get(tool.lower(), "")


@lru_cache(maxsize=4096)
def family(tool: str) -> str:
    """`code`, `file`, `research`, or `other` for everything else (plans, sub-agents, services)."""
    name = tool.lower()
    named = _FAMILY_OF_TOOL.get(name) or _FAMILY_OF_KIND.get(tool_kind(tool))
    if named:
        return named
    return next(
        (kind for prefix, kind in PREFIXES.items() if name.startswith(prefix)), "other"
    )


@lru_cache(maxsize=4096)
def is_own_voice(tool: str) -> bool:
    """Whether the agent's program words a tool's failures itself, so that what was run cannot put on its voice: the
    output of a command or the text of a file is wrapped there. A service or a web page answers in its own words."""
    asks_people = tool_kind(tool) in {"ask", "approve", "plan"}
    return asks_people or family(tool) in {"code", "file"}


@lru_cache(maxsize=4096)
def is_shell(tool: str) -> bool:
    return tool_kind(tool) == "shell"


def task_type(counts: dict[str, int]) -> TaskType:
    """Dominant above 60 % of all calls, whatever family they are in."""
    total = sum(counts.values())
    for kind in (TaskType.CODE, TaskType.FILE, TaskType.RESEARCH):
        if total and counts.get(kind.value, 0) > 0.6 * total:
            return kind
    return TaskType.MIXED
