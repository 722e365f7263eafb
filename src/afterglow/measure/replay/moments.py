"""Sessions walked again -> what would have been said at which moment, what it could have saved, and whether it fitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from afterglow.harvest.writing.lesson_names import lesson_names
from afterglow.harvest.writing.reading import Lesson, calls_of
from afterglow.records.context import Hint
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event
from afterglow.records.replay import (
    ENDED,
    TOLD,
    Ended,
    MomentShare,
    OnFailure,
    Replayed,
    ReplayHint,
    Sight,
    Told,
)
from afterglow.records.tools import is_shell
from afterglow.stats.rates import Pair, rate


class _Repeat(Struct, frozen=True):
    """A repeated error: where its remedy was told first, and the calls until it was solved, if that was seen."""

    moment: Told
    calls: int | None


def on_failure(sessions: Sequence[Replayed], budget: int) -> OnFailure:
    hinted = [_told_once(session) for session in sessions]
    places = [place for session_places in hinted for place in session_places]
    hints = [place.hint for place in places if place.hint is not None]
    repeats = [_repeats(session, budget) for session in sessions]
    ended = Counter(
        ended_how(place.event, item) for place in places if (item := place.item)
    )
    return OnFailure(
        at_hand=rate([_pair(listed, ("start", "failure")) for listed in repeats]),
        hints=len(hints),
        sessions=sum(map(bool, hinted)),
        explained=sum(not hint.item for hint in hints),
        once=sum(map(_is_of_one_witness, places)),
        tokens=round(sum(hint.tokens for hint in hints) / max(len(sessions), 1), 1),
        ended={how: ended[how] for how in ENDED},
        moments=tuple(_moment(name, repeats) for name in TOLD),
    )


def ended_how(event: Event, item: KnowledgeItem) -> Ended:
    """How a failure ended in a session that had not heard the lesson."""
    names = lesson_names(item.situation, item.remedy, calls_of([event]))
    stand = Lesson(names).stand(event)
    if stand == "confirms":
        return "as told"
    if _is_ended_by_edits(event):
        return "by edits"
    is_otherwise = stand != "silent" or event.remedy is not None
    return "otherwise" if is_otherwise else "open"


def _is_ended_by_edits(event: Event) -> bool:
    """The same call passed when files had been edited, and nothing else was changed."""
    if event.remedy is None or not event.remedy.again:
        return False
    changes = [call for call in event.tried if call.worked and call.changes]
    return bool(changes) and not any(is_shell(call.tool) for call in changes)


def _told_once(session: Replayed) -> list[ReplayHint]:
    """The failures with a hint; calls made at once that failed alike have one."""
    places: dict[Hint, ReplayHint] = {}
    for place in session.failures:
        if place.hint is not None:
            places.setdefault(place.hint, place)
    return list(places.values())


def _is_of_one_witness(place: ReplayHint) -> bool:
    return place.item is not None and place.item.status == "candidate"


def _repeats(session: Replayed, budget: int) -> list[_Repeat]:
    by_line = {place.line: place for place in session.failures}
    return [
        _repeat(sight, by_line.get(sight.failure.line))
        for sight in session.sights[budget]
        if sight.repeated
    ]


def _repeat(sight: Sight, place: ReplayHint | None) -> _Repeat:
    is_solved = place is not None and place.event.remedy is not None
    calls = place.event.calls - 1 if place is not None and is_solved else None
    return _Repeat(_told(sight, place), calls)


def _told(sight: Sight, place: ReplayHint | None) -> Told:
    if sight.kind == "in view":
        return "start"
    if place is not None and place.hint is not None:
        return "failure"
    is_known = sight.kind != "unknown" or (place is not None and place.has_lessons)
    return "silent" if is_known else "unknown"


def _moment(name: Told, repeats: Sequence[Sequence[_Repeat]]) -> MomentShare:
    calls = [
        repeat.calls
        for listed in repeats
        for repeat in listed
        if repeat.moment == name and repeat.calls is not None
    ]
    return MomentShare(
        name=name,
        repeats=rate([_pair(listed, (name,)) for listed in repeats]),
        solved=len(calls),
        calls=sum(calls),
    )


def _pair(repeats: Sequence[_Repeat], names: Iterable[Told]) -> Pair:
    counted = set(names)
    return sum(repeat.moment in counted for repeat in repeats), len(repeats)
