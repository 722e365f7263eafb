"""What a line is about: which of its commands do the work, what a person would call them, and how they are written.

`cd /x && FOO=1 make lint 2>&1 | tail -20` is about `make lint`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from afterglow.calls.command import Command
from afterglow.calls.effects import PRINTING_FAMILIES, RUNS_SCRIPTS, effects_of
from afterglow.calls.programs import program, table
from afterglow.calls.shell import parse
from afterglow.calls.writing import write

_SILENCING = re.compile(r"\d?>&\d|[\d&]?>\s*/dev/null|\d?>&-")
_JOINTS = {"": "; ", ";": "; ", "&": " & "}
_RUNS_CODE = frozenset({"-c", "-e"})


def working_commands(commands: Sequence[Command]) -> tuple[Command, ...]:
    """The commands that do something: without setup, trimming filters, echoes and waiting.

    A line that holds nothing else keeps all but its setup, or that too.
    """
    outer = [command for command in commands if not _is_aside(command)]
    working = [command for command in outer if not _is_wrapping(command)]
    if working:
        return tuple(working)
    without_setup = [command for command in outer if not _is_setup(command)]
    return tuple(without_setup or outer or commands)


def _is_setup(command: Command) -> bool:
    return program(command.program).family == "setup"


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
    return program(command.program).family not in PRINTING_FAMILIES


def commands_in(line: str) -> tuple[Command, ...]:
    """The working commands of a line."""
    return working_commands(parse(line).commands)


def goal_in(line: str) -> str:
    """The goal of what a person would name in a line: `git push`, `python check.py`."""
    main = main_command(commands_in(line))
    return goal_of_command(main) if main is not None else ""


def _is_aside(command: Command) -> bool:
    """It only makes a word of another command, or is kept for later."""
    return "substitution" in command.place or "function" in command.place


def _is_wrapping(command: Command) -> bool:
    """It prepares, announces, waits or trims. An echo into a file writes a file."""
    row = program(command.program)
    if row.family == "talk":
        return not command.redirections
    if row.family in {"setup", "pause"}:
        return True
    return command.after == "|" and row.trims


def core_line(working: Iterable[Command]) -> str:
    """The working commands as they were written, joined by their operators."""
    return _joined(working, lambda command: command.text)


def _joined(working: Iterable[Command], write_one: Callable[[Command], str]) -> str:
    text = ""
    for command in working:
        if text:
            text += _JOINTS.get(command.after, f" {command.after} ")
        text += write_one(command)
    return text


def full_line(working: Iterable[Command]) -> str:
    """The same with wrappers and environment: what may be the whole difference between failing and working."""
    return _joined(working, _with_surroundings)


def _with_surroundings(command: Command) -> str:
    """Without the shells a line was given to: they are how an agent runs, not what."""
    outer = [
        wrapper
        for wrapper in command.wrappers
        if program(wrapper.program).family != "shell"
    ]
    if not outer and not command.assignments:
        return command.text
    return named(replace(command, wrappers=tuple(outer)))


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
    runs_scripts = program(command.program).family in RUNS_SCRIPTS
    if not runs_scripts or command.subcommand:
        return command.name.strip() or command.text
    if command.operands:
        script = command.operands[0].replace("\\", "/").rsplit("/", 1)[-1]
        return f"{command.program} {script}"
    for flag in command.flags:
        if flag.name in _RUNS_CODE:
            return f"{command.program} {flag.name}"
    return command.program


def lasting_name(command: Command) -> str:
    """Program and sub-command where the table knows them, so that the name is the same in every session."""
    return command.name if command.program in table() else command.program
