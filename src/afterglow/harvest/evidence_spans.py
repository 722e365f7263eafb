"""Finds the stretch of a session that evidence points at again: there, another text, elsewhere, or gone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Literal

from msgspec import Struct

from afterglow.harvest.trail import span_hash
from afterglow.records.knowledge import Evidence, Part
from afterglow.records.session import Call, Session, Turn

State = Literal["ok", "moved", "changed", "vanished"]
STATES: tuple[State, ...] = ("ok", "moved", "changed", "vanished")

TRIES = 100  # places in one text where a moved span may begin
_TAKEN_OUT = re.compile(
    "[<…]"
)  # where a quote stops being the words of its span: a placeholder, or the cut at its end
_ANCHOR = 6  # fewer characters of a span say too little to look for it by them


class Place(Struct, frozen=True):
    """One text of a session: what was said in a turn, or a call's arguments or result."""

    line: int
    part: Part
    text: str
    turn: Turn
    call: Call | None = None


class Found(Struct, frozen=True):
    """What became of a span. `place` and `start` are where it is now, or what stands there instead."""

    state: State
    place: Place | None = None
    start: int = 0


class Spans:
    """The texts of one session, by where they stand. Several may stand on one line: results of calls made at once."""

    def __init__(self, session: Session) -> None:
        self._places: dict[tuple[Part, int], list[Place]] = defaultdict(list)
        for place in _places(session):
            self._places[place.part, place.line].append(place)

    def find(self, evidence: Evidence) -> Found:
        here = self._places.get((evidence.part, evidence.line), [])
        for place in here:
            if _says(place.text, evidence.start, evidence):
                return Found("ok", place, evidence.start)
        moved = self._moved(evidence)
        if moved:
            return moved
        return Found("changed", here[0], evidence.start) if here else Found("vanished")

    def _moved(self, evidence: Evidence) -> Found | None:
        """The same words elsewhere: at the same place of another text, or wherever the quote begins."""
        if not evidence.length:
            return None
        anchor = _TAKEN_OUT.split(evidence.quote, maxsplit=1)[0].rstrip()
        for place in chain.from_iterable(self._places.values()):
            if place.part != evidence.part:
                continue
            for start in (evidence.start, *_occurrences(place.text, anchor)):
                if _says(place.text, start, evidence):
                    return Found("moved", place, start)
        return None


def _says(text: str, start: int, evidence: Evidence) -> bool:
    span = text[start : start + evidence.length]
    return len(span) == evidence.length and span_hash(span) == evidence.hash


def _occurrences(text: str, anchor: str) -> Iterator[int]:
    if len(anchor) < _ANCHOR:
        return
    start = text.find(anchor)
    for _ in range(TRIES):
        if start < 0:
            return
        yield start
        start = text.find(anchor, start + 1)


def _places(session: Session) -> Iterator[Place]:
    for turn in session.turns:
        yield Place(turn.line, "text", turn.text, turn)
        for call in turn.calls:
            yield Place(call.line, "arguments", call.arguments, turn, call)
            line = call.result_line if call.result_line is not None else call.line
            yield Place(line, "result", call.result or "", turn, call)
