"""Each half of a remedy is what sessions show: two that each ended it by another half are one witness for either."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from afterglow.harvest.writing.names import SPAN, spans
from afterglow.harvest.writing.reading import cited_events, lesson_of
from afterglow.records.writing import Objection, WrittenCase

NAME = "halves"
MIN_SESSIONS = 2  # that show one half: with one it would wait by itself

# Where one half ends and the next begins; what stands in backticks is no place for it.
_JOINT = re.compile(r"[.;:,]\s+(?:or |and |then |if )?|\s+or\s+")
_HIDDEN = "\0"


def check(case: WrittenCase) -> Objection | None:
    """Sessions agree on no half of the remedy, though two of them ended it so."""
    is_spoken = case.answer.scope == "user" or case.problem.kind == "person"
    if is_spoken or case.witnesses.sessions < MIN_SESSIONS:
        return None
    by_half = {half: _sessions(half, case) for half in halves(case.answer.remedy)}
    supported = {half: sessions for half, sessions in by_half.items() if sessions}
    if any(len(sessions) >= MIN_SESSIONS for sessions in supported.values()):
        return None
    if len(frozenset().union(*supported.values())) < MIN_SESSIONS:
        return None
    listed = " and ".join(f'"{half}"' for half in supported)
    reason = (
        f"{listed} are shown by one session each: a second one for either, "
        "or a person's word, would make it active"
    )
    return Objection(NAME, "wait", reason)


def halves(remedy: str) -> list[str]:
    """The parts of a remedy that name something, as they can be held against sessions one by one."""
    parts = [part for part in _parts(remedy) if spans(part)]
    return parts if len(parts) > 1 else []


def _parts(remedy: str) -> Iterator[str]:
    codes: list[str] = []

    def hidden(match: re.Match[str]) -> str:
        codes.append(match[0])
        return _HIDDEN

    for part in _JOINT.split(SPAN.sub(hidden, remedy)):
        whole = part
        for _ in range(part.count(_HIDDEN)):
            whole = whole.replace(_HIDDEN, codes.pop(0), 1)
        yield whole.strip()


def _sessions(half: str, case: WrittenCase) -> frozenset[str]:
    """The sessions whose end shows this half by itself."""
    cited = cited_events(case.answer, case.problem, case.dossier)
    answer = replace(case.answer, remedy=half)
    lesson = lesson_of(answer, case.problem, cited)
    return frozenset(
        event.session
        for event in case.problem.events
        if lesson.stand(event) == "confirms"
    )
