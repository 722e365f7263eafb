"""Whether sessions that were told about a problem solved it in fewer calls than sessions that were not. Pure.

Problems differ, so each is compared with itself, and weighs as much as it was told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from afterglow.records.reading import Average
from afterglow.stats.intervals import MIN_FREEDOM, Z, student

# Fewer sessions on either side cannot speak for others.
MIN_COMPARED = 5
TOO_FEW = "too few to tell"
NO_DIFFERENCE = "no clear difference"
FEWER, MORE = "fewer calls", "more calls"

Problem = tuple[str, str]  # repository and key
Values = Mapping[Problem, Sequence[int]]


class Comparison(NamedTuple):
    """Of the problems that both met: the told and the untold, each problem weighted by how often it was told."""

    told_calls: Average
    untold_calls: Average
    difference: Average
    problems: int


def compared(told_calls: Values, untold_calls: Values) -> Comparison | None:
    """Problem by problem, for what is told about may be harder or easier than other problems; each weighs as much as
    it was told. How much calls vary is taken from all of them together: many have one value only."""
    weights = {
        problem: len(values)
        for problem, values in told_calls.items()
        if untold_calls.get(problem)
    }
    if not weights:
        return None
    told_calls = {problem: told_calls[problem] for problem in weights}
    untold_calls = {problem: untold_calls[problem] for problem in weights}
    told_count, untold_count = count_of(told_calls), count_of(untold_calls)
    freedom = told_count + untold_count - 2 * len(weights)
    squares = _squares(told_calls) + _squares(untold_calls)
    variance = squares / freedom if freedom else None
    told_mean, told_scale = _weighted(told_calls, weights)
    untold_mean, untold_scale = _weighted(untold_calls, weights)
    gap = told_mean - untold_mean

    def average(value: float, scale: float, n: int) -> Average:
        if variance is None:
            return Average(value, n=n)
        half = _quantile(freedom) * math.sqrt(variance * scale)
        return Average(value, value - half, value + half, n)

    return Comparison(
        average(told_mean, told_scale, told_count),
        average(untold_mean, untold_scale, untold_count),
        average(gap, told_scale + untold_scale, told_count + untold_count),
        len(weights),
    )


def count_of(values: Values) -> int:
    return sum(map(len, values.values()))


def _squares(values: Values) -> float:
    """Squared distances of all values from the mean of their problem."""
    squares = 0.0
    for calls in values.values():
        middle = _mean(calls)
        squares += sum((value - middle) ** 2 for value in calls)
    return squares


def _weighted(values: Values, weights: Mapping[Problem, int]) -> tuple[float, float]:
    """The mean over problems with these weights, and what its variance is of that of one value."""
    total = sum(weights.values())
    shares = {problem: weight / total for problem, weight in weights.items()}
    mean_ = math.fsum(
        share * _mean(values[problem]) for problem, share in shares.items()
    )
    scale = math.fsum(
        share * share / len(values[problem]) for problem, share in shares.items()
    )
    return mean_, scale


def _mean(calls: Sequence[int]) -> float:
    return sum(calls) / len(calls)


def _quantile(freedom: int) -> float:
    """Few values make the interval only rough."""
    return student(freedom) if freedom > MIN_FREEDOM else 2 * Z


def verdict_on(comparison: Comparison) -> str:
    smaller_side = min(comparison.told_calls.n, comparison.untold_calls.n)
    low, high = comparison.difference.low, comparison.difference.high
    if smaller_side < MIN_COMPARED or low is None or high is None:
        return TOO_FEW
    if high < 0:
        return FEWER
    return MORE if low > 0 else NO_DIFFERENCE
