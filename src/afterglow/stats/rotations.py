"""What would be counted at a place of sessions if nothing changed inside any of them.

Each session keeps its own calls, failures and length; its calls are turned round, so that any of them may come first
and the last is followed by the first. All turns of a session are equally likely if its failures do not depend on the
place. Failures come in runs, and turning keeps the runs, where shuffling single calls would break them and make chance
look smaller than it is. All turns are counted, none is drawn: the same sessions give the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from afterglow.records.profile_report import Rate
from afterglow.stats.intervals import Z

Weights = Sequence[tuple[int, int, float]]  # from a place up to another: how heavy


class Turned(NamedTuple):
    """Of one session over all its turns: the mean of a weighted count, and its variance."""

    mean: float
    variance: float


def turned(marks: Sequence[int], weights: Weights) -> Turned:
    """`marks` has 1 for what is counted, 0 for what is not."""
    n = len(marks)
    sums = list(accumulate((*marks, *marks), initial=0))
    values = [
        math.fsum(
            weight * (sums[turn + end] - sums[turn + begin])
            for begin, end, weight in weights
        )
        for turn in range(n)
    ]
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / n
    return Turned(mean, variance)


def expected_rate(sessions: Iterable[Sequence[int]], begin: int, end: int) -> Rate:
    """The rate between two places, over the sessions that get there. Its interval holds 95 of 100 histories in which
    sessions differ and nothing changes inside them."""
    mean = variance = 0.0
    n = reached = 0
    for marks in sessions:
        last = min(end, len(marks))
        if last <= begin:
            continue
        place = turned(marks, [(begin, last, 1.0)])
        mean += place.mean
        variance += place.variance
        n += last - begin
        reached += 1
    if not n:
        return Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0)
    value, half = mean / n, Z * math.sqrt(variance) / n
    return Rate(
        value=value,
        low=max(value - half, 0.0),
        high=min(value + half, 1.0),
        count=round(mean),
        n=n,
        sessions=reached,
    )


def chance_of_halves(sessions: Sequence[Sequence[int]]) -> float | None:
    """How likely the second halves together differ from the first as much as they do, or more, by turning alone."""
    first_n = sum(_middle(marks) for marks in sessions)
    second_n = sum(len(marks) for marks in sessions) - first_n
    if not first_n or not second_n:
        return None
    moved = variance = 0.0
    for marks in sessions:
        middle, n = _middle(marks), len(marks)
        weights = [(middle, n, 1 / second_n), (0, middle, -1 / first_n)]
        place = turned(marks, weights)
        here = sum(marks[middle:]) / second_n - sum(marks[:middle]) / first_n
        moved += here - place.mean
        variance += place.variance
    if not variance:
        return None
    return math.erfc(abs(moved) / math.sqrt(2 * variance))


def _middle(marks: Sequence[int]) -> int:
    return -(-len(marks) // 2)
