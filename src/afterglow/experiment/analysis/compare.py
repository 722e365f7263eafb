"""One arm against the control on one outcome: the difference with its interval and p, by scale and design."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

from afterglow.experiment.analysis.contrast import Contrast, between, within
from afterglow.experiment.analysis.lazy_scipy import numpy, stats
from afterglow.experiment.analysis.rows import Columns
from afterglow.experiment.analysis.sequential import FEWEST, half_width, log_e
from afterglow.records.experiment import Interval, Scale
from afterglow.stats.intervals import wilson

# Cells of the table Boschloo's test goes through: above it the score test says the same.
MAX_EXACT_CELLS = 10_000
# The largest power of e that is a number; evidence beyond it says nothing more.
MAX_EXPONENT = 700.0
NOWHERE = Interval(-math.inf, math.inf)
BOUNDED = ("yes-no", "rate")


class Comparison(NamedTuple):
    contrast: Contrast
    n: int
    n_control: int
    interval: Interval
    p: float
    method: str
    delta: float
    ratio: float | None = None
    ratio_interval: Interval | None = None
    pairs: int = 0
    unpaired: int = 0
    discordant: tuple[int, int] | None = None


class Standing(NamedTuple):
    """What holds whenever it is read."""

    difference: float
    sequence: Interval
    e: float


def enough(columns: Columns, *, paired: bool) -> bool:
    """Whether there is anything to compare: two units of each arm, or two pairs."""
    return _smaller_side(columns, paired=paired) >= 2


def _smaller_side(columns: Columns, *, paired: bool) -> int:
    if paired:
        return len(matched(columns)[0])
    return min(int(columns.treated.sum()), int((~columns.treated).sum()))


def matched(columns: Columns) -> tuple[Any, Any, Any, Any]:
    """Each complete pair: the mean of the arm, of the control, its cluster, and the row that completed it. In the order
    in which pairs became complete."""
    np = numpy()
    many = int(columns.pairs.max(initial=-1)) + 1
    counts, means, since = [], [], np.zeros(many, dtype=int)
    for chosen in (columns.treated, ~columns.treated):
        count = np.bincount(columns.pairs[chosen], minlength=many)
        counts.append(count)
        means.append(
            np.bincount(
                columns.pairs[chosen], weights=columns.values[chosen], minlength=many
            )
            / np.maximum(count, 1)
        )
        first = np.full(many, len(columns.values))
        np.minimum.at(first, columns.pairs[chosen], np.flatnonzero(chosen))
        since = np.maximum(since, first)
    cluster = np.zeros(many, dtype=int)
    cluster[columns.pairs] = columns.clusters
    both = np.flatnonzero((counts[0] > 0) & (counts[1] > 0))
    both = both[np.argsort(since[both], kind="stable")]
    return means[0][both], means[1][both], cluster[both], since[both]


def contrast_of(columns: Columns, scale: Scale, *, paired: bool) -> Contrast:
    if paired:
        arm, control, clusters, _ = matched(columns)
        return within(
            arm, control, clusters, yes_no=scale == "yes-no" and _single(arm, control)
        )
    return between(
        columns.values,
        columns.treated,
        columns.units,
        columns.clusters,
        yes_no=scale == "yes-no",
    )


def standing(columns: Columns, scale: Scale, alpha: float, *, paired: bool) -> Standing:
    """The e-value and the confidence sequence of these rows."""
    contrast = contrast_of(columns, scale, paired=paired)
    fewest = _smaller_side(columns, paired=paired)
    if fewest < FEWEST or contrast.uniform or not math.isfinite(contrast.safe_variance):
        return Standing(contrast.difference, _bounded(NOWHERE, scale), 1.0)
    spreads = contrast.safe_variance, contrast.safe_freedom, contrast.spread
    half = float(half_width(*spreads, alpha))
    grown = min(float(log_e(contrast.difference, *spreads)), MAX_EXPONENT)
    around = Interval(contrast.difference - half, contrast.difference + half)
    return Standing(contrast.difference, _bounded(around, scale), math.exp(grown))


def compare(
    columns: Columns, scale: Scale, alpha: float, *, paired: bool
) -> Comparison:
    if paired:
        return _paired(columns, scale, alpha)
    return _unpaired(columns, scale, alpha)


def around(
    columns: Columns, scale: Scale, alpha: float, *, paired: bool
) -> tuple[Contrast, Interval]:
    """The difference and its interval alone, without a test."""
    contrast = contrast_of(columns, scale, paired=paired)
    if paired or scale != "yes-no" or contrast.clusters:
        return contrast, _bounded(_student(contrast, alpha)[0], scale)
    return contrast, _newcombe(
        columns.values[columns.treated], columns.values[~columns.treated], alpha
    )


def _unpaired(columns: Columns, scale: Scale, alpha: float) -> Comparison:
    contrast = contrast_of(columns, scale, paired=False)
    arm, control = columns.values[columns.treated], columns.values[~columns.treated]
    n1, n0 = len(arm), len(control)
    if scale == "yes-no" and not contrast.clusters:
        interval = _newcombe(arm, control, alpha)
        p, method = _proportions(int(arm.sum()), n1, int(control.sum()), n0)
    else:
        interval, p = _student(contrast, alpha, math.comb(n1 + n0, n1))
        method = _named(contrast, "Welch's t")
    ratio, ratio_interval = _ratio(columns, contrast, alpha)
    return Comparison(
        contrast=contrast,
        n=n1,
        n_control=n0,
        interval=_bounded(interval, scale),
        p=p,
        method=method,
        delta=cliff(arm, control),
        ratio=ratio,
        ratio_interval=ratio_interval,
    )


def _paired(columns: Columns, scale: Scale, alpha: float) -> Comparison:
    arm, control, _, _ = matched(columns)
    contrast = contrast_of(columns, scale, paired=True)
    n = len(arm)
    up, down = int((arm > control).sum()), int((arm < control).sum())
    if scale == "yes-no" and not contrast.clusters and _single(arm, control):
        p = float(stats().binomtest(up, up + down).pvalue) if up + down else 1.0
        interval = _agresti_min(up, down, n, alpha)
        method = "exact McNemar test, interval of Agresti and Min"
    else:
        interval, p = _student(contrast, alpha, 2**n)
        method = _named(contrast, "paired t on tasks")
    return Comparison(
        contrast=contrast,
        n=n,
        n_control=n,
        interval=_bounded(interval, scale),
        p=p,
        method=method,
        delta=(up - down) / n,
        pairs=n,
        unpaired=len(numpy().unique(columns.pairs)) - n,
        discordant=(up, down) if scale == "yes-no" and _single(arm, control) else None,
    )


def _agresti_min(up: int, down: int, n: int, alpha: float) -> Interval:
    """With half a pair added to each kind (Agresti and Min 2005)."""
    size, plus, minus = n + 2, up + 0.5, down + 0.5
    middle = (plus - minus) / size
    error = math.sqrt(plus + minus - (plus - minus) ** 2 / size) / size
    half = float(stats().norm.isf(alpha / 2)) * error
    return Interval(middle - half, middle + half)


def cliff(arm: Any, control: Any) -> float:
    """Cliff's delta: how much more often a unit of the arm is above one of the control than below it."""
    np = numpy()
    n1, n0 = len(arm), len(control)
    ranks = stats().rankdata(np.concatenate([arm, control]))
    return float(2 * (ranks[:n1].sum() - n1 * (n1 + 1) / 2) / (n1 * n0) - 1)


