"""Action: what one call did. `read(tool, arguments)` is the one place that answers it.

The cheap answers are fields; the views that only some stages ask for are worked out when
they are first looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
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
from afterglow.calls.effects import effects_of, kind_of_work
from afterglow.calls.learned import Learned
from afterglow.calls.patterns import Pattern, pattern_of, shape_of_command
from afterglow.calls.programs import program, table
from afterglow.calls.shell import Line, parse
from afterglow.calls.writing import write
from afterglow.records.tools import is_shell, tool_kind
from afterglow.text.mask import mask

MAX_SHAPED_COMMANDS = 4  # of a line that its shape names
MAX_GOAL_CHARACTERS = 60  # a goal is a name, not a text
MAX_TARGET_CHARACTERS = 400  # of a path or a pattern that are looked at

Kind = Literal["shell", "read", "edit", "write", "search", "fetch", "delegate", "other"]

# Kinds of tools that are one kind of action.
_KINDS: dict[str, Kind] = {
    "read": "read", "list": "read", "find": "search", "search": "search", "edit": "edit",
    "write": "write", "fetch": "fetch", "delegate": "delegate",
}  # fmt: skip
MCP_SHELLS = frozenset(
    "execute_command run_command start_process run_in_terminal shell_exec exec_command bash shell terminal "
    "run_terminal_command execute_shell run_shell shell_command run_process command".split()
)  # fmt: skip
# Arguments whose value says what is done, as a sub-command does.
_DOING = (
    "command", "action", "operation", "method", "skill", "subagent_type", "agent_type",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z][\w:.-]{0,60}")
_PLAIN = re.compile(r"[A-Za-z][a-z]*(?:[ .:_-]-?[a-z]+)*")  # nothing a secret could be
_ADDRESS = re.compile(r"(?i)[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([^?#]*)")
_SILENCING = re.compile(r"\d?>&\d|[\d&]?>\s*/dev/null|\d?>&-")
_JOINTS = {";": "; ", "&": " & "}


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

    @property
    def directory(self) -> str:
        return self.arguments.directory

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """Replacements in files, also those of a patch fed to `apply_patch` in a shell."""
        if self.kind != "shell":
            return edits(self.arguments) if self.kind in {"edit", "write"} else ()
        return tuple(
            edit
            for command in self.commands
            if command.program in {"apply_patch", "patch", "git"}
            for text in [
                *(item.body for item in command.redirections),
                *command.operands,
            ]
            if is_patch(text)
            for edit in edits_of_patch(text)
        )

    @cached_property
    def written(self) -> Edit | None:
        """The file the call writes as a whole."""
        return whole_file(self.arguments) if self.kind in {"write", "edit"} else None

    @cached_property
    def goal(self) -> str:
        """Coarse, the same for a second try: `git push`, a file's name, a host and path."""
        if self.main is not None:
            name = goal_of_command(self.main)
        elif self.target.kind == "file":
            return _file_name(self.target.value)[:MAX_GOAL_CHARACTERS]
        else:
            name = _goal_of_target(self.target) or " ".join(self.line.split()[:2])
        return name if _PLAIN.fullmatch(name) else mask(name)[:MAX_GOAL_CHARACTERS]

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
        if shapes:
            return f"{self.tool}: {' && '.join(list(shapes)[:MAX_SHAPED_COMMANDS])}"
        return _shape_of_arguments(self.tool, self.arguments.values)

    @cached_property
    def effects(self) -> frozenset[str]:
        """What the call does, over all that works in it."""
        if self.kind == "shell":
            return frozenset().union(*map(effects_of, self.working))
        by_kind = {
            "read": "looks", "search": "looks", "fetch": "looks",
            "edit": "changes", "write": "changes",
        }  # fmt: skip
        effect = by_kind.get(self.kind)
        return frozenset({effect}) if effect else frozenset()

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
    if learned is None or not action.commands:
        return action
    parsed = replace(action.parsed, commands=learned.apply(action.commands))
    return _of_line(tool, action.arguments, action.line, parsed)


def shape_of(tool: str, arguments: str) -> str:
    """Equal for calls of one kind."""
    return read(tool, arguments).shape


def is_shell_call(tool: str, arguments: str) -> bool:
    """Whether a call runs a shell line: the agent's own shell, or one behind MCP."""
    return _is_named_shell(tool) and bool(decode(arguments).line)


def _is_shell_call(tool: str, arguments: Arguments) -> bool:
    return bool(arguments.line) and _is_named_shell(tool)


def _is_named_shell(tool: str) -> bool:
    if is_shell(tool):
        return True
    return tool.startswith("mcp") and _last_part(tool) in MCP_SHELLS


def _last_part(tool: str) -> str:
    return tool.lower().rsplit("__", 1)[-1].rsplit(".", 1)[-1]


def _read(tool: str, arguments: str) -> Action:
    decoded = decode(arguments)
    if _is_shell_call(tool, decoded):
        return _of_line(tool, decoded, decoded.line, parse(decoded.line))
    kind = _kind(tool, decoded)
    return Action(tool, kind, decoded, _target(decoded))


_cached_read = lru_cache(maxsize=8192)(_read)


def _of_line(tool: str, arguments: Arguments, line: str, parsed: Line) -> Action:
    working = working_commands(parsed.commands)
    main = main_command(working)
    return Action(
        tool=tool,
        kind="shell",
        arguments=arguments,
        target=Target(),
        line=line,
        parsed=parsed,
        working=working,
        main=main,
    )


