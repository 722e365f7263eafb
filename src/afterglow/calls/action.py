"""Action: what one call did. `read(tool, arguments)` is the one place that answers it.

The cheap answers are fields; the views that only some stages ask for are worked out when
they are first looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls.arguments import (
    MAX_CACHED_CHARACTERS,
    Arguments,
    Edit,
    decode,
    edits,
    edits_of_patch,
    is_patch,
    patched_files,
    whole_file,
)
from afterglow.calls.command import Command
from afterglow.calls.effects import (
    edits_files,
    edits_text,
    effects_of,
    kind_of_work,
)
from afterglow.calls.learned import Learned
from afterglow.calls.line_names import (
    as_run,
    core_line,
    full_line,
    goal_of_command,
    main_command,
    working_commands,
)
from afterglow.calls.patterns import Pattern, pattern_of, shape_of_command
from afterglow.calls.shell import Line, parse
from afterglow.records.tools import is_shell, tool_kind
from afterglow.text.mask import mask

# A shape names a kind of call; a line of more commands is a script, told by how it begins.
MAX_SHAPED_COMMANDS = 4
MAX_GOAL_CHARACTERS = 60  # a goal is a name, not a text
# Of a path or a pattern that are looked at: masking costs by length, paths are shorter.
MAX_TARGET_CHARACTERS = 400
MAX_ARGUMENT_NAME_CHARACTERS = (
    40  # in a shape: a longer name is a text put in its place
)
# A session repeats itself: most calls of a day are seen again within so many.
CACHED_ACTIONS = 8192

Kind = Literal["shell", "read", "edit", "write", "search", "fetch", "delegate", "other"]
_DOCUMENT = frozenset({"<<", "<<-"})  # operators behind which a here-document stands
# Kinds of tools that are one kind of action.
_KINDS: dict[str, Kind] = {
    "read": "read", "list": "read", "find": "search", "search": "search", "edit": "edit",
    "write": "write", "fetch": "fetch", "delegate": "delegate",
}  # fmt: skip
# One tool that views, creates and edits says by its `command` which.
_EDITOR_KINDS: dict[str, Kind] = {"view": "read", "create": "write"}
_EFFECTS: dict[Kind, frozenset[str]] = {
    "read": frozenset({"looks"}),
    "search": frozenset({"looks"}),
    "fetch": frozenset({"looks"}),
    "edit": frozenset({"changes"}),
    "write": frozenset({"changes"}),
}
MCP_SHELLS = frozenset(
    "execute_command run_command start_process run_in_terminal shell_exec exec_command bash shell terminal "
    "run_terminal_command execute_shell run_shell shell_command run_process command".split()
)
_PATCHING = frozenset({"apply_patch", "patch", "git"})
# Arguments whose value says what is done, as a sub-command does.
_DOING = (
    "command", "action", "operation", "method", "skill", "subagent_type", "agent_type",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z][\w:.-]{0,60}")
_PLAIN = re.compile(r"[A-Za-z][a-z]*(?:[ .:_-]-?[a-z]+)*")  # nothing a secret could be
_ADDRESS = re.compile(r"(?i)[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([^?#]*)")


class Target(Struct, frozen=True):
    """What a call was about; `kind` is file, url, pattern, name, or empty for nothing."""

    kind: Literal["file", "url", "pattern", "name", ""] = ""
    value: str = ""


class Action(Struct, frozen=True, dict=True):
    """What one call did.

    `line` is the shell line and `parsed` all of it; `commands` are its commands in order,
    `working` those that do something: setup, trimming filters and echoes left out. `main` is
    the one a person would name. `directory` is a working directory the call itself gives.
    """

    tool: str
    kind: Kind
    arguments: Arguments
    target: Target = Target()
    line: str = ""
    parsed: Line = Line()
    working: tuple[Command, ...] = ()
    main: Command | None = None

    @property
    def commands(self) -> tuple[Command, ...]:
        return self.parsed.commands

    def relearned(self, learned: Learned) -> Action:
        """The same call, with the sub-commands that were learned of programs in no table."""
        if not learned.knows_any(self.commands):
            return self
        parsed = replace(self.parsed, commands=learned.apply(self.commands))
        return _of_line(self.tool, self.arguments, self.line, parsed)

    @property
    def directory(self) -> str:
        return self.arguments.directory

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """Replacements in files, also those of a patch fed to `apply_patch` in a shell."""
        if self.kind == "shell":
            return tuple(_patched_in(self.commands))
        return edits(self.arguments) if self.kind in {"edit", "write"} else ()

    @cached_property
    def written(self) -> Edit | None:
        """The file the call writes as a whole; of several here-documents of a line, the last."""
        if self.kind == "shell":
            return _written_by_shell(self.commands)
        return whole_file(self.arguments) if self.kind in {"write", "edit"} else None

    @cached_property
    def changes_files(self) -> bool:
        """With an editor or through the shell."""
        if self.kind in {"edit", "write"}:
            return True
        return any(map(edits_files, self.commands))

    @cached_property
    def only_edits(self) -> bool:
        """Does nothing but change texts of files, with an editor or through the shell."""
        if self.kind in {"edit", "write"}:
            return True
        beside = [item for item in self.working if not edits_text(item)]
        is_only_looked_at = all(effects_of(item) == {"looks"} for item in beside)
        return is_only_looked_at and len(beside) < len(self.working)

    @cached_property
    def goal(self) -> str:
        """Coarse, the same for a second try: `git push`, a file's name, a host and path."""
        if self.main is None and self.target.kind == "file":
            return _file_name(self.target.value)[:MAX_GOAL_CHARACTERS]
        name = self._plain_goal()
        return name if _PLAIN.fullmatch(name) else mask(name)[:MAX_GOAL_CHARACTERS]

    def _plain_goal(self) -> str:
        if self.main is not None:
            return goal_of_command(self.main)
        return _goal_of_target(self.target) or " ".join(self.line.split()[:2])

    @cached_property
    def core(self) -> str:
        """`cd /x && FOO=1 make lint 2>&1 | tail -20` -> `make lint`."""
        return core_line(self.working) or " ".join(self.line.split())

    @cached_property
    def full(self) -> str:
        """The same with wrappers and environment: `FOO=1 make lint`."""
        return full_line(self.working)

    @cached_property
    def shape(self) -> str:
        """Equal for calls of one kind: `Bash: git commit -a -m`, `Read(file_path, limit)`."""
        shapes = dict.fromkeys(filter(None, map(shape_of_command, self.working)))
        if not shapes:
            return _shape_of_arguments(self.tool, self.arguments.values)
        first_shapes = list(shapes)[:MAX_SHAPED_COMMANDS]
        return f"{self.tool}: {' && '.join(first_shapes)}"

    @cached_property
    def effects(self) -> frozenset[str]:
        """What the call does, over all that works in it."""
        if self.kind == "shell":
            return frozenset().union(*map(effects_of, self.working))
        return _EFFECTS.get(self.kind, frozenset())

    @cached_property
    def pattern(self) -> Pattern | None:
        """The main command with placeholders where something varies."""
        return pattern_of(self.main) if self.main is not None else None

    @cached_property
    def kind_of_work(self) -> str:
        return kind_of_work(self.main) if self.main is not None else "other"

    @cached_property
    def as_run(self) -> str:
        """The main command exactly as it ran, wrappers and environment with it."""
        return as_run(self.main) if self.main is not None else ""