def _single(arm: Any, control: Any) -> bool:
    """Each task run once in each arm: a mean of several runs is no longer yes or no."""
    np = numpy()
    return bool(np.isin(arm, (0.0, 1.0)).all() and np.isin(control, (0.0, 1.0)).all())


def _named(contrast: Contrast, name: str) -> str:
    if not contrast.clusters:
        return name
    return f"{name}, robust to {contrast.clusters} clusters"


def _student(contrast: Contrast, alpha: float, ways: int = 1) -> tuple[Interval, float]:
    """`ways` is in how many ways arms could have been drawn. Where nothing varies within an arm the t-test has no
    spread to go by, but shuffling (units, or whole clusters) has an answer: two of all ways set the arms apart so
    far."""
    if not math.isfinite(contrast.variance):
        return NOWHERE, 1.0
    difference = contrast.difference
    if not contrast.varies:
        ways = min(ways, 2**contrast.clusters) if contrast.clusters else ways
        p = 1.0 if contrast.uniform else min(2 / ways, 1.0)
        return Interval(difference, difference) if p <= alpha else NOWHERE, p
    t = stats().t
    error = math.sqrt(contrast.variance)
    half = float(t.isf(alpha / 2, contrast.freedom)) * error
    if not math.isfinite(half):
        return NOWHERE, 1.0
    p = float(2 * t.sf(abs(difference) / error, contrast.freedom))
    return Interval(difference - half, difference + half), p


def _newcombe(arm: Any, control: Any, alpha: float) -> Interval:
    """From the two Wilson intervals (Newcombe 1998, method 10)."""
    z = float(stats().norm.isf(alpha / 2))
    p1, p0 = float(arm.mean()), float(control.mean())
    (low1, high1), (low0, high0) = wilson(p1, len(arm), z), wilson(p0, len(control), z)
    return Interval(
        p1 - p0 - math.hypot(p1 - low1, high0 - p0),
        p1 - p0 + math.hypot(high1 - p1, p0 - low0),
    )


@lru_cache(maxsize=4096)
def _proportions(x1: int, n1: int, x0: int, n0: int) -> tuple[float, str]:
    table = [[x1, x0], [n1 - x1, n0 - x0]]
    if x1 + x0 in (0, n1 + n0):
        return 1.0, "Newcombe interval, Boschloo's exact test"
    if n1 * n0 <= MAX_EXACT_CELLS:
        return min(
            float(stats().boschloo_exact(table).pvalue), 1.0
        ), "Newcombe interval, Boschloo's exact test"
    return float(
        stats().chi2_contingency(table, correction=False).pvalue
    ), "Newcombe interval, score test"


def _ratio(
    columns: Columns, contrast: Contrast, alpha: float
) -> tuple[float | None, Interval | None]:
    """Of the means, with an interval on the logarithm; none unless both are above zero and so are all values."""
    mean, control_mean = contrast.mean, contrast.mean_control
    if min(mean, control_mean) <= 0 or float(columns.values.min()) < 0:
        return None, None
    np = numpy()
    scaled = columns.values / np.where(columns.treated, mean, control_mean)
    error = between(
        scaled, columns.treated, columns.units, columns.clusters, yes_no=False
    )
    around, _ = _student(
        error._replace(difference=math.log(mean / control_mean)), alpha
    )
    if not math.isfinite(around.high):
        return mean / control_mean, None
    return mean / control_mean, Interval(
        math.exp(around.low), math.exp(min(around.high, MAX_EXPONENT))
    )


def _bounded(interval: Interval, scale: Scale) -> Interval:
    if scale not in BOUNDED:
        return interval
    return Interval(max(interval.low, -1.0), min(interval.high, 1.0))
