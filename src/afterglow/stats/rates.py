"""Rates, differences and spreads over sessions, in closed form.

Calls of one session are alike, so a thousand calls of ten sessions are worth less than a thousand calls of a thousand.
How much less is the design effect: the variance between sessions (linearised ratio, each session's share of the calls
taken into account) over the variance that independent calls would have. A Wilson interval on the reduced sample
follows; few or very unequal sessions widen it through Student's t. A difference squares and adds the two intervals it
is made of, less what they have in common when they come from the same sessions (MOVER, Zou and Donner 2008).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from afterglow.records.profile_report import Difference, Effect, Rate, Spread
from afterglow.stats.intervals import Z, mean_and_half, middle_of, student, wilson

FEW_SESSIONS = 5  # fewer cannot speak for other sessions: the interval says too little of how they vary

Pair = tuple[int, int]  # of one session: how many counted, of how many
Pairs = (
    Iterable[Pair] | Counter[Pair]
)  # of many; or each kind of pair and how many sessions have it


def rate(pairs: Pairs) -> Rate:
    """The pooled share over sessions and its interval. Sessions with nothing to count are not counted."""
    alike = Counter(pairs)  # many have the same two numbers: each kind is reckoned once
    live = {pair: times for pair, times in alike.items() if pair[1]}
    sessions = sum(live.values())
    count, n = (
        sum(times * pair[which] for pair, times in live.items()) for which in (0, 1)
    )
    few = sessions < FEW_SESSIONS
    if not n:
        return Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0, few=few)
    value = count / n
    quantile = Z
    if not few:  # sessions of equal size that would say as much
        worth = n * n / sum(times * size * size for (_, size), times in live.items())
        quantile = student(max(worth, FEW_SESSIONS) - 1)
    low, high = wilson(value, n / design_effect(live), quantile)
    return Rate(
        value=value, low=low, high=high, count=count, n=n, sessions=sessions, few=few
    )


def mean_rate(shares: Sequence[float]) -> Rate:
    """The mean share of sessions, each counting once, whatever its size; `count` are those above zero."""
    n = len(shares)
    few = n < FEW_SESSIONS
    if n < 2:
        value = shares[0] if shares else None
        return Rate(value=value, low=0.0, high=1.0, count=0, n=n, sessions=n, few=few)
    mean, half = mean_and_half(shares)
    return Rate(
        value=mean,
        low=max(mean - half, 0.0),
        high=min(mean + half, 1.0),
        count=sum(share > 0 for share in shares),
        n=n,
        sessions=n,
        few=few,
    )


def rate_elsewhere(pairs: Pairs) -> Rate:
    """The same as a word about other sessions. How much those differ cannot be told from a few, nor from sessions that
    are all at one end, so each of these counts as a single call: many calls of one session say little about the next."""
    here = rate(pairs)
    is_at_an_end = here.count in (0, here.n)
    if here.value is None or not (here.few or is_at_an_end):
        return here
    low, high = wilson(here.value, here.sessions, Z)
    return replace(here, low=low, high=high)


def design_effect(alike: Mapping[Pair, int]) -> float:
    """How many calls of these sessions tell as much as one independent call: from 1 to all of them. `alike` says how
    many sessions have the same two numbers."""
    n = sum(times * size for (_, size), times in alike.items())
    value = sum(times * count for (count, _), times in alike.items()) / n
    independent = value * (1 - value) / n
    if not independent:
        return 1.0
    clustered = sum(
        times * _moved(count, size, value, n) ** 2
        for (count, size), times in alike.items()
    )
    return min(max(clustered / independent, 1.0), float(n))


def difference(
    effect: Effect, names: tuple[str, str], pairs: Iterable[tuple[Pair, Pair]]
) -> Difference:
    """`names[1]` minus `names[0]`. Each session gives two pairs; between sessions, one of them is (0, 0)."""
    both = Counter(pairs)
    first_pairs, second_pairs = Counter[Pair](), Counter[Pair]()
    for (first_pair, second_pair), times in both.items():
        first_pairs[first_pair] += times
        second_pairs[second_pair] += times
    first, second = rate(first_pairs), rate(second_pairs)
    value, low, high = _difference(first, second, both)
    return Difference(
        effect=effect,
        first_name=names[0],
        second_name=names[1],
        first=first,
        second=second,
        value=value,
        low=low,
        high=high,
        sessions=sum(times for pair, times in both.items() if pair[0][1] + pair[1][1]),
    )


def _difference(
    first: Rate, second: Rate, both: Mapping[tuple[Pair, Pair], int]
) -> tuple[float | None, float, float]:
    """The difference with its interval; nothing, and anything, where one of the two is not known."""
    if first.value is None or second.value is None:
        return None, -1.0, 1.0
    value = second.value - first.value
    # Two sessions are always perfectly alike: that is no ground to narrow an interval.
    few = first.few or second.few
    shared = 0.0 if few else _correlation(both, first, second)
    below = _apart(second.value - second.low, first.high - first.value, shared)
    above = _apart(second.high - second.value, first.value - first.low, shared)
    return value, value - below, value + above


def spread(values: Iterable[float]) -> Spread:
    """Median and 90th percentile (nearest rank: numbers that occurred)."""
    ordered = sorted(values)
    n = len(ordered)
    if not n:
        return Spread(n=0, total=0, median=None, p90=None, largest=None)
    return Spread(
        n=n,
        total=sum(ordered),
        median=middle_of(ordered),
        p90=ordered[math.ceil(0.9 * n) - 1],
        largest=ordered[-1],
    )


def _moved(count: int, size: int, value: float, n: int) -> float:
    """How far a session moves the pooled share, made up for the share of it that the session itself is."""
    return (count - value * size) / n / math.sqrt(1 - size / n) if size < n else 0.0


def _correlation(
    both: Mapping[tuple[Pair, Pair], int], first: Rate, second: Rate
) -> float:
    """How alike the same sessions move the two shares."""
    product = first_square = second_square = 0.0
    for (first_pair, second_pair), times in both.items():
        u = _moved(*first_pair, first.value or 0.0, first.n)
        v = _moved(*second_pair, second.value or 0.0, second.n)
        product += times * u * v
        first_square += times * u * u
        second_square += times * v * v
    if not first_square or not second_square:
        return 0.0
    return product / math.sqrt(first_square * second_square)


def _apart(first: float, second: float, shared: float) -> float:
    square = first * first + second * second - 2 * shared * first * second
    return math.sqrt(max(square, 0.0))
