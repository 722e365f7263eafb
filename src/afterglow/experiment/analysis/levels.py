"""What each arm reached on each outcome, with an interval that allows for units of a cluster being alike.

It describes an arm alone. Whether two arms differ is a matter of their difference, which is narrower where the same
tasks were run in both.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from afterglow.experiment.analysis.lazy_scipy import stats
from afterglow.experiment.analysis.rows import value_of
from afterglow.records.experiment import ArmLevel, Interval, OutcomeSpec, Plan, Trial
from afterglow.stats.intervals import wilson
from afterglow.stats.rates import design_effect

MIN_FREEDOM = 4  # as few clusters as this say little of their spread; fewer are treated as so many


def levels(
    plan: Plan, live: Sequence[Trial], specs: Mapping[str, OutcomeSpec]
) -> Iterator[ArmLevel]:
    """In the order of the plan's outcomes and arms; an arm without a value of an outcome is left out."""
    for outcome in plan.outcomes:
        for arm in plan.arms:
            clusters = _by_cluster(live, outcome, arm)
            values = [value for part in clusters for value in part]
            if not values:
                continue
            yield ArmLevel(
                outcome=outcome,
                arm=arm,
                n=len(values),
                mean=math.fsum(values) / len(values),
                interval=_interval(clusters, specs[outcome].scale, plan.alpha),
            )


def _by_cluster(live: Sequence[Trial], outcome: str, arm: str) -> list[list[float]]:
    """The values of an arm; a unit without a cluster is one by itself."""
    clusters: dict[str, list[float]] = defaultdict(list)
    for trial in live:
        value = value_of(trial, outcome)
        if trial.arm == arm and value is not None:
            clusters[trial.cluster or f"\0{trial.unit}"].append(value)
    return list(clusters.values())


def _interval(clusters: list[list[float]], scale: str, alpha: float) -> Interval | None:
    """Wilson's for shares, on a sample reduced for likeness; else by the spread of clusters around the mean."""
    if len(clusters) < 2:
        return None
    if scale == "yes-no":
        return _share_interval(clusters, alpha)
    n = sum(map(len, clusters))
    mean = math.fsum(map(math.fsum, clusters)) / n
    moved = [math.fsum(value - mean for value in part) for part in clusters]
    spread = math.fsum(part * part for part in moved) * len(clusters)
    half = math.sqrt(spread / (len(clusters) - 1)) / n
    half *= float(stats().t.isf(alpha / 2, len(clusters) - 1))
    return Interval(mean - half, mean + half)


def _share_interval(clusters: list[list[float]], alpha: float) -> Interval:
    pairs = Counter((round(math.fsum(part)), len(part)) for part in clusters)
    n = sum(map(len, clusters))
    value = sum(yes * times for (yes, _), times in pairs.items()) / n
    worth = n * n / sum(size * size * times for (_, size), times in pairs.items())
    quantile = float(stats().t.isf(alpha / 2, max(worth - 1, MIN_FREEDOM)))
    return Interval(*wilson(value, n / design_effect(pairs), quantile))
