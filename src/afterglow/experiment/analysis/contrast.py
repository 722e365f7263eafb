"""A difference of means and how sure it is, with units, clusters or pairs.

Every unit moves the difference by its distance from the mean of its arm over the size of that arm. Summed within a
cluster and squared, these moves give the variance: Welch's when each unit stands alone, cluster-robust when it does
not (Liang and Zeger 1986), with n/(n-1) in each arm and as many degrees of freedom as clusters of equal size would
have that say as much (in the manner of Satterthwaite; Bell and McCaffrey 2002; Carter et al. 2017). This makes no
assumption about what units of a cluster share; a mixed model would, and gains little.

Clusters whose units all have one arm must be respected: they were what was assigned. Clusters that hold both arms were
not; respecting them means speaking about further clusters too (Abadie et al. 2023). It is done from MIN_ROBUST_CLUSTERS
on; below, the result is about the clusters at hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from afterglow.experiment.analysis.lazy_scipy import numpy

# Clusters worth as many of equal size: below it a cluster-robust variance is too small.
MIN_ROBUST_CLUSTERS = 10.0
# A spread that is none, in the unit of the values squared: above what rounding makes.
TINY = 1e-12
# Numbers that differ by less than this part of themselves are the same.
SAME = 1e-9
# Degrees of freedom that stand for none: Student's t needs some.
NO_FREEDOM = 1e-9


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
        if _worth(np.bincount(clusters, weights=share)) < MIN_ROBUST_CLUSTERS:
            clusters, mixed = units, False
    alone = len(np.unique(clusters)) == len(values)
    if mixed:
        return _mixed(values, treated, clusters)
    return _apart(values, treated, clusters, smooth=yes_no and alone, alone=alone)


class _Side(NamedTuple):
    """One arm: its mean and size, the variance of the mean with its freedom, and how far its clusters moved it."""

    mean: float
    n: int
    variance: float
    freedom: float
    moves: float
    clusters: int


def _side(values: Any, clusters: Any) -> _Side:
    np = numpy()
    n, mean = len(values), float(values.mean())
    _, inverse, counts = np.unique(clusters, return_inverse=True, return_counts=True)
    sums = np.bincount(inverse, weights=values - mean)
    moves, many = float((sums**2).sum()), len(counts)
    variance = float("inf")
    if many > 1:
        variance = moves / n**2 * many / (many - 1)
    return _Side(mean, n, variance, max(_worth(counts) - 1, NO_FREEDOM), moves, many)


def _apart(
    values: Any, treated: Any, clusters: Any, *, smooth: bool, alone: bool
) -> Contrast:
    arm = _side(values[treated], clusters[treated])
    control = _side(values[~treated], clusters[~treated])
    n, groups = arm.n + control.n, arm.clusters + control.clusters
    spread = _common_spread(values, treated)
    # the spread of a unit, what clusters add included
    each = (arm.moves + control.moves) / n * groups / max(groups - 2, 1)
    pooled = max(each, _floor(values)) * (1 / arm.n + 1 / control.n)
    variance = max(arm.variance + control.variance, spread * TINY)
    freedom = _satterthwaite(
        [arm.variance, control.variance], [arm.freedom, control.freedom]
    )
    safe, safe_freedom = _safer(variance, freedom, pooled, groups - 2)
    if smooth:
        safe, safe_freedom, spread = _smooth(
            [arm.mean, control.mean], [arm.n, control.n]
        )
    return Contrast(
        mean=arm.mean,
        mean_control=control.mean,
        difference=arm.mean - control.mean,
        variance=variance,
        freedom=freedom,
        safe_variance=safe,
        safe_freedom=max(safe_freedom, NO_FREEDOM),
        spread=spread,
        clusters=0 if alone else groups,
    )


def _common_spread(values: Any, treated: Any) -> float:
    """The variance of a unit within its arm, taken to be the same in both."""
    np = numpy()
    arm, control = values[treated], values[~treated]
    squares = float(np.var(arm) * len(arm) + np.var(control) * len(control))
    return max(squares / max(len(values) - 2, 1), _floor(values))


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
    spread = _common_spread(values, treated)
    variance = max(float((sums**2).sum()) * many / (many - 1), spread * TINY)
    weights = np.bincount(clusters, weights=np.where(treated, 1 / n1, 1 / n0))
    freedom = _worth(weights) - 1
    return Contrast(
        mean=mean,
        mean_control=control_mean,
        difference=mean - control_mean,
        variance=variance,
        freedom=freedom,
        safe_variance=max(variance, spread * (1 / n1 + 1 / n0)),
        safe_freedom=freedom,
        spread=spread,
        clusters=many,
        whole=False,
    )


def within(arm: Any, control: Any, clusters: Any, *, yes_no: bool) -> Contrast:
    """Pairs: what the arm and the control had on the same task, at least two of them."""
    np = numpy()
    change, n = arm - control, len(arm)
    difference = float(change.mean())
    worth = _worth(np.bincount(clusters))
    many = len(np.unique(clusters))
    grouped = worth >= MIN_ROBUST_CLUSTERS and many < n
    spread = max(float(np.var(change, ddof=1)), _floor(np.concatenate([arm, control])))
    variance, freedom = spread / n, float(n - 1)
    if grouped:
        sums = np.bincount(clusters, weights=change - difference)
        moves = float((sums**2).sum())
        variance = max(moves / n**2 * many / (many - 1), spread * TINY)
        freedom = worth - 1
    safe = max(variance, spread / n)
    if yes_no and not grouped:
        # half a task added to each kind of pair (Agresti and Min 2005)
        up, down = float((change > 0).sum()) + 0.5, float((change < 0).sum()) + 0.5
        size = n + 2
        spread = (up + down) / size - ((up - down) / size) ** 2
        safe = max(spread / size, spread / n)
    return Contrast(
        mean=float(arm.mean()),
        mean_control=float(control.mean()),
        difference=difference,
        variance=variance,
        freedom=freedom,
        safe_variance=safe,
        safe_freedom=freedom,
        spread=spread,
        clusters=many if grouped else 0,
        whole=not grouped,
    )


def _safer(
    variance: float, freedom: float, pooled: float, pooled_freedom: float
) -> tuple[float, float]:
    """The larger variance with its freedom; arms of equal size have the same either way."""
    if pooled > variance * (1 + SAME):
        return pooled, float(pooled_freedom)
    return variance, freedom


def _worth(weights: Any) -> float:
    """Clusters of equal size that would say as much."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _satterthwaite(variances: list[float], freedoms: list[float]) -> float:
    whole = sum(variances)
    if whole == 0.0:
        return max(sum(freedoms), 1.0)
    if whole == float("inf"):
        return NO_FREEDOM
    return whole**2 / sum(
        variance**2 / freedom
        for variance, freedom in zip(variances, freedoms, strict=True)
    )


def _floor(values: Any) -> float:
    """A spread so small that it is none, in the unit of the values: nothing is divided by zero."""
    return TINY * max(float(numpy().abs(values).max(initial=0.0)) ** 2, TINY)
