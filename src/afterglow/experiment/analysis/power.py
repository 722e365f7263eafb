"""How many units it takes, and what so many units could show. Student's t with the noncentral distribution."""

from __future__ import annotations

import math

from afterglow.errors import UsageError
from afterglow.experiment.analysis.lazy_scipy import stats
from afterglow.records.experiment import Scale

MAX_UNITS = 10_000_000  # nobody has more sessions: the search ends here
ANY_TIME = 1.65  # times as many units as at a planned size, for the same power (`bench/statistics.py`: 1.6 to 1.7)


def power_of(
    n: float,
    effect: float,
    *,
    scale: Scale = "amount",
    baseline: float | None = None,
    sd: float | None = None,
    alpha: float = 0.05,
    ratio: float = 1.0,
    paired: bool = False,
    correlation: float = 0.0,
    cluster_size: float = 1.0,
    icc: float = 0.0,
) -> float:
    """The chance that `n` units in the smaller of two arms show a difference of `effect`.

    yes-no needs the control's share (`baseline`), other scales the standard deviation of a unit (`sd`). The other arm
    is `ratio` times as large. `paired`: the same tasks in both arms, `correlation` between the two runs of one.
    `cluster_size` units are assigned together and share `icc` of their variance.
    """
    variance = _variance(effect, scale, baseline, sd)
    if (
        not 0 < alpha < 1
        or ratio <= 0
        or not 0 <= icc <= 1
        or cluster_size < 1
        or not -1 <= correlation < 1
    ):
        raise UsageError(
            "alpha and icc lie between 0 and 1, correlation between -1 and 1; ratio is above 0, cluster size 1 or more"
        )
    inflated = variance * (1 + (cluster_size - 1) * icc)
    if paired:
        error = math.sqrt(2 * inflated * (1 - correlation) / n)
        freedom = n / cluster_size - 1
    else:
        error = math.sqrt(inflated * (1 / n + 1 / (n * ratio)))
        freedom = (n + n * ratio) / cluster_size - 2
    if freedom <= 0:
        return 0.0
    edge = float(stats().t.isf(alpha / 2, freedom))
    shift = abs(effect) / error
    return float(
        stats().nct.sf(edge, freedom, shift) + stats().nct.cdf(-edge, freedom, shift)
    )


def needed(
    effect: float,
    *,
    scale: Scale = "amount",
    baseline: float | None = None,
    sd: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    ratio: float = 1.0,
    paired: bool = False,
    correlation: float = 0.0,
    cluster_size: float = 1.0,
    icc: float = 0.0,
) -> int:
    """Units in the smaller arm (pairs, when paired) that show a difference of `effect` with this `power`."""
    if not effect:
        raise UsageError(
            "name the smallest difference worth knowing: a difference of 0 cannot be shown by any number"
        )
    if not 0 < power < 1:
        raise UsageError("power lies between 0 and 1; 0.8 is usual")

    def reached(n: int) -> bool:
        return power <= power_of(
            n,
            effect,
            scale=scale,
            baseline=baseline,
            sd=sd,
            alpha=alpha,
            ratio=ratio,
            paired=paired,
            correlation=correlation,
            cluster_size=cluster_size,
            icc=icc,
        )

    high = 2
    while not reached(high):
        high *= 2
        if high > MAX_UNITS:
            raise UsageError(
                f"a difference of {effect:g} would take more than {MAX_UNITS:,} units an arm: choose a larger one"
            )
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def scaled(n: int, variance: float, effect: float, alpha: float, power: float) -> int:
    """Units in the smaller arm, when `n` of them gave this `variance` of the difference: clusters, pairs and unequal
    arms are already in it."""
    return max(
        math.ceil(n * variance / (effect / _reach(alpha, power, math.inf)) ** 2), 2
    )


def detectable(variance: float, freedom: float, alpha: float, power: float) -> float:
    """The smallest difference so many units show with this power."""
    return _reach(alpha, power, freedom) * math.sqrt(variance)


def _reach(alpha: float, power: float, freedom: float) -> float:
    """In standard errors; with little freedom the spread itself is a guess, so it is further."""
    return float(stats().t.isf(alpha / 2, freedom) + stats().t.ppf(power, freedom))


def _variance(
    effect: float, scale: Scale, baseline: float | None, sd: float | None
) -> float:
    if scale == "yes-no":
        if baseline is None:
            raise UsageError("for yes or no, give the control's share: --baseline 0.6")
        if not 0 <= baseline <= 1 or not 0 <= baseline + effect <= 1:
            raise UsageError(
                f"a share of {baseline:g} cannot differ by {effect:+g}: both arms lie between 0 and 1"
            )
        treated = baseline + effect
        return (baseline * (1 - baseline) + treated * (1 - treated)) / 2
    if sd is None or sd <= 0:
        raise UsageError(
            "give the standard deviation of a session on this outcome, above 0"
        )
    return sd * sd
