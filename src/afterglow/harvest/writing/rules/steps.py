"""A step between: the same call fails, one step is taken, the same call works; in two independent sessions.

The step is a call of its own, or stands in front in the line that worked. Where nothing else was done in between, the
step is what helped. Where files were edited as well nobody can tell, unless the error itself names what the step runs,
as a hook does that refuses a commit for its formatter's sake.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.calls import (
    Command,
    effects_of,
    main_command,
    only_shows,
    writes_file,
)
from afterglow.harvest.events.claims import is_telling
from afterglow.harvest.writing.rules.general_form import (
    as_code,
    general_form,
    quoted_message,
)
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.harvest.writing.rules.moves import names
from afterglow.harvest.writing.rules.pairs import (
    commands_of,
    failing_command,
    is_shell,
    pairs_of,
)
from afterglow.records.problems import Event, FollowingCall, Problem

MIN_SESSIONS = 2  # that took the same step

# What is done with the work itself, whatever failed before.
_PUBLISHING = frozenset({"sends", "publishes"})


class Step(Struct, frozen=True):
    """A failing call and the command that was run before it worked; `in_front` of it in the same line, or by itself."""

    event: Event
    failing: Command
    command: Command
    message: str
    in_front: bool = False


def lessons(problem: Problem) -> Iterator[RuleLesson]:
    solved = [event for event in problem.events if _worked_again(event)]
    by_name: dict[tuple[str, str], list[Step]] = defaultdict(list)
    for event in solved:
        for step in _steps(event):
            by_name[step.failing.name, step.command.name].append(step)
    for (failing, _), steps in by_name.items():
        sessions = {step.event.session for step in steps}
        rivals = {event.session for event in solved if _is_call(event, failing)}
        is_agreed = len(sessions) > len(rivals - sessions)
        if len(sessions) >= MIN_SESSIONS and is_agreed and not _is_one_line(steps):
            yield from _lesson(steps)


def _is_one_line(steps: Sequence[Step]) -> bool:
    """The very same words in front in two sessions: that is a change of the line, and told as one."""
    in_front = {
        (step.event.session, step.command.text) for step in steps if step.in_front
    }
    texts = {text for _, text in in_front}
    return len(texts) < len(in_front)


def _worked_again(event: Event) -> bool:
    return event.remedy is not None and event.remedy.again and not event.state


def _is_call(event: Event, name: str) -> bool:
    command = failing_command(event)
    return command is not None and command.name == name


def _steps(event: Event) -> Iterator[Step]:
    """The steps that may have helped: the only one there was, or those that the error names."""
    failing = failing_command(event)
    if failing is None:
        return
    changes = [call for call in event.tried if call.changes and call.worked]
    in_front = _in_front(event)
    is_only_one = len(changes) + len(in_front) == 1
    for command in (*map(_command, changes), *map(_if_step, in_front)):
        if command is None or command.name == failing.name:
            continue
        message = _naming_line(event, command)
        if message or is_only_one:
            first_line = event.lines[0].text if event.lines else ""
            is_in_front = command in in_front
            yield Step(event, failing, command, message or first_line, is_in_front)


def _in_front(event: Event) -> tuple[Command, ...]:
    """What the line that worked ran before the same command, as it stands: `./weigh gull && ./seal gull`."""
    for pair in pairs_of(event):
        if pair.has_worked and pair.failing.words == pair.working.words:
            return pair.first
    return ()


def _command(call: FollowingCall) -> Command | None:
    if not is_shell(call.tool):
        return None
    command = main_command(commands_of(call.tool, call.command))
    return None if command is None else _if_step(command)


def _if_step(command: Command) -> Command | None:
    """A command that can be a step to take: it neither hands out the work nor shows or writes a file."""
    if effects_of(command) & _PUBLISHING:
        return None
    is_edit = only_shows(command) or writes_file(command)
    return None if is_edit else command


def _naming_line(event: Event, command: Command) -> str:
    """The line of the error that names what the step runs."""
    words = command.subcommand[-1:] or (command.program,)
    texts = (line.text for line in event.lines)
    return next((text for text in texts if names(text, words[0])), "")


def _lesson(steps: Sequence[Step]) -> Iterator[RuleLesson]:
    message = quoted_message([step.message for step in steps])
    if not is_telling(message):
        return
    failing = [step.failing for step in steps]
    commands = [step.command for step in steps]
    call = general_form(failing, failing)
    step = general_form(commands, commands, keep_folders=True)
    yield RuleLesson(
        situation=f"{as_code(call)} fails: {message}",
        remedy=f"first {as_code(step)}, then the same again",
        events=tuple(step.event for step in steps),
    )
