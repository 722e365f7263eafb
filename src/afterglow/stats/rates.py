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
from collections.abc import Iterable, Mapping
from statistics import NormalDist

from afterglow.records.profile_report import Difference, Effect, Rate, Spread

FEW_SESSIONS = 5
Z = NormalDist().inv_cdf(0.975)

Pair = tuple[int, int]  # of one session: how many counted, of how many
Pairs = (
    Iterable[Pair] | Counter[Pair]
)  # of many; or each kind of pair and how many sessions have it


def rate(pairs: Pairs) -> Rate:
    """The pooled share over sessions and its interval. Sessions with nothing to count are not counted."""
    alike = Counter(
        pairs
    )  # many sessions have the same two numbers: each kind is reckoned once
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
    low, high = wilson(value, n / _design_effect(live), quantile)
    return Rate(
        value=value, low=low, high=high, count=count, n=n, sessions=sessions, few=few
    )


def design_effect(pairs: Iterable[Pair]) -> float:
    """How many calls of these sessions tell as much as one independent call: from 1 to all of them."""
    return _design_effect(Counter(pairs))


def _design_effect(alike: Mapping[Pair, int]) -> float:
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


def wilson(value: float, n: float, quantile: float = Z) -> tuple[float, float]:
    """Wilson's score interval; `n` may be an effective sample size."""
    square = quantile * quantile / n
    middle = (value + square / 2) / (1 + square)
    half = (
        quantile / (1 + square) * math.sqrt(value * (1 - value) / n + square / (4 * n))
    )
    return max(middle - half, 0.0) if value else 0.0, min(
        middle + half, 1.0
    ) if value < 1 else 1.0


def student(freedom: float) -> float:
    """The 97.5 % point of Student's t by its expansion around the normal; right to 0.01 from 4 degrees on."""
    z = Z
    return (
        z
        + (z**3 + z) / 4 / freedom
        + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / freedom**2
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / freedom**3
    )


def difference(
    effect: Effect, names: tuple[str, str], pairs: Iterable[tuple[Pair, Pair]]
) -> Difference:
    """`names[1]` minus `names[0]`. Each session gives two pairs; between sessions, one of them is (0, 0)."""
    both = Counter(pairs)
    ones, others = Counter[Pair](), Counter[Pair]()
    for (one, other), times in both.items():
        ones[one] += times
        others[other] += times
    first, second = rate(ones), rate(others)
    value, low, high = None, -1.0, 1.0
    if first.value is not None and second.value is not None:
        value = second.value - first.value
        few = (
            first.few or second.few
        )  # two sessions are always perfectly alike: no ground to narrow an interval
        shared = 0.0 if few else _correlation(both, first, second)
        low = value - _apart(
            second.value - second.low, first.high - first.value, shared
        )
        high = value + _apart(
            second.high - second.value, first.value - first.low, shared
        )
    return Difference(
        effect=effect,
        first_name=names[0],
        second_name=names[1],
        first=first,
        second=second,
        value=value,
        low=low,
        high=high,
        sessions=sum(
            times for (one, other), times in both.items() if one[1] + other[1]
        ),
    )


def spread(values: Iterable[float]) -> Spread:
    """Median and 90th percentile (nearest rank: numbers that occurred)."""
    ordered = sorted(values)
    n = len(ordered)
    if not n:
        return Spread(n=0, total=0, median=None, p90=None, largest=None)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    return Spread(
        n=n,
        total=sum(ordered),
        median=median,
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
    product = ones = others = 0.0
    for (one, other), times in both.items():
        u = _moved(*one, first.value or 0.0, first.n)
        v = _moved(*other, second.value or 0.0, second.n)
        product, ones, others = (
            product + times * u * v,
            ones + times * u * u,
            others + times * v * v,
        )
    return product / math.sqrt(ones * others) if ones and others else 0.0


def _apart(one: float, other: float, shared: float) -> float:
    return math.sqrt(max(one * one + other * other - 2 * shared * one * other, 0.0))
