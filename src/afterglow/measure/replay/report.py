"""Sessions walked again -> the report: shares with intervals, by budget, week and repository; and what was missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from afterglow.measure.replay.calibration import calibration
from afterglow.measure.replay.in_view import wrong
from afterglow.measure.replay.value import by_group, by_item
from afterglow.records.context import Why
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.replay import (
    KINDS,
    Kind,
    Miss,
    Placebo,
    Point,
    Replayed,
    ReplayReport,
    Sight,
    Slice,
)
from afterglow.stats.rates import Pair, difference, rate, spread
from afterglow.text.numbers import day, week

MISSES = 15
NO_REPO = "(no repository)"
NOTES = (
    "In view: an item that tells of this error stood, with a remedy, in the context the session would have started "
    "with. Whether the agent would have heeded it is another question: an experiment answers it.",
    "A repeat is an error (the same tool, the same fingerprint) that a session of the same repository had which ended "
    "before this one started. Errors alike in one turn count once; a failure a pipe hid counts.",
    "Harm: a remedy was in view, and a later session or this one contradicts it, a newer item replaced it, or it had "
    "been tried and the same error came nevertheless.",
    "The placebo gives each session the lessons of another repository, known in the end, in a context no longer than "
    "its own; what is about the agent's tools is left out of it, as it is true here too.",
    "An item's situation came when its error occurred, or when the session gave rise to the same finding by itself. An "
    "item held when its error came and the session, not knowing it, found the same remedy; a session that gave up or "
    "went another way counts against it, so the true share is higher.",
)

Chosen = Callable[[Sight], bool]


def report(
    sessions: Sequence[Replayed],
    items: Mapping[str, KnowledgeItem],
    *,
    budget: int,
    placebo: Placebo,
    given: str = "own",
    selection: Mapping[str, str] | None = None,
    left_out: Mapping[str, int] | None = None,
    simulated: bool = False,
) -> ReplayReport:
    """`items` are those that may have been shown, as they are known in the end; `given` says whose knowledge it was."""
    sights = [sight for session in sessions for sight in session.sights[budget]]
    best, idle = by_item(sessions, budget, items)
    days = [day(session.start) for session in sessions]
    return ReplayReport(
        budget=budget,
        given=given,
        sessions=len(sessions),
        repos=len({session.repo for session in sessions}),
        first_day=min(days, default=""),
        last_day=max(days, default=""),
        selection=dict(selection or {}),
        left_out=dict(left_out or {}),
        simulated=simulated,
        calls=sum(session.lived.calls for session in sessions),
        errors=len(sights),
        blocked=sum(session.lived.blocked for session in sessions),
        cancelled=sum(session.lived.cancelled for session in sessions),
        mute=sum(session.lived.mute for session in sessions),
        first=rate(
            _pairs(sessions, budget, lambda one: True, lambda one: one.kind == "first")
        ),
        shares={
            kind: rate(_pairs(sessions, budget, _repeated, _is(kind)))
            for kind in KINDS[1:]
        },
        not_shown=_whys(sights),
        apart_from_work=rate(
            _pairs(
                sessions,
                budget,
                lambda one: one.repeated and not one.failure.work,
                _is("in view"),
            )
        ),
        foreseen=rate(_pairs(sessions, budget, lambda one: one.kind == "first", _told)),
        tokens=spread(session.given[budget].tokens for session in sessions),
        items=spread(len(session.given[budget].items) for session in sessions),
        empty=sum(not session.given[budget].items for session in sessions),
        curve=tuple(_point(sessions, size) for size in sorted(sessions[0].given))
        if sessions
        else (),
        placebo=placebo,
        weeks=_slices(sessions, budget, lambda session: week(session.start)),
        trend=difference(
            "between sessions",
            ("earlier half", "later half"),
            _halves(sessions, budget),
        ),
        by_repo=tuple(
            sorted(
                _slices(sessions, budget, lambda session: session.repo or NO_REPO),
                key=lambda one: -one.repeats,
            )
        ),
        conventions=_slice(
            "the agent's own tools", sessions, budget, lambda one: one.wide
        ),
        lessons=_slice("this repository", sessions, budget, lambda one: not one.wide),
        by_category=by_group(sessions, budget, items, lambda item: item.category),
        by_miner=by_group(sessions, budget, items, lambda item: item.miner),
        best=best,
        idle=idle,
        outdated=rate(_outdated(sessions, budget, items)),
        calibration=calibration([session.meetings for session in sessions]),
        misses=_misses(sessions, budget),
        notes=NOTES,
    )


def in_view(sessions: Iterable[Replayed], budget: int) -> list[Pair]:
    """Of each session: repeats with a remedy in view, of all repeats."""
    return _pairs(sessions, budget, _repeated, _is("in view"))


def _pairs(
    sessions: Iterable[Replayed], budget: int, of: Chosen, wanted: Chosen
) -> list[Pair]:
    found = []
    for session in sessions:
        some = [sight for sight in session.sights[budget] if of(sight)]
        found.append((sum(map(wanted, some)), len(some)))
    return found


def _repeated(one: Sight) -> bool:
    return one.repeated


def _is(kind: Kind) -> Chosen:
    return lambda one: one.kind == kind


def _told(one: Sight) -> bool:
    return any(item.remedy for item in one.items)


def _whys(sights: Iterable[Sight]) -> dict[Why, int]:
    return dict(Counter(sight.why for sight in sights if sight.why).most_common())


def _point(sessions: Sequence[Replayed], budget: int) -> Point:
    given = [session.given[budget] for session in sessions]
    return Point(
        budget=budget,
        in_view=rate(in_view(sessions, budget)),
        tokens=round(sum(one.tokens for one in given) / len(given), 1),
        items=round(sum(len(one.items) for one in given) / len(given), 1),
    )


def _slices(
    sessions: Sequence[Replayed], budget: int, name: Callable[[Replayed], str]
) -> tuple[Slice, ...]:
    groups: dict[str, list[Replayed]] = defaultdict(list)
    for session in sessions:
        groups[name(session)].append(session)
    return tuple(
        _slice(group, some, budget, lambda one: True)
        for group, some in sorted(groups.items())
    )


def _slice(name: str, sessions: Sequence[Replayed], budget: int, of: Chosen) -> Slice:
    seen = rate(
        _pairs(sessions, budget, lambda one: of(one) and one.repeated, _is("in view"))
    )
    return Slice(
        name=name,
        sessions=len(sessions),
        errors=sum(
            of(sight) for session in sessions for sight in session.sights[budget]
        ),
        repeats=seen.n,
        in_view=seen,
        known=round(sum(session.known for session in sessions) / len(sessions), 1)
        if sessions
        else 0.0,
    )


def _halves(sessions: Sequence[Replayed], budget: int) -> list[tuple[Pair, Pair]]:
    """Sessions in time order, cut in two: each has its pair in one half and nothing in the other."""
    pairs = in_view(
        sorted(sessions, key=lambda session: (session.start, session.id)), budget
    )
    return [
        (pair, (0, 0)) if at < len(pairs) // 2 else ((0, 0), pair)
        for at, pair in enumerate(pairs)
    ]


def _outdated(
    sessions: Sequence[Replayed], budget: int, items: Mapping[str, KnowledgeItem]
) -> list[Pair]:
    gone = {id for id, item in items.items() if wrong(item, items, ())}
    return [
        (
            len(gone & session.given[budget].items.keys()),
            len(session.given[budget].items),
        )
        for session in sessions
    ]


def _misses(sessions: Sequence[Replayed], budget: int) -> tuple[Miss, ...]:
    """The repeats that had no good remedy in view, the most frequent first."""
    times: Counter[tuple[Kind, str, str, str, str]] = Counter()
    within: dict[tuple[Kind, str, str, str, str], set[str]] = defaultdict(set)
    for session in sessions:
        for one in session.sights[budget]:
            if one.repeated and one.kind != "in view":
                why = one.why or (one.detail if one.kind == "harm" else "")
                name = (
                    one.kind,
                    why,
                    one.failure.tool,
                    one.failure.program,
                    one.failure.fingerprint,
                )
                times[name] += 1
                within[name].add(session.id)
    ordered = sorted(
        times.items(), key=lambda found: (found[0][0] != "harm", -found[1], found[0])
    )
    return tuple(
        Miss(
            kind=name[0], why=name[1], tool=name[2], program=name[3], fingerprint=name[4], times=number,
            sessions=len(within[name]),
        )
        for name, number in ordered[:MISSES]
    )  # fmt: skip
