"""A failing command beside the one that reached its goal: of two lines, the two commands that belong together."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from msgspec import Struct

from afterglow.calls import (
    Command,
    Flag,
    Program,
    commands_in,
    lasting_name,
    only_shows,
    program,
)
from afterglow.harvest.events.claims import LINE_END, coarse
from afterglow.harvest.failure_kinds import missing_program
from afterglow.records.problems import Event, FollowingCall
from afterglow.records.tools import tool_kind

# Words that two commands share at least, of all their words: with fewer, the second is after something else.
MIN_SHARED_WORDS = 0.5

_FILE_TOOLS = frozenset({"read", "edit", "write"})
_TASK = re.compile(r"[a-z][\w:-]*")
_ARGUMENT = re.compile(r" (?=[A-Za-z_]\w*=)")


class Pair(Struct, frozen=True):
    """`failing` is the command of the event's line that went wrong, `working` the same in the call that ended it.
    `first` are commands that only the working line ran before, `between` what was done on the way. `has_worked`: else
    it only got further, and failed in another way."""

    event: Event
    failing: Command
    working: Command
    has_worked: bool = True
    first: tuple[Command, ...] = ()
    between: tuple[FollowingCall, ...] = ()


def is_shell(tool: str) -> bool:
    return tool_kind(tool) == "shell"


def line_of(command: str) -> str:
    """A call as it was given to the shell, or the part of it that is kept; empty where its end is missing."""
    if command.endswith("(cut off)"):
        return ""
    return command.removeprefix("… ").replace(f" {LINE_END} ", "\n")


def commands_of(tool: str, call: str) -> tuple[Command, ...]:
    """The commands of a shell's line. The call of another tool is one, its arguments are flags; of calls that read or
    change a file, what matters is in the file."""
    if is_shell(tool):
        return commands_in(line_of(call))
    if tool_kind(tool) in _FILE_TOOLS or not call.startswith(tool):
        return ()
    first, *arguments = _ARGUMENT.split(call)
    flags = (argument.partition("=") for argument in arguments)
    words = (tool, *first.split()[1:], *arguments)
    command = Command(
        program=tool,
        words=words,
        written=words,
        flags=tuple(Flag(name, value) for name, _, value in flags),
        operands=tuple(first.split()[1:]),
    )
    return (command,)


def task_of(command: Command) -> str:
    """What a command is asked to do: its sub-command; of a program that nobody knows, the word in its place."""
    if command.subcommand or program(command.program) != Program(command.program):
        return " ".join(command.subcommand)
    first = command.words[1] if len(command.words) > 1 else ""
    return first if _TASK.fullmatch(first) else ""


def failing_command(event: Event) -> Command | None:
    """The command of the line that went wrong; None where that cannot be told."""
    commands = commands_of(event.tool, event.command)
    absent = {missing_program(line.text) for line in event.lines} - {""}
    for command in commands:
        if command.words[0] in absent:
            return command
    named = [item for item in commands if lasting_name(item) == event.program]
    if named:
        return named[-1]
    return commands[0] if len(commands) == 1 else None


def pairs_of(event: Event) -> list[Pair]:
    """What failed beside the call that reached the goal, and beside the first that failed in another way instead."""
    failing = failing_command(event)
    if failing is None:
        return []
    following = event.following
    pairs: dict[bool, Pair] = {}
    for place, call in enumerate(following):
        if not call.worked and not _failed_otherwise(call, event):
            continue
        commands = commands_of(call.tool, call.command)
        working = _closest(failing, commands)
        if working is not None:
            first = _run_first(event, commands, working)
            between = following[:place]
            pair = Pair(event, failing, working, call.worked, first, between)
            pairs.setdefault(call.worked, pair)
    return sorted(pairs.values(), key=lambda pair: not pair.has_worked)


def _failed_otherwise(call: FollowingCall, event: Event) -> bool:
    """What a call in vain printed is not what the event's lines say."""
    if not call.printed:
        return False
    errors = {coarse(line.text) for line in event.lines}
    return coarse(call.printed) not in errors


def _closest(failing: Command, commands: tuple[Command, ...]) -> Command | None:
    closest = max(
        commands,
        key=lambda item: (_closeness(failing, item), item.program == failing.program),
        default=None,
    )
    if closest is None or _closeness(failing, closest) < MIN_SHARED_WORDS:
        return None
    return closest


def _closeness(failing: Command, working: Command) -> float:
    """How much of two commands is the same; program and sub-command weigh as much as all the rest."""
    if failing.words[-len(working.words) :] == working.words:
        return 1.0  # what stood before it went
    words = SequenceMatcher(None, failing.words[1:], working.words[1:], autojunk=False)
    is_same = failing.program == working.program
    is_same = is_same and task_of(failing) == task_of(working)
    return (is_same + words.ratio()) / 2 if is_same else words.ratio()


def _run_first(
    event: Event, commands: tuple[Command, ...], working: Command
) -> tuple[Command, ...]:
    """What the working line ran first, and the failing line did not, not even in another way."""
    earlier = {item.name for item in commands_of(event.tool, event.command)}
    before = commands[: commands.index(working)]
    return tuple(
        item for item in before if item.name not in earlier and not only_shows(item)
    )