def read(tool: str, arguments: str, learned: Learned | None = None) -> Action:
    """What a call did. `learned` knows sub-commands of programs that are in no table."""
    if len(arguments) > MAX_CACHED_CHARACTERS:
        action = _read(tool, arguments)
    else:
        action = _cached_read(tool, arguments)
    return action if learned is None else action.relearned(learned)


def shape_of(tool: str, arguments: str) -> str:
    """Equal for calls of one kind."""
    return read(tool, arguments).shape


def is_shell_call(tool: str, arguments: str) -> bool:
    """Whether a call runs a shell line: the agent's own shell, or one behind MCP."""
    return is_shell_tool(tool) and bool(decode(arguments).line)


def _is_shell_call(tool: str, arguments: Arguments) -> bool:
    return is_shell_tool(tool) and bool(arguments.line)


def is_shell_tool(tool: str) -> bool:
    """Whether a tool may run a shell line: the agent's own shell, or one behind MCP."""
    if is_shell(tool):
        return True
    return tool.startswith("mcp") and _last_part(tool) in MCP_SHELLS


def _last_part(tool: str) -> str:
    """The name of a tool without its server: `mcp__files__read_file` is `read_file`."""
    return tool.lower().rsplit("__", 1)[-1].rsplit(".", 1)[-1]


