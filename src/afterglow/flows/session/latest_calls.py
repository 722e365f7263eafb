"""Calls that a running session has just made, read as a harvest will read them: with the session so far behind them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.events.failures import symptom_of
from afterglow.harvest.events.latest import latest_events
from afterglow.harvest.events.redaction import redacted
from afterglow.harvest.trail import Trail
from afterglow.records.context import FinishedCall
from afterglow.records.problems import SessionEvents
from afterglow.records.session import Call, Outcome, Session, Turn
from afterglow.sessions.finished_calls import call_of
from afterglow.sessions.transcript_end import read_end, without_open_calls


class LatestCalls(Struct, frozen=True):
    """What went wrong in them, with nothing secret in it, and the folder in which the session began."""

    events: SessionEvents
    home: Path


def latest_calls(
    config: Config,
    *,
    agent: str,
    cwd: Path,
    session: str,
    calls: Sequence[FinishedCall],
    transcript: Path | None,
    agent_id: str,
    now: float | None = None,
) -> LatestCalls:
    """The transcript is looked at only where something went wrong: nearly always nothing did."""
    now = time.time() if now is None else now
    alone = Session(id=session, agent=agent, format="", source="", cwd=str(cwd))
    trail = Trail(_with_calls(alone, calls, now))
    if not any(map(symptom_of, trail.steps)):
        return LatestCalls(SessionEvents(), cwd)
    so_far = alone
    end = read_end(transcript, agent, agent_id) if transcript else None
    if end is not None:
        ended = frozenset(call.id for call in calls)
        so_far = without_open_calls(end.session, ended)
        so_far = replace(_gone_to(so_far, end.home), id=session, agent=agent)
    trail = Trail(_with_calls(so_far, calls, now))
    first = sum(step.turn < len(so_far.turns) for step in trail.steps)
    events = latest_events(trail, first)
    if events.events:
        events = redacted(events, trail, redactor_of(config), Counter())
    return LatestCalls(events, Path(so_far.cwd) if so_far.cwd else cwd)


def _with_calls(session: Session, calls: Sequence[FinishedCall], now: float) -> Session:
    """The session, with a turn that made these calls at its end."""
    last = max((turn.line for turn in session.turns), default=0)
    lines = [
        last,
        *(call.result_line or 0 for turn in session.turns for call in turn.calls),
    ]
    line = max(lines) + 1
    ended_calls = tuple(
        call_of(session.agent, call, line + place, now)
        for place, call in enumerate(calls)
    )
    turn = Turn("assistant", "", line, time=now, calls=ended_calls)
    return replace(session, turns=(*session.turns, turn))


def _gone_to(session: Session, home: str) -> Session:
    """A session of which only the end is read begins where it then was: as if its first call had gone there."""
    if not home or not session.cwd or session.cwd == home:
        return replace(session, cwd=home or session.cwd)
    arguments = f'{{"command": {_json(f"cd {session.cwd}")}}}'
    call = Call("", "Bash", arguments, 0, Outcome.OK, "")
    return replace(
        session,
        cwd=home,
        turns=(Turn("assistant", "", 0, calls=(call,)), *session.turns),
    )


def _json(text: str) -> str:
    from msgspec.json import encode

    return encode(text).decode()
