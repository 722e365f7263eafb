"""Many experiments read after every single unit, at once: the cumulative form of `experiment.analysis.contrast`.

A step adds one unit to every run; all sums that the contrast needs are kept along. `bench.statistics` checks that this
gives the same as the package does on single runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from afterglow.experiment.analysis.contrast import MIN_ROBUST_CLUSTERS, SAME
from afterglow.experiment.analysis.sequential import FEWEST, half_width, log_e

ALPHA = 0.05


class Peeked(NamedTuple):
    """Of each run: whether it ever raised an alarm, after how many units first, whether the sequence ever left the
    truth out, whether an ordinary test read again and again ever fell below alpha, and the last e-value."""

    alarm: Any
    after: Any
    missed: Any
    naive: Any
    last: Any


class Sums:
    """What is kept of each run: per arm and cluster the number and sum of values, and the squares of both."""

    def __init__(self, runs: int, clusters: int) -> None:
        self.rows = np.arange(runs)
        self.n = np.zeros((2, runs))
        self.s = np.zeros((2, runs))
        self.q = np.zeros((2, runs))
        self.groups = np.zeros((2, runs))
        self.cn = np.zeros((2, runs, clusters))
        self.cs = np.zeros((2, runs, clusters))
        self.ss, self.sn, self.nn = (
            np.zeros((2, 2, runs)) for _ in range(3)
        )  # sums over clusters, arm by arm

    def add(self, y: Any, arm: Any, cluster: Any) -> None:
        rows = self.rows
        n, s = (
            self.cn[:, rows, cluster],
            self.cs[:, rows, cluster],
        )  # of this cluster before, per arm
        for mine, other in ((0, 1), (1, 0)):
            at = arm == mine
            self.n[mine] += at
            self.s[mine] += at * y
            self.q[mine] += at * y * y
            self.groups[mine] += at & (n[mine] == 0)
            self.ss[mine, mine] += at * (2 * s[mine] + y) * y
            self.nn[mine, mine] += at * (2 * n[mine] + 1)
            self.sn[mine, mine] += at * (s[mine] + y * n[mine] + y)
            for table, more in ((self.ss, at * y * s[other]), (self.nn, at * n[other])):
                table[0, 1] += more
                table[1, 0] += more
            self.sn[mine, other] += at * y * n[other]
            self.sn[other, mine] += at * s[other]
        self.cn[arm, rows, cluster] += 1
        self.cs[arm, rows, cluster] += y

    def moved(self, mine: int, other: int) -> Any:
        """Over clusters, the sum of what `mine` lies off its mean times what `other` does."""
        m, o = self.s[mine] / self.n[mine], self.s[other] / self.n[other]
        return (
            self.ss[mine, other]
            - o * self.sn[mine, other]
            - m * self.sn[other, mine]
            + m * o * self.nn[mine, other]
        )


def contrast(sums: Sums, *, kind: str, yes_no: bool) -> tuple[Any, ...]:
    """difference, variance, freedom, safe variance, safe freedom, spread. `kind`: alone, whole or mixed (clusters)."""
    if kind == "whole":
        return _whole(sums)
    alone = _alone(sums, yes_no=yes_no)
    if kind == "alone":
        return alone
    n0, n1 = sums.n
    worth = 4 / (
        sums.nn[0, 0] / n0**2 + 2 * sums.nn[0, 1] / n0 / n1 + sums.nn[1, 1] / n1**2
    )
    many = (sums.cn.sum(0) > 0).sum(1)
    robust = (
        sums.moved(0, 0) / n0**2
        + sums.moved(1, 1) / n1**2
        - 2 * sums.moved(0, 1) / n0 / n1
    )
    variance, spread = robust * many / (many - 1), _spread(sums)
    safe = np.maximum(variance, spread * (1 / n0 + 1 / n1))
    mixed = alone[0], variance, worth - 1, safe, worth - 1, spread
    return tuple(
        np.where(worth >= MIN_ROBUST_CLUSTERS, one, other)
        for one, other in zip(mixed, alone, strict=True)
    )


def _spread(sums: Sums) -> Any:
    return np.maximum((sums.q - sums.s**2 / sums.n).sum(0) / (sums.n.sum(0) - 2), 1e-24)


def _alone(sums: Sums, *, yes_no: bool) -> tuple[Any, ...]:
    n, means = sums.n, sums.s / sums.n
    each, size, spread = (sums.q - n * means**2) / (n - 1), n, _spread(sums)
    variance, freedom = _welch(each / size, n - 1)
    told = variance, freedom
    if yes_no:
        share, size = (sums.s + 1) / (n + 2), n + 2
        each = share * (1 - share)
        spread = (each * (n - 1)).sum(0) / (n.sum(0) - 2)
        told = _welch(each / size, n - 1)
    return (
        means[1] - means[0],
        variance,
        freedom,
        *_safer(*told, spread * (1 / size).sum(0), n.sum(0) - 2),
        spread,
    )


def _whole(sums: Sums) -> tuple[Any, ...]:
    n, means, groups = sums.n, sums.s / sums.n, sums.groups
    squares = np.stack([sums.moved(0, 0), sums.moved(1, 1)])
    worth = n**2 / np.stack([sums.nn[0, 0], sums.nn[1, 1]])
    variance, freedom = _welch(squares / n**2 * groups / (groups - 1), worth - 1)
    all_groups = groups.sum(0)
    pooled = squares.sum(0) / n.sum(0) * all_groups / (all_groups - 2) * (1 / n).sum(0)
    return (
        means[1] - means[0],
        variance,
        freedom,
        *_safer(variance, freedom, pooled, all_groups - 2),
        _spread(sums),
    )


def _welch(parts: Any, freedoms: Any) -> tuple[Any, Any]:
    return parts.sum(0), parts.sum(0) ** 2 / (parts**2 / freedoms).sum(0)


def _safer(
    variance: Any, freedom: Any, pooled: Any, pooled_freedom: Any
) -> tuple[Any, Any]:
    larger = pooled > variance * (1 + SAME)
    return np.where(larger, pooled, variance), np.where(larger, pooled_freedom, freedom)


def peek(
    y: Any, arm: Any, clusters: Any, *, truth: float, yes_no: bool, whole: bool
) -> Peeked:
    """`y` and `arm` (0, 1) of runs by units; `clusters` likewise, or None when units stand alone."""
    runs, units = y.shape
    alone = clusters is None
    kind = "alone" if alone else "whole" if whole else "mixed"
    sums = Sums(runs, 1 if alone else int(clusters.max()) + 1)
    alarm, missed, naive = (np.zeros(runs, dtype=bool) for _ in range(3))
    after, last = np.full(runs, units + 1), np.ones(runs)
    with np.errstate(all="ignore"):
        for step in range(units):
            at = y[:, step], arm[:, step]
            if alone:
                _add_alone(sums, *at)
            else:
                sums.add(*at, clusters[:, step])
            found = contrast(sums, kind=kind, yes_no=yes_no)
            difference, variance, freedom, *told = found
            safe, safe_freedom, spread = told
            ready = (
                (sums.n.min(0) >= FEWEST)
                & np.isfinite(safe)
                & (safe > 0)
                & (safe_freedom > 0)
            )
            e = log_e(difference, safe, safe_freedom, spread)
            rings = ready & (e >= -np.log(ALPHA))
            after = np.where(rings & ~alarm, step + 1, after)
            alarm |= rings
            off = np.abs(difference - truth) > half_width(
                safe, safe_freedom, spread, ALPHA
            )
            missed |= ready & off
            t = np.abs(difference) / np.sqrt(variance)
            if step % 5 == 4:
                naive |= ready & (2 * stats.t.sf(t, freedom) < ALPHA)
            last = np.where(ready, np.exp(np.minimum(e, 700)), 1.0)
    return Peeked(alarm, after, missed, naive, last)


def _add_alone(sums: Sums, y: Any, arm: Any) -> None:
    for mine in (0, 1):
        at = arm == mine
        sums.n[mine] += at
        sums.s[mine] += at * y
        sums.q[mine] += at * y * y
        sums.groups[mine] += at
        sums.ss[mine, mine], sums.sn[mine, mine], sums.nn[mine, mine] = (
            sums.q[mine],
            sums.s[mine],
            sums.n[mine],
        )