def _read(tool: str, arguments: str) -> Action:
    decoded = decode(arguments)
    if _is_shell_call(tool, decoded):
        return _of_line(tool, decoded, decoded.line, parse(decoded.line))
    return Action(tool, _kind(tool, decoded), decoded, _target(decoded))


_cached_read = lru_cache(maxsize=CACHED_ACTIONS)(_read)


def _of_line(tool: str, arguments: Arguments, line: str, parsed: Line) -> Action:
    working = working_commands(parsed.commands)
    return Action(
        tool=tool,
        kind="shell",
        arguments=arguments,
        line=line,
        parsed=parsed,
        working=working,
        main=main_command(working),
    )


def _kind(tool: str, arguments: Arguments) -> Kind:
    name = _last_part(tool)
    if name.startswith("str_replace"):
        return _EDITOR_KINDS.get(str(arguments.values.get("command")), "edit")
    return _KINDS.get(tool_kind(name), "other")


def _target(arguments: Arguments) -> Target:
    """The most telling of what a call names: a file before an address, a pattern, a name."""
    if arguments.file:
        return Target("file", arguments.file)
    patch = arguments.raw or str(arguments.values.get("input", ""))
    if is_patch(patch):
        files = patched_files(patch)
        return Target("file", files[0]) if files else Target()
    if arguments.url:
        return Target("url", arguments.url)
    if arguments.pattern:
        return Target("pattern", arguments.pattern)
    return Target("name", arguments.name) if arguments.name else Target()


def _patched_in(commands: tuple[Command, ...]) -> Iterator[Edit]:
    """The edits of patches that commands were given: as a here-document, or as a word."""
    for command in commands:
        if command.program not in _PATCHING:
            continue
        documents = [redirection.body for redirection in command.redirections]
        for text in (*documents, *command.operands):
            if is_patch(text):
                yield from edits_of_patch(text)


def _written_by_shell(commands: tuple[Command, ...]) -> Edit | None:
    """`cat > notes.md <<EOF`."""
    for command in reversed(commands):
        bodies = [
            item.body for item in command.redirections if item.operator in _DOCUMENT
        ]
        files = [item.target for item in command.redirections if item.operator == ">"]
        if command.program == "cat" and bodies and files and not command.operands:
            folder = f"{command.directory}/" if command.directory else ""
            return Edit(f"{folder}{files[-1]}", "", bodies[-1])
    return None


def _file_name(path: str) -> str:
    """Masked with its folders: a name alone is more easily taken for an id."""
    masked = mask(path[-MAX_TARGET_CHARACTERS:]).replace("\\", "/")
    return masked.rstrip("/").rsplit("/", 1)[-1] or masked


def _goal_of_target(target: Target) -> str:
    if target.kind == "url" and (address := _ADDRESS.match(target.value)):
        return address[1].rstrip("/")
    return " ".join(target.value[-MAX_TARGET_CHARACTERS:].split())


def _shape_of_arguments(tool: str, values: Mapping[str, Any]) -> str:
    doing: list[str] = []
    for name in _DOING:
        if _is_name(values.get(name)):
            doing.append(f"{name}={values[name]}")
    names = sorted(name for name, value in values.items() if _is_shaping(name, value))
    short_names = [name[:MAX_ARGUMENT_NAME_CHARACTERS] for name in names]
    return f"{tool}({', '.join([*doing, *short_names])})"


def _is_shaping(name: str, value: object) -> bool:
    """Whether an argument stands in a shape by its name alone."""
    if value is None or value is False:
        return False
    return name not in _DOING or not _is_name(value)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None
