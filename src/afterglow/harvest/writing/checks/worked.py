"""A command that is told as written has ended well as written at least once, and does not mostly fail."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.harvest.writing.names import (
    PLACEHOLDER,
    commands_in,
    fillable,
    names_of_call,
    names_of_command,
    runs_in,
)
from afterglow.harvest.writing.reading import lesson_in
from afterglow.records.problems import Event
from afterglow.records.writing import Objection, WrittenCase
from afterglow.text.numbers import count

NAME = "worked"
# Bad runs without a good one, from which on a command is called wrong.
MIN_BAD_RUNS = 2
# Bad runs for each good one, from which on it fails mostly.
MOSTLY = 3


def check(case: WrittenCase) -> Objection | None:
    """Each command of the remedy against what sessions ran."""
    if case.is_wish:
        return None
    objections = filter(None, (_judged(span, case) for span in _told_commands(case)))
    by_effect = {objection.effect: objection for objection in objections}
    return by_effect.get("refuse") or by_effect.get("wait")


def _told_commands(case: WrittenCase) -> Iterator[str]:
    """What the remedy tells to run, each command of a chain by itself; not what it only speaks of."""
    names = lesson_in(case).names
    for span in names.commands:
        if span not in names.negated:
            chain = [command.text for command in commands_in(fillable(span))]
            for text in chain if len(chain) > 1 else [span]:
                if not _is_mentioned(text, case):
                    yield text


def _is_mentioned(span: str, case: WrittenCase) -> bool:
    """The situation names it, or a program did that ran it by itself: a hook its steps; or it is told already."""
    pattern = re.compile(r"\S+".join(map(re.escape, PLACEHOLDER.split(span))))
    printed = (line.text for event in case.problem.events for line in event.lines)
    told_facts = (item.fact for item in case.items)
    return any(map(pattern.search, (case.answer.situation, *printed, *told_facts)))


def _judged(span: str, case: WrittenCase) -> Objection | None:
    runs = runs_in(span, case.history)
    if runs.well == 0 and _is_seen(span, case):
        return None
    if runs.well and runs.badly < MOSTLY * runs.well:
        return None
    if runs.well:
        reason = f"`{span}` failed {count(runs.badly, 'time')} and ended well {runs.well}: say when it works"
        return Objection(NAME, "wait", reason)
    if runs.badly >= MIN_BAD_RUNS:
        reason = f"`{span}` failed {count(runs.badly, 'time')} and never ended well: tell one that worked"
        return Objection(NAME, "refuse", reason)
    reason = f"no session ran `{span}` to a good end: one that does, or a person's word, would make it active"
    return Objection(NAME, "wait", reason)


def _is_seen(span: str, case: WrittenCase) -> bool:
    """A call that ended the problem, or a try that worked, has everything that the command names."""
    names = names_of_command(span)
    typed = {name for name in names if " " in name}
    return any(typed <= call for event in case.problem.events for call in _good(event))


def _good(event: Event) -> Iterator[frozenset[str]]:
    if event.remedy is not None:
        yield names_of_call(event.remedy.tool, event.remedy.command)
    for call in event.tried:
        if call.worked:
            yield names_of_call(call.tool, call.command)
