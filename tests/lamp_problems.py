"""Invented problems for tests of witnesses and checks: a lamp, its tool, and what goes wrong with both."""

from __future__ import annotations

from itertools import count

from afterglow.harvest.dossiers import dossier
from afterglow.harvest.events.keys import keyed
from afterglow.harvest.problems import problem_id
from afterglow.records.problems import (
    Dossier,
    Event,
    FollowingCall,
    Problem,
    SessionEvents,
    TellingLine,
)
from afterglow.records.writing import WrittenAnswer, WrittenCase

_calls = count(1)


def ended(command: str, *, tool: str = "Bash", worked: bool = True, printed: str = ""):
    return FollowingCall(40, tool, command, worked, printed)


def failure(session: str, command: str, error: str = "lampctl: wick is wet", **fields):
    """A failing call in a session; `by` is the call that ended it."""
    by = fields.pop("by", None)
    remedy = ended(by) if isinstance(by, str) else by
    event = Event(
        kind=fields.pop("kind", "failed"),
        session=session,
        agent="claude-code",
        line=fields.pop("line", 4),
        result_line=5,
        call=next(_calls),
        time=fields.pop("time", 1000.0),
        tool=fields.pop("tool", "Bash"),
        program=fields.pop("program", "lampctl"),
        command=command,
        lines=(TellingLine(error, 7, 3),) if error else (),
        remedy=remedy,
        **fields,
    )
    return keyed(event)


def problem_of(*events: Event, kind: str = "failure", **fields) -> Problem:
    return Problem(
        id=problem_id("harbor", kind, "line wick"),
        repo="harbor",
        kind=kind,
        key="line wick",
        what="lampctl: wick is wet",
        times=len(events),
        sessions=tuple(dict.fromkeys(event.session for event in events)),
        calls=len(events),
        turns=0,
        first=1000.0,
        last=2000.0,
        events=events,
        **fields,
    )


def shown(problem: Problem) -> Dossier:
    return dossier(problem, lambda text: len(text.split()))


def lesson(remedy: str, situation: str = "", **fields) -> WrittenAnswer:
    return WrittenAnswer(
        problem="p", answer="lesson", situation=situation, remedy=remedy, **fields
    )


def case(answer: WrittenAnswer, problem: Problem, **fields) -> WrittenCase:
    from afterglow.harvest.writing.witnesses import witnesses_of

    page = fields.pop("dossier", shown(problem))
    history = fields.pop("history", (SessionEvents(problem.events),))
    return WrittenCase(
        answer=answer,
        problem=problem,
        dossier=page,
        witnesses=fields.pop("witnesses", witnesses_of(answer, problem, page)),
        history=history,
        **fields,
    )
