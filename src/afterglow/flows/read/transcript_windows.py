"""A window of a transcript with what was given, met and taught in its place; and one text of it, whole."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import cast

from msgspec.structs import replace

from afterglow.calls import readable_arguments
from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.read.opened_sessions import OpenedSession, opened
from afterglow.flows.read.shown_turns import Clean, Showing, lines_of
from afterglow.flows.redactor import redactor_of
from afterglow.records.delivery import Delivery
from afterglow.records.problems import Event
from afterglow.records.session import Call, Outcome
from afterglow.records.transcript import (
    FailureKind,
    SessionStory,
    ShownTurn,
    TranscriptWindow,
    WholeText,
)
from afterglow.text.clip import readable

PAGE_CHARACTERS = 120_000  # of one text on a page of its own


def transcript_window(
    config: Config,
    story: SessionStory,
    *,
    line: int = 0,
    number: int = 0,
    redacted: bool = True,
) -> TranscriptWindow:
    """The window with a line of the source, or the one of that number; the first, if neither is said. `story` tells what
    was given, met and taught where."""
    _, session = opened(config, story.entry.id)
    chosen = session.window_with(line) if line else number
    chosen = min(max(chosen, 1), len(session.starts))
    places = session.window(chosen)
    failures = failures_of(session, story.events)
    clean = _cleaner(config) if redacted else str
    showing = Showing(clean, failures, _marked(session, places, line))
    turns = [showing.turn(at, session.session.turns[at]) for at in places]
    first, last = _reach(session, places)
    return TranscriptWindow(
        turns=tuple(_with_story(turns, session, story)),
        number=chosen,
        windows=len(session.starts),
        first_line=first,
        last_line=last,
        failure_lines=tuple(sorted(failures)),
        is_redacted=redacted,
    )


def whole_text(
    config: Config, id: str, *, turn: int, call: int | None, part: str, start: int = 0
) -> WholeText:
    """One text of a session, redacted, from a character on: as much as a page holds."""
    _, session = opened(config, id)
    turns = session.session.turns
    if not 0 <= turn < len(turns):
        raise NotFound(f"session {id} has no turn {turn}; open the session again")
    chosen = turns[turn]
    if call is None:
        raw, line, title = chosen.text, chosen.line, str(chosen.role)
    elif 0 <= call < len(chosen.calls):
        raw, line, title = _of_call(chosen.calls[call], part)
    else:
        raise NotFound(f"turn {turn} has no call {call}; open the session again")
    text = readable(redactor_of(config).redact(raw).text)
    start = min(max(start, 0), len(text))
    return WholeText(
        text=text[start : start + PAGE_CHARACTERS],
        line=line,
        title=title,
        start=start,
        length=len(text),
    )


def _of_call(call: Call, part: str) -> tuple[str, int, str]:
    """A text of a call, the line where it stands, and what it is."""
    if part == "result":
        line = call.line if call.result_line is None else call.result_line
        return call.result or "", line, f"{call.tool}: what came back"
    return readable_arguments(call.arguments), call.line, f"{call.tool}: as called"


def failures_of(
    session: OpenedSession, events: Sequence[Event]
) -> dict[int, FailureKind]:
    """What to look at first, by the line of the call."""
    failures: dict[int, FailureKind] = {}
    for call in session.session.calls:
        if call.outcome is Outcome.FAILED:
            failures[call.line] = "failed"
        elif call.masked:
            failures[call.line] = "hidden"
    for event in events:
        if event.kind in {"hidden", "ci", "empty"}:
            failures.setdefault(event.line, cast(FailureKind, event.kind))
    return failures


def _cleaner(config: Config) -> Clean:
    redactor = redactor_of(config)
    return lambda text: redactor.redact(text).text


def _reach(session: OpenedSession, places: Sequence[int]) -> tuple[int, int]:
    """The first and the last line of the source that a window shows."""
    lines = [
        line for at in places for line in lines_of(session.session.turns[at]) if line
    ]
    return min(lines, default=0), max(lines, default=0)


def _marked(session: OpenedSession, places: Sequence[int], line: int) -> int | None:
    """The line that is marked: where no text of the window has it, the last one before."""
    if not line:
        return None
    lines = [each for at in places for each in lines_of(session.session.turns[at])]
    return max((each for each in lines if each <= line), default=None)


def _with_story(
    turns: Sequence[ShownTurn], session: OpenedSession, story: SessionStory
) -> Iterator[ShownTurn]:
    """The turns with what was given at them, and what rests on their lines."""
    items: dict[int, list[str]] = defaultdict(list)
    for lesson in story.taught:
        for line in lesson.lines:
            items[line].append(lesson.item.id)
    deliveries: dict[int, list[Delivery]] = defaultdict(list)
    for delivery in story.deliveries:
        if delivery.turn is not None:
            deliveries[_shown_at(session, delivery.turn)].append(delivery)
    for turn in turns:
        lines = lines_of(session.session.turns[turn.index])
        ids = [id for line in dict.fromkeys(lines) for id in items.get(line, ())]
        yield replace(
            turn,
            deliveries=tuple(deliveries.get(turn.index, ())),
            items=tuple(dict.fromkeys(ids)),
        )


def _shown_at(session: OpenedSession, place: int) -> int:
    """Where what stands at a turn is shown: there, or, of what a tool brought back, at the call."""
    at = bisect_right(session.turns, place) - 1
    return session.turns[max(at, 0)] if session.turns else place
