"""Numbers with their intervals, for readings: shares, means, medians, how they went week by week."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from afterglow.records.profile_report import Rate
from afterglow.records.reading import Glance, Shift, Week
from afterglow.stats.rates import Pair, Pairs, Z, rate, student
from afterglow.text.numbers import count, week

DAY = 86400.0
WEEK = 7 * DAY
MONDAY = 4 * DAY  # the first Monday of 1970
RECENT = 4  # weeks that are set against those before them


def share(pairs: Pairs) -> dict[str, Any]:
    """`value`, `low`, `high`, `n` of a pooled share; a cluster is whatever one pair stands for."""
    return fields(rate(pairs))


def fields(found: Rate) -> dict[str, Any]:
    if found.value is None:
        return {"value": None, "n": 0}
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def mean(values: Sequence[float]) -> dict[str, Any]:
    """The mean of counts, which cannot fall below zero; one value has no interval."""
    n = len(values)
    if not n:
        return {"value": None, "n": 0}
    middle = math.fsum(values) / n
    if n == 1:
        return {"value": middle, "n": 1}
    spread = math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (n - 1))
    half = (student(n - 1) if n > 4 else 2 * Z) * spread / math.sqrt(n)
    return {
        "value": middle,
        "low": max(middle - half, 0.0),
        "high": middle + half,
        "n": n,
    }


def median(values: Iterable[float]) -> dict[str, Any]:
    """The middle value; its interval are the two values that hold it with 95 % whatever the distribution."""
    ordered = sorted(values)
    n = len(ordered)
    if not n:
        return {"value": None, "n": 0}
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    reach = Z * math.sqrt(n) / 2
    low, high = max(math.floor(n / 2 - reach), 0), min(math.ceil(n / 2 + reach), n - 1)
    return {"value": middle, "low": ordered[low], "high": ordered[high], "n": n}


def weeks(sessions: Sequence[Glance]) -> dict[int | None, Sequence[Glance]]:
    """Sessions in time order by the number of the week they started in; None for those without a time."""
    starts = [-math.inf if one.start is None else one.start for one in sessions]
    at = bisect_right(starts, -math.inf)
    found: dict[int | None, Sequence[Glance]] = {None: sessions[:at]} if at else {}
    while at < len(sessions):
        number = week_of(starts[at])
        end = bisect_left(starts, (number + 1) * WEEK + MONDAY, at)
        found[number] = sessions[at:end]
        at = end
    return found


def weekly(pairs: Mapping[int | None, Iterable[Pair]]) -> dict[str, Any]:
    """A share over all, week by week, and the last weeks against those before. Sessions without a time are in the first
    only; weeks without anything to count are left out."""
    counted = {number: Counter(some) for number, some in pairs.items()}
    rates = {
        number: rate(counted[number])
        for number in sorted(one for one in counted if one is not None)
    }
    known = [number for number, found in rates.items() if found.value is not None]
    recent = min(RECENT, len(known) // 2)
    moved = None
    if recent:
        before, after = (
            rate(_together(counted[one] for one in some))
            for some in (known[:-recent], known[-recent:])
        )
        moved = shift(
            before,
            after,
            f"last {count(recent, 'week')} against the {len(known) - recent} before",
        )
    points = tuple(
        Week(name_of(number), found.value, found.low, found.high, found.n)
        for number, found in rates.items()
        if found.value is not None
    )
    return {**share(_together(counted.values())), "weeks": points, "shift": moved}


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
