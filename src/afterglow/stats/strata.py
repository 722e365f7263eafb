"""Two groups of sessions compared within strata: sessions of one repository with sessions of the same one.

Each session is one value. In a stratum the means of the two groups are compared; strata count by what they can tell
(n1 n2 / (n1 + n2), the weights of least squares with a column for each stratum), so one that has a single group counts
nothing. Under the assumption that the groups were dealt at random within strata the variance of the result is known
exactly; it is taken around the difference itself, so that it holds when there is one. Shuffling the groups within
strata shows what chance, and the way of reckoning, would give.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from afterglow.records.profile_report import Difference, Rate
from afterglow.stats.intervals import student
from afterglow.stats.rates import FEW_SESSIONS, mean_rate

SHUFFLES = 2000  # at most: a p of 0.05 is then known to a hundredth
MAX_DRAWS = 4_000_000  # sessions drawn in all shuffles: some seconds
MIN_SHUFFLES = 400  # of very many sessions: fewer give no tail
SEED = 20261116  # any; the same sessions give the same answer
ROUNDING = 1e-12  # differences closer than this are equal


class Case(NamedTuple):
    """One session: in the second group or not, its value, and its stratum."""

    second: bool
    value: float
    stratum: str


class Within(NamedTuple):
    """The second group less the first within strata. `first` and `second` are the means of the sessions that count: those
    of `strata` that have both groups."""

    value: float
    low: float
    high: float
    first: Rate
    second: Rate
    strata: int


class Shuffled(NamedTuple):
    """What shuffled groups gave: the middle 95 of 100, and the share that was as far from zero as the real ones."""

    mean: float
    low: float
    high: float
    p: float


def within(cases: Iterable[Case]) -> Within | None:
    """None where no stratum has both groups, or too few sessions are left for an interval."""
    strata = _with_both(cases)
    members = [case for stratum in strata for case in stratum]
    first = [case.value for case in members if not case.second]
    second = [case.value for case in members if case.second]
    freedom = len(members) - len(strata) - 1
    if min(len(first), len(second), freedom) < FEW_SESSIONS:
        return None
    value = _pooled(strata)
    half = student(freedom) * math.sqrt(_variance(strata, value))
    return Within(
        value=value,
        low=value - half,
        high=value + half,
        first=mean_rate(first),
        second=mean_rate(second),
        strata=len(strata),
    )


def difference_within(names: tuple[str, str], cases: Iterable[Case]) -> Difference:
    """The same as a difference of shares; without a value where there is none."""
    compared = within(cases)
    if compared is None:
        return _not_compared(names)
    return Difference(
        effect="between sessions",
        first_name=names[0],
        second_name=names[1],
        first=compared.first,
        second=compared.second,
        value=compared.value,
        low=max(compared.low, -1.0),
        high=min(compared.high, 1.0),
        sessions=compared.first.n + compared.second.n,
    )


def _not_compared(names: tuple[str, str]) -> Difference:
    nothing = mean_rate(())
    return Difference(
        effect="between sessions",
        first_name=names[0],
        second_name=names[1],
        first=nothing,
        second=nothing,
        value=None,
        low=-1.0,
        high=1.0,
        sessions=0,
    )


def shuffled(cases: Iterable[Case], value: float) -> Shuffled:
    """The same split on shuffled groups, within strata."""
    strata = [
        ([case.value for case in members], sum(case.second for case in members))
        for members in _with_both(cases)
    ]
    dealer = random.Random(SEED)
    drawn = sum(min(second, len(values) - second) for values, second in strata)
    deals = min(SHUFFLES, max(MIN_SHUFFLES, MAX_DRAWS // max(drawn, 1)))
    results = sorted(_dealt(strata, dealer) for _ in range(deals))
    as_far = sum(abs(result) >= abs(value) - ROUNDING for result in results)
    edge = round(0.025 * deals)
    return Shuffled(
        math.fsum(results) / deals,
        results[edge],
        results[-edge - 1],
        (as_far + 1) / (deals + 1),
    )


def _dealt(
    strata: Sequence[tuple[Sequence[float], int]], dealer: random.Random
) -> float:
    """The pooled difference if so many of each stratum, drawn at random, were the second group."""
    difference = weight = 0.0
    for values, second in strata:
        first = len(values) - second
        smaller = min(first, second)
        drawn = math.fsum(dealer.sample(values, smaller))
        gap = drawn / smaller - (math.fsum(values) - drawn) / (len(values) - smaller)
        worth = first * second / len(values)
        difference += worth * (gap if smaller == second else -gap)
        weight += worth
    return difference / weight


def _with_both(cases: Iterable[Case]) -> list[list[Case]]:
    strata: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        strata[case.stratum].append(case)
    return [
        members
        for members in strata.values()
        if 0 < sum(case.second for case in members) < len(members)
    ]


def _pooled(strata: Sequence[Sequence[Case]]) -> float:
    difference = weight = 0.0
    for members in strata:
        second = [case.value for case in members if case.second]
        first = [case.value for case in members if not case.second]
        worth = len(first) * len(second) / len(members)
        gap = math.fsum(second) / len(second) - math.fsum(first) / len(first)
        difference += worth * gap
        weight += worth
    return difference / weight


def _variance(strata: Sequence[Sequence[Case]], value: float) -> float:
    """Of the pooled difference if groups were dealt at random and the second had `value` added."""
    spread = weight = 0.0
    for members in strata:
        second = sum(case.second for case in members)
        worth = second * (len(members) - second) / len(members)
        without = [case.value - value * case.second for case in members]
        mean = math.fsum(without) / len(without)
        square = math.fsum((each - mean) ** 2 for each in without)
        spread += worth * square / (len(members) - 1)
        weight += worth
    return spread / weight**2