def _kind(tool: str, arguments: Arguments) -> Kind:
    name = _last_part(tool)
    if name.startswith("str_replace"):
        doing = arguments.values.get("command")
        if doing == "view":
            return "read"
        return "write" if doing == "create" else "edit"
    return _KINDS.get(tool_kind(name), "other")


def _target(arguments: Arguments) -> Target:
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


def working_commands(commands: Sequence[Command]) -> tuple[Command, ...]:
    """The commands that do something: without setup, trimming filters, echoes and waiting.

    A line that holds nothing else keeps all but its setup, or that too.
    """
    outer = [command for command in commands if not _is_aside(command)]
    working = [command for command in outer if not _is_wrapping(command)]
    if not working:
        working = [item for item in outer if program(item.program).family != "setup"]
    return tuple(working or outer or commands)


def main_command(working: Sequence[Command]) -> Command | None:
    """The command a person would name: the first that does more than look."""
    if len(working) < 2:
        return working[0] if working else None
    earlier = working[0]
    for command in working:
        is_reader = command.after == "|" and _produces(earlier)
        if not is_reader and effects_of(command) != {"looks"}:
            return command
        earlier = command
    return working[0]


def _produces(command: Command) -> bool:
    """`curl ... | python -c ...` is about curl; `cat x | psql` is about psql."""
    return program(command.program).family not in {"viewer", "filter", "talk"}


def commands_in(line: str) -> tuple[Command, ...]:
    """The working commands of a line."""
    return working_commands(parse(line).commands)


def core_of(line: str) -> str:
    """`cd /x && FOO=1 make lint 2>&1 | tail -20` -> `make lint`."""
    return core_line(commands_in(line))


def goal_in(line: str) -> str:
    """The goal of what a person would name in a line: `git push`, `python check.py`."""
    main = main_command(commands_in(line))
    return goal_of_command(main) if main is not None else ""


def _is_aside(command: Command) -> bool:
    return "substitution" in command.place or "function" in command.place


def _is_wrapping(command: Command) -> bool:
    row = program(command.program)
    if row.family in {"setup", "talk", "pause"}:
        return not command.redirections or row.family != "talk"
    return command.after == "|" and row.trims


def core_line(working: Iterable[Command]) -> str:
    """The working commands as they were written, joined by their operators."""
    return _joined(working, lambda command: command.text)


def _joined(working: Iterable[Command], write_one: Callable[[Command], str]) -> str:
    text = ""
    for command in working:
        joint = _JOINTS.get(
            command.after, f" {command.after} " if command.after else "; "
        )
        text += joint + write_one(command) if text else write_one(command)
    return text


def full_line(working: Iterable[Command]) -> str:
    """The same with wrappers and environment: what may be the whole difference between failing and working."""
    return _joined(working, _with_surroundings)


def _with_surroundings(command: Command) -> str:
    is_shell_line = [
        program(wrapper.program).family == "shell" for wrapper in command.wrappers
    ]
    if any(is_shell_line):
        outer = [
            wrapper
            for wrapper, is_shell in zip(command.wrappers, is_shell_line, strict=True)
            if not is_shell
        ]
        command = replace(command, wrappers=tuple(outer))
    return named(command) if command.wrappers or command.assignments else command.text


def named(
    command: Command, *, keep_environment: bool = True, keep_wrappers: bool = True
) -> str:
    """A command with what can matter around it, redirections left out."""
    wrappers = command.wrappers if keep_wrappers else ()
    assignments = command.assignments if keep_environment else ()
    if not keep_environment:
        wrappers = tuple(replace(wrapper, assignments=()) for wrapper in wrappers)
    return write(
        replace(command, wrappers=wrappers, assignments=assignments, redirections=())
    )


def as_run(command: Command) -> str:
    """Exactly as it ran; only what silences or joins its output is left out."""
    matters = [
        item for item in command.redirections if not _SILENCING.fullmatch(item.written)
    ]
    return write(replace(command, redirections=tuple(matters)))


def goal_of_command(command: Command) -> str:
    """Program and sub-command; of an interpreter, the script's name."""
    row = program(command.program)
    if row.family in {"interpreter", "shell"} and not command.subcommand:
        for operand in command.operands[:1]:
            script = operand.replace("\\", "/").rsplit("/", 1)[-1]
            return f"{command.program} {script}"
        code = next(
            (flag.name for flag in command.flags if flag.name in {"-c", "-e"}), ""
        )
        return f"{command.program} {code}".strip()
    return command.name.strip() or command.text


def _file_name(path: str) -> str:
    """Masked with its folders: a name alone is more easily taken for an id."""
    masked = mask(path[-MAX_TARGET_CHARACTERS:]).replace("\\", "/")
    return masked.rstrip("/").rsplit("/", 1)[-1] or masked


def lasting_name(command: Command) -> str:
    """Program and sub-command where the table knows them, so that the name is the same in every session."""
    return command.name if command.program in table() else command.program


def _goal_of_target(target: Target) -> str:
    if target.kind == "url" and (address := _ADDRESS.match(target.value)):
        return address[1].rstrip("/")
    return " ".join(target.value[-MAX_TARGET_CHARACTERS:].split())


def _shape_of_arguments(tool: str, values: Any) -> str:
    doing = [f"{name}={values[name]}" for name in _DOING if _is_name(values.get(name))]
    names = sorted(
        name
        for name, value in values.items()
        if value is not None and value is not False
        if name not in _DOING or not _is_name(value)
    )
    return f"{tool}({', '.join([*doing, *(name[:40] for name in names)])})"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None
