"""A difference of means and how sure it is, with units, clusters or pairs.

Every unit moves the difference by its distance from the mean of its arm over the size of that arm. Summed within a
cluster and squared, these moves give the variance: Welch's when each unit stands alone, cluster-robust when it does
not (Liang and Zeger 1986), with n/(n-1) in each arm and as many degrees of freedom as clusters of equal size would
have that say as much (in the manner of Satterthwaite; Bell and McCaffrey 2002; Carter et al. 2017). This makes no
assumption about what units of a cluster share; a mixed model would, and gains little.

Clusters whose units all have one arm must be respected: they were what was assigned. Clusters that hold both arms were
not; respecting them means speaking about further clusters too (Abadie et al. 2023). It is done from MANY on; below, the
result is about the clusters at hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from afterglow.experiment.analysis.lazy_scipy import numpy

MANY = 10.0
TINY = 1e-12
SAME = 1e-9


class Contrast(NamedTuple):
    """`variance` and `freedom` are for reading once. `safe_variance` and its freedom are for reading at any time: never
    less than what a common spread of both arms would give, because a small arm of a skewed outcome often looks calmer
    than it is. `spread` is the variance of one unit (or pair). `clusters` is 0 when they played no role."""

    mean: float
    mean_control: float
    difference: float
    variance: float
    freedom: float
    safe_variance: float
    safe_freedom: float
    spread: float
    clusters: int = 0
    whole: bool = True  # clusters were assigned as a whole, or played no role

    @property
    def varies(self) -> bool:
        """Whether values of an arm (or the changes within pairs) differ at all."""
        return self.spread > SAME * max(self.mean**2, self.mean_control**2, SAME)

    @property
    def uniform(self) -> bool:
        """All values are one and the same: how far chance reaches cannot be told."""
        return not self.varies and abs(self.difference) <= SAME * max(
            abs(self.mean), abs(self.mean_control), SAME
        )


def between(
    values: Any, treated: Any, units: Any, clusters: Any, *, yes_no: bool
) -> Contrast:
    """Two arms of different units, at least two of each."""
    np = numpy()
    sizes = np.bincount(clusters, minlength=1)
    inside = np.bincount(clusters, weights=treated)
    mixed = bool(np.any((inside > 0) & (inside < sizes)))
    if mixed:
        share = np.where(
            treated, 1 / max(treated.sum(), 1), 1 / max((~treated).sum(), 1)
        )
        if _worth(np.bincount(clusters, weights=share)) < MANY:
            clusters, mixed = units, False
    alone = len(np.unique(clusters)) == len(values)
    if mixed:
        return _mixed(values, treated, clusters)
    return _apart(values, treated, clusters, smooth=yes_no and alone, alone=alone)


def _apart(
    values: Any, treated: Any, clusters: Any, *, smooth: bool, alone: bool
) -> Contrast:
    np = numpy()
    means, sizes, variances, freedoms, moves, groups = [], [], [], [], 0.0, 0
    for chosen in (treated, ~treated):
        mine, n = values[chosen], int(chosen.sum())
        mean = float(mine.mean())
        _, inverse, counts = np.unique(
            clusters[chosen], return_inverse=True, return_counts=True
        )
        sums = np.bincount(inverse, weights=mine - mean)
        square, many = float((sums**2).sum()), len(counts)
        means.append(mean)
        sizes.append(n)
        variances.append(
            square / n**2 * many / max(many - 1, 1) if many > 1 else float("inf")
        )
        freedoms.append(max(_worth(counts) - 1, 1e-9))
        moves, groups = moves + square, groups + many
    n1, n0 = sizes
    spread = max(
        float(np.var(values[treated]) * n1 + np.var(values[~treated]) * n0)
        / max(n1 + n0 - 2, 1),
        _floor(values),
    )
    each = (
        moves / (n1 + n0) * groups / max(groups - 2, 1)
    )  # the spread of a unit, what clusters add included
    pooled = max(each, _floor(values)) * (1 / n1 + 1 / n0)
    variance = max(sum(variances), spread * TINY)
    freedom = _satterthwaite(variances, freedoms)
    safe, safe_freedom = _safer(variance, freedom, pooled, groups - 2)
    if smooth:
        safe, safe_freedom, spread = _smooth(means, sizes)
    return Contrast(
        means[0],
        means[1],
        means[0] - means[1],
        variance,
        freedom,
        safe,
        max(safe_freedom, 1e-9),
        spread,
        0 if alone else groups,
    )


def _smooth(means: list[float], sizes: list[int]) -> tuple[float, float, float]:
    """With one success and one failure added to each arm (Agresti and Caffo 2000), so that none looks certain."""
    shares = [(mean * n + 1) / (n + 2) for mean, n in zip(means, sizes, strict=True)]
    each = [share * (1 - share) for share in shares]
    variances = [
        unit_variance / (n + 2) for unit_variance, n in zip(each, sizes, strict=True)
    ]
    n1, n0 = sizes
    spread = (each[0] * (n1 - 1) + each[1] * (n0 - 1)) / (n1 + n0 - 2)
    pooled = spread * (1 / (n1 + 2) + 1 / (n0 + 2))
    apart = sum(variances), _satterthwaite(variances, [n1 - 1, n0 - 1])
    safe, freedom = _safer(*apart, pooled, n1 + n0 - 2)
    return safe, freedom, spread


def _mixed(values: Any, treated: Any, clusters: Any) -> Contrast:
    np = numpy()
    n1, n0 = int(treated.sum()), int((~treated).sum())
    mean, control_mean = float(values[treated].mean()), float(values[~treated].mean())
    moves = np.where(treated, (values - mean) / n1, -(values - control_mean) / n0)
    sums = np.bincount(clusters, weights=moves)
    many = len(np.unique(clusters))
    spread = max(
        float(np.var(values[treated]) * n1 + np.var(values[~treated]) * n0)
        / max(n1 + n0 - 2, 1),
        _floor(values),
    )
    variance = max(float((sums**2).sum()) * many / (many - 1), spread * TINY)
    freedom = (
        _worth(np.bincount(clusters, weights=np.where(treated, 1 / n1, 1 / n0))) - 1
    )
    safe = max(variance, spread * (1 / n1 + 1 / n0))
    return Contrast(
        mean,
        control_mean,
        mean - control_mean,
        variance,
        freedom,
        safe,
        freedom,
        spread,
        many,
        False,
    )


def within(arm: Any, control: Any, clusters: Any, *, yes_no: bool) -> Contrast:
    """Pairs: what the arm and the control had on the same task, at least two of them."""
    np = numpy()
    change, n = arm - control, len(arm)
    difference = float(change.mean())
    counts = np.bincount(clusters)
    worth = _worth(counts)
    grouped = worth >= MANY and len(np.unique(clusters)) < n
    spread = max(float(np.var(change, ddof=1)), _floor(np.concatenate([arm, control])))
    variance, freedom, many = spread / n, float(n - 1), 0
    if grouped:
        many = len(np.unique(clusters))
        sums = np.bincount(clusters, weights=change - difference)
        variance, freedom = (
            max(float((sums**2).sum()) / n**2 * many / (many - 1), spread * TINY),
            worth - 1,
        )
    safe = max(variance, spread / n)
    if (
        yes_no and not grouped
    ):  # half a task added to each kind of pair (Agresti and Min 2005)
        up, down, size = (
            float((change > 0).sum()) + 0.5,
            float((change < 0).sum()) + 0.5,
            n + 2,
        )
        spread = (up + down) / size - ((up - down) / size) ** 2
        safe = max(spread / size, spread / n)
    return Contrast(
        float(arm.mean()),
        float(control.mean()),
        difference,
        variance,
        freedom,
        safe,
        freedom,
        spread,
        many,
        not grouped,
    )


def _safer(
    variance: float, freedom: float, pooled: float, pooled_freedom: float
) -> tuple[float, float]:
    """The larger variance with its freedom; arms of equal size have the same either way."""
    return (
        (pooled, float(pooled_freedom))
        if pooled > variance * (1 + SAME)
        else (variance, freedom)
    )


def _worth(weights: Any) -> float:
    """Clusters of equal size that would say as much."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _satterthwaite(variances: list[float], freedoms: list[float]) -> float:
    whole = sum(variances)
    if whole in (0.0, float("inf")):
        return max(sum(freedoms), 1.0) if whole == 0.0 else 1e-9
    return whole**2 / sum(
        variance**2 / freedom
        for variance, freedom in zip(variances, freedoms, strict=True)
    )


def _floor(values: Any) -> float:
    """A spread so small that it is none, in the unit of the values: nothing is divided by zero."""
    return TINY * max(float(numpy().abs(values).max(initial=0.0)) ** 2, TINY)
