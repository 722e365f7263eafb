"""Sessions walked again -> the report: shares with intervals, by budget, week and repository; and what was missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from afterglow.measure.replay.calibration import calibration
from afterglow.measure.replay.in_view import wrong
from afterglow.measure.replay.moments import on_failure
from afterglow.measure.replay.value import by_group, by_item
from afterglow.records.context import Why
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.profile_report import Rate
from afterglow.records.replay import (
    KINDS,
    Kind,
    Lived,
    Miss,
    Placebo,
    Point,
    Replayed,
    ReplayReport,
    Sight,
    Slice,
    Written,
)
from afterglow.stats.rates import Pair, difference, rate, spread
from afterglow.text.numbers import day, week

MAX_MISSES = 15  # a page of them
NO_REPO = "(no repository)"
NO_WRITTEN = Written()
NOTES = (
    "In view: an item that tells of this error stood, with a remedy, in the context the session would have started "
    "with. Whether the agent would have heeded it is another question: an experiment answers it.",
    "At hand: the remedy was in view at the start, or a line about this very failure would have been said right after "
    "it, at most once a problem and session; nothing is said where it is not sure, or where the error says it itself.",
    "Calls until solved are those behind the failed one until its goal was reached, where that was seen: what the right "
    "line could have saved at most. A line at the start could have saved the failed call too.",
    "How failures with a line ended is read from what the session did, which had not heard it. What ended otherwise, or "
    "by editing files, may have been something else: false speaking is at most that.",
    "What writers wrote about problems counts from the end of the first session that showed its remedy. The writer had "
    "read all of the history: the words may profit from hindsight, the time of knowing does not.",
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
    written: Written = NO_WRITTEN,
    selection: Mapping[str, str] | None = None,
    left_out: Mapping[str, int] | None = None,
    simulated: bool = False,
) -> ReplayReport:
    """`items` are those that may have been shown, as they are known in the end; `given` says whose knowledge it was."""
    sights = [sight for session in sessions for sight in session.sights[budget]]
    best, idle = by_item(sessions, budget, items)
    days = [day(session.start) for session in sessions]
    lived = _lived_together(sessions)
    contexts = [session.given[budget] for session in sessions]
    budgets = sorted(sessions[0].given) if sessions else []
    by_repo = _slices(sessions, budget, _repo_of)
    earlier_and_later = ("earlier half", "later half")

    def share(of: Chosen, counted: Chosen) -> Rate:
        return rate(_pairs(sessions, budget, of, counted))

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
        calls=lived.calls,
        errors=len(sights),
        blocked=lived.blocked,
        cancelled=lived.cancelled,
        mute=lived.mute,
        first=share(_every, _is("first")),
        shares={kind: share(_repeated, _is(kind)) for kind in KINDS[1:]},
        not_shown=_whys(sights),
        apart_from_work=share(_repeated_apart_from_work, _is("in view")),
        on_failure=on_failure(sessions, budget),
        written=written,
        foreseen=share(_is("first"), _has_remedy),
        tokens=spread(context.tokens for context in contexts),
        items=spread(len(context.items) for context in contexts),
        empty=sum(not context.items for context in contexts),
        curve=tuple(_point(sessions, size) for size in budgets),
        placebo=placebo,
        weeks=_slices(sessions, budget, _week_of),
        trend=difference(
            "between sessions", earlier_and_later, _halves(sessions, budget)
        ),
        by_repo=tuple(sorted(by_repo, key=lambda part: -part.repeats)),
        conventions=_slice("the agent's own tools", sessions, budget, _is_wide),
        lessons=_slice("this repository", sessions, budget, _is_narrow),
        by_category=by_group(sessions, budget, items, lambda item: item.category),
        by_miner=by_group(sessions, budget, items, lambda item: item.miner),
        best=best,
        idle=idle,
        outdated=rate(_outdated(sessions, budget, items)),
        calibration=calibration([session.meetings for session in sessions]),
        misses=_misses(sessions, budget),
        notes=NOTES,
    )


def _lived_together(sessions: Sequence[Replayed]) -> Lived:
    """What all of them went through, in numbers."""
    calls = blocked = cancelled = mute = 0
    for session in sessions:
        calls += session.lived.calls
        blocked += session.lived.blocked
        cancelled += session.lived.cancelled
        mute += session.lived.mute
    return Lived(calls=calls, blocked=blocked, cancelled=cancelled, mute=mute)


def _repo_of(session: Replayed) -> str:
    return session.repo or NO_REPO


def _week_of(session: Replayed) -> str:
    return week(session.start)


def in_view(sessions: Iterable[Replayed], budget: int) -> list[Pair]:
    """Of each session: repeats with a remedy in view, of all repeats."""
    return _pairs(sessions, budget, _repeated, _is("in view"))


def _pairs(
    sessions: Iterable[Replayed], budget: int, of: Chosen, counted: Chosen
) -> list[Pair]:
    pairs = []
    for session in sessions:
        sights = [sight for sight in session.sights[budget] if of(sight)]
        pairs.append((sum(map(counted, sights)), len(sights)))
    return pairs


def _every(sight: Sight) -> bool:
    return True


def _repeated(sight: Sight) -> bool:
    return sight.repeated


def _repeated_apart_from_work(sight: Sight) -> bool:
    return sight.repeated and not sight.failure.work


def _is(kind: Kind) -> Chosen:
    return lambda sight: sight.kind == kind


def _is_wide(sight: Sight) -> bool:
    return sight.wide


def _is_narrow(sight: Sight) -> bool:
    return not sight.wide


def _has_remedy(sight: Sight) -> bool:
    return any(item.remedy for item in sight.items)


def _whys(sights: Iterable[Sight]) -> dict[Why, int]:
    return dict(Counter(sight.why for sight in sights if sight.why).most_common())


def _point(sessions: Sequence[Replayed], budget: int) -> Point:
    contexts = [session.given[budget] for session in sessions]
    return Point(
        budget=budget,
        in_view=rate(in_view(sessions, budget)),
        tokens=round(sum(context.tokens for context in contexts) / len(contexts), 1),
        items=round(sum(len(context.items) for context in contexts) / len(contexts), 1),
    )


def _slices(
    sessions: Sequence[Replayed], budget: int, name: Callable[[Replayed], str]
) -> tuple[Slice, ...]:
    groups: dict[str, list[Replayed]] = defaultdict(list)
    for session in sessions:
        groups[name(session)].append(session)
    return tuple(
        _slice(group, members, budget, _every)
        for group, members in sorted(groups.items())
    )


def _slice(name: str, sessions: Sequence[Replayed], budget: int, of: Chosen) -> Slice:
    errors = known_items = 0
    pairs: list[Pair] = []
    for session in sessions:
        sights = [sight for sight in session.sights[budget] if of(sight)]
        kinds = [sight.kind for sight in sights if sight.repeated]
        pairs.append((kinds.count("in view"), len(kinds)))
        errors += len(sights)
        known_items += session.known
    in_view_rate = rate(pairs)
    return Slice(
        name=name,
        sessions=len(sessions),
        errors=errors,
        repeats=in_view_rate.n,
        in_view=in_view_rate,
        known=round(known_items / max(len(sessions), 1), 1),
    )


def _halves(sessions: Sequence[Replayed], budget: int) -> list[tuple[Pair, Pair]]:
    """Sessions in time order, cut in two: each has its pair in one half and nothing in the other."""
    in_order = sorted(sessions, key=lambda session: (session.start, session.id))
    pairs = in_view(in_order, budget)
    middle = len(pairs) // 2
    earlier: list[tuple[Pair, Pair]] = [(pair, (0, 0)) for pair in pairs[:middle]]
    later: list[tuple[Pair, Pair]] = [((0, 0), pair) for pair in pairs[middle:]]
    return earlier + later


def _outdated(
    sessions: Sequence[Replayed], budget: int, items: Mapping[str, KnowledgeItem]
) -> list[Pair]:
    outdated = {id for id, item in items.items() if wrong(item, items, ())}
    pairs: list[Pair] = []
    for session in sessions:
        context_items = session.given[budget].items.keys()
        pairs.append((len(outdated & context_items), len(context_items)))
    return pairs


def _misses(sessions: Sequence[Replayed], budget: int) -> tuple[Miss, ...]:
    """The repeats that had no good remedy in view, the most frequent first."""
    within: dict[tuple[Kind, str, str, str, str], list[str]] = defaultdict(list)
    for session in sessions:
        for sight in session.sights[budget]:
            if sight.repeated and sight.kind != "in view":
                within[_miss_name(sight)].append(session.id)
    misses: list[Miss] = []
    for (kind, why, tool, program, fingerprint), ids in sorted(within.items()):
        miss = Miss(
            kind=kind,
            why=why,
            tool=tool,
            program=program,
            fingerprint=fingerprint,
            times=len(ids),
            sessions=len(set(ids)),
        )
        misses.append(miss)
    misses.sort(key=lambda miss: (miss.kind != "harm", -miss.times))
    return tuple(misses[:MAX_MISSES])


def _miss_name(sight: Sight) -> tuple[Kind, str, str, str, str]:
    """What makes two misses the same."""
    why: str = sight.why or ""
    if not why and sight.kind == "harm":
        why = sight.detail
    failure = sight.failure
    return sight.kind, why, failure.tool, failure.program, failure.fingerprint
