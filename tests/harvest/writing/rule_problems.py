"""Problems made up for rules that write."""

from __future__ import annotations

from itertools import count

from afterglow.harvest.events.keys import keyed
from afterglow.harvest.problems import problems_of
from afterglow.records.problems import (
    Event,
    FollowingCall,
    Problem,
    SessionEvents,
    TellingLine,
)

_CALLS = count(1)


def tried(
    command: str, printed: str = "", *, tool: str = "Bash", worked: bool = False
) -> FollowingCall:
    return FollowingCall(6, tool, command, worked, printed)


def failure(session: str, command: str, text: str, worked: str = "", **fields) -> Event:
    """A failing call, its message, and the call that reached the goal."""
    number = next(_CALLS)
    tool = fields.pop("tool", "Bash")
    words = command.split()
    program = tool if tool != "Bash" else " ".join(words[:1])
    event = Event(
        kind="failed",
        session=session,
        agent="claude-code",
        line=4,
        result_line=5,
        call=number,
        time=1000.0 + number,
        tool=tool,
        program=fields.pop("program", program),
        command=command,
        lines=(TellingLine(text, 7, 3),),
        calls=2,
        remedy=FollowingCall(8, tool, worked, worked=True) if worked else None,
        tried=tuple(fields.pop("tried", ())),
        **fields,
    )
    return keyed(event)


def problem_of(*events: Event) -> Problem:
    """All of them as one problem, whatever their keys."""
    sessions = [SessionEvents((event,)) for event in events]
    problem = problems_of("harbor", sessions, least=1)[0]
    return Problem(
        id=problem.id,
        repo="harbor",
        kind=problem.kind,
        key=problem.key,
        what=problem.what,
        times=len(events),
        sessions=tuple(dict.fromkeys(event.session for event in events)),
        calls=2 * len(events),
        turns=0,
        first=1000.0,
        last=2000.0,
        events=events,
    )
