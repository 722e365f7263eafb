"""Numbers with their intervals, for readings: shares, means, medians, how they went week by week."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from afterglow.records.profile_report import Rate
from afterglow.records.reading import Glance, Shift, Week
from afterglow.stats.intervals import Z, mean_and_half, middle_of
from afterglow.stats.rates import Pair, Pairs, rate
from afterglow.text.numbers import count, week

DAY = 86400.0
WEEK = 7 * DAY
MONDAY = 4 * DAY  # the first Monday of 1970
RECENT_WEEKS = 4  # set against those before them: about a month


def share(pairs: Pairs) -> dict[str, Any]:
    """`value`, `low`, `high`, `n` of a pooled share; a cluster is whatever one pair stands for."""
    return fields(rate(pairs))


def fields(estimate: Rate) -> dict[str, Any]:
    if estimate.value is None:
        return {"value": None, "n": 0}
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }


def mean(values: Sequence[float]) -> dict[str, Any]:
    """The mean of counts, which cannot fall below zero; one value has no interval."""
    n = len(values)
    if n < 2:
        return {"value": values[0] if values else None, "n": n}
    middle, half = mean_and_half(values)
    low = max(middle - half, 0.0)
    return {"value": middle, "low": low, "high": middle + half, "n": n}


def median(values: Iterable[float]) -> dict[str, Any]:
    """The middle value; its interval are the two values that hold it with 95 % whatever the distribution."""
    ordered = sorted(values)
    n = len(ordered)
    if not n:
        return {"value": None, "n": 0}
    reach = Z * math.sqrt(n) / 2
    low, high = max(math.floor(n / 2 - reach), 0), min(math.ceil(n / 2 + reach), n - 1)
    return {
        "value": middle_of(ordered),
        "low": ordered[low],
        "high": ordered[high],
        "n": n,
    }


def weeks(sessions: Sequence[Glance]) -> dict[int | None, Sequence[Glance]]:
    """Sessions in time order by the number of the week they started in; None for those without a time."""
    starts = [
        -math.inf if session.start is None else session.start for session in sessions
    ]
    at = bisect_right(starts, -math.inf)
    by_week: dict[int | None, Sequence[Glance]] = {None: sessions[:at]} if at else {}
    while at < len(sessions):
        number = week_of(starts[at])
        end = bisect_left(starts, (number + 1) * WEEK + MONDAY, at)
        by_week[number] = sessions[at:end]
        at = end
    return by_week


def weekly(pairs: Mapping[int | None, Iterable[Pair]]) -> dict[str, Any]:
    """A share over all, week by week, and the last weeks against those before. Sessions without a time are in the first
    only; weeks without anything to count are left out."""
    counted = {number: Counter(week_pairs) for number, week_pairs in pairs.items()}
    points: list[Week] = []
    filled: list[Counter[Pair]] = []
    for number in sorted(number for number in counted if number is not None):
        estimate = rate(counted[number])
        if estimate.n:
            filled.append(counted[number])
        if estimate.value is None:
            continue
        points.append(
            Week(
                name_of(number),
                estimate.value,
                estimate.low,
                estimate.high,
                estimate.n,
            )
        )
    overall = share(_together(counted.values()))
    return {**overall, "weeks": tuple(points), "shift": _recent_shift(filled)}


def _recent_shift(by_week: Sequence[Counter[Pair]]) -> Shift | None:
    """The last weeks against those before them, of weeks in which something was counted."""
    recent = min(RECENT_WEEKS, len(by_week) // 2)
    if not recent:
        return None
    before, after = (
        rate(_together(by_week[:-recent])),
        rate(_together(by_week[-recent:])),
    )
    weeks_before = len(by_week) - recent
    return shift(
        before, after, f"last {count(recent, 'week')} against the {weeks_before} before"
    )


def _together(counters: Iterable[Counter[Pair]]) -> Counter[Pair]:
    return sum(counters, start=Counter[Pair]())


def shift(before: Rate, after: Rate, words: str) -> Shift | None:
    """The difference of two shares of different sessions."""
    if before.value is None or after.value is None:
        return None
    value = after.value - before.value
    low = value - math.hypot(after.value - after.low, before.high - before.value)
    return Shift(
        value,
        low,
        value + math.hypot(after.high - after.value, before.value - before.low),
        words,
    )


def week_of(time: float) -> int:
    """How many weeks since the first Monday."""
    return int((time - MONDAY) // WEEK)


def name_of(number: int) -> str:
    """The ISO week of that number, `2026-W07`."""
    return week(number * WEEK + MONDAY)
