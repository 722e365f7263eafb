"""Sessions walked again -> what would have been said at which moment, what it could have saved, and whether it fitted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from msgspec import Struct

from afterglow.harvest.writing.episode_words import calls_of
from afterglow.harvest.writing.lesson_names import lesson_names
from afterglow.harvest.writing.reading import Lesson
from afterglow.records.context import Hint
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event
from afterglow.records.profile_report import Rate
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


class _Spoken(Struct, frozen=True):
    """A hint, the failure it was about, and the lesson it told, where it was no state check's."""

    hint: Hint
    event: Event
    item: KnowledgeItem | None


def on_failure(sessions: Sequence[Replayed], budget: int) -> OnFailure:
    by_session = list(map(_spoken, sessions))
    spoken = list(chain.from_iterable(by_session))
    lessons = [(each.event, each.item) for each in spoken if each.item is not None]
    repeats = [_repeats(session, budget) for session in sessions]
    tokens = sum(each.hint.tokens for each in spoken)
    return OnFailure(
        at_hand=_share(repeats, {"start", "failure"}),
        hints=len(spoken),
        sessions=sum(map(bool, by_session)),
        explained=len(spoken) - len(lessons),
        once=sum(item.status == "candidate" for _, item in lessons),
        tokens=round(tokens / max(len(sessions), 1), 1),
        ended=_ended(lessons),
        moments=tuple(_moment(name, repeats) for name in TOLD),
    )


def _ended(lessons: Iterable[tuple[Event, KnowledgeItem]]) -> dict[Ended, int]:
    counts: dict[Ended, int] = dict.fromkeys(ENDED, 0)
    for event, item in lessons:
        counts[ended_how(event, item)] += 1
    return counts


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


def _spoken(session: Replayed) -> list[_Spoken]:
    """What was said; calls made at once that failed alike have one hint."""
    spoken: dict[Hint, _Spoken] = {}
    for place in session.failures:
        if place.hint is not None:
            said_once = _Spoken(place.hint, place.event, place.item)
            spoken.setdefault(place.hint, said_once)
    return list(spoken.values())


def _repeats(session: Replayed, budget: int) -> list[_Repeat]:
    by_line = {place.line: place for place in session.failures}
    return [
        _repeat(sight, by_line.get(sight.failure.line))
        for sight in session.sights[budget]
        if sight.repeated
    ]


def _repeat(sight: Sight, place: ReplayHint | None) -> _Repeat:
    calls = None
    if place is not None and place.event.remedy is not None:
        calls = place.event.calls - 1
    return _Repeat(_moment_of(sight, place), calls)


def _moment_of(sight: Sight, place: ReplayHint | None) -> Told:
    if sight.kind == "in view":
        return "start"
    if sight.kind != "unknown":
        is_known = True
    else:
        is_known = place is not None and place.has_lessons
    if place is not None and place.hint is not None:
        return "failure"
    return "silent" if is_known else "unknown"


def _moment(name: Told, repeats: Sequence[Sequence[_Repeat]]) -> MomentShare:
    calls: list[int] = []
    for repeat in chain.from_iterable(repeats):
        if repeat.moment == name and repeat.calls is not None:
            calls.append(repeat.calls)
    return MomentShare(
        name=name,
        repeats=_share(repeats, {name}),
        solved=len(calls),
        calls=sum(calls),
    )


def _share(repeats: Iterable[Sequence[_Repeat]], moments: Collection[Told]) -> Rate:
    """Of all repeats those that were told of first at one of these moments; sessions are counted as such."""
    pairs: list[Pair] = []
    for listed in repeats:
        counted = sum(repeat.moment in moments for repeat in listed)
        pairs.append((counted, len(listed)))
    return rate(pairs)
