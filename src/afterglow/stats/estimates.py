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


def weekly(pairs: Mapping[int | None, Iterable[tuple[str, Pair]]]) -> dict[str, Any]:
    """A share over all, week by week, and the last weeks against those before; each pair comes with its repository.
    Sessions without a time are in the first only; weeks without anything to count are left out."""
    counted = {number: _by_repo(week_pairs) for number, week_pairs in pairs.items()}
    points: list[Week] = []
    filled: list[_ByRepo] = []
    for number in sorted(number for number in counted if number is not None):
        estimate = rate(_together(counted[number].values()))
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
    repos = [counter for by_repo in counted.values() for counter in by_repo.values()]
    recent, reason = _recent_shift(filled)
    return {
        **share(_together(repos)),
        "weeks": tuple(points),
        "shift": recent,
        "no_shift": reason,
    }


_ByRepo = Mapping[str, Counter[Pair]]


def _by_repo(pairs: Iterable[tuple[str, Pair]]) -> dict[str, Counter[Pair]]:
    counted: dict[str, Counter[Pair]] = {}
    for repo, pair in pairs:
        counted.setdefault(repo, Counter())[pair] += 1
    return counted


def _recent_shift(by_week: Sequence[_ByRepo]) -> tuple[Shift | None, str]:
    """The last weeks against those before them, of weeks in which something was counted; or why that cannot be told.
    Each repository is compared with itself: other work would look like a trend."""
    recent = min(RECENT_WEEKS, len(by_week) // 2)
    if not recent:
        return None, ""
    repos = {repo for week_counts in by_week for repo in week_counts}
    differences = []
    for repo in repos:
        weeks_of_repo = [counts.get(repo, Counter()) for counts in by_week]
        before = rate(_together(weeks_of_repo[:-recent]))
        after = rate(_together(weeks_of_repo[-recent:]))
        difference = shift(before, after, "")
        if difference is not None:
            differences.append((after.n, difference))
    if not differences:
        return None, "the last weeks are of other repositories than those before"
    words = f"last {count(recent, 'week')} against the {len(by_week) - recent} before"
    if len(repos) > 1:
        words += f", within {count(len(differences), 'repository', 'repositories')}"
    return _pooled(differences, words), ""


def _pooled(differences: Sequence[tuple[int, Shift]], words: str) -> Shift:
    """Differences of repositories, each as heavy as what was counted in it lately."""
    whole = sum(n for n, _ in differences)
    value = sum(n / whole * each.value for n, each in differences)
    below = (n / whole * (each.value - each.low) for n, each in differences)
    above = (n / whole * (each.high - each.value) for n, each in differences)
    return Shift(value, value - math.hypot(*below), value + math.hypot(*above), words)


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
