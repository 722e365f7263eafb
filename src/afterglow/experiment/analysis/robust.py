"""Least squares with errors that need no equal spread (HC2, MacKinnon and White 1985) or that hold for clusters (Liang
and Zeger 1986). Strata are taken out by subtracting their means: the same as a column for each, in a hundredth of the
time. Tests hold it against statsmodels."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from afterglow.experiment.analysis.lazy_scipy import numpy, stats

# A unit that alone decides a number says nothing about spread: nothing is divided by zero.
MAX_LEVERAGE = 1 - 1e-9


class Fit(NamedTuple):
    """Of the first column: its coefficient, the variance of it, and the degrees of freedom."""

    value: float
    variance: float
    freedom: float

    def p(self) -> float:
        return float(
            2 * stats().t.sf(abs(self.value) / math.sqrt(self.variance), self.freedom)
        )

    def half(self, alpha: float) -> float:
        return float(stats().t.isf(alpha / 2, self.freedom)) * math.sqrt(self.variance)


def fit(
    values: Any, columns: list[Any], strata: Any, clusters: Any = None
) -> Fit | None:
    """`strata` and `clusters` are numbers for names. None when the columns do not tell the coefficient."""
    np = numpy()
    sizes = np.bincount(strata)
    design = np.column_stack([_within(column, strata, sizes) for column in columns])
    outcome = _within(values, strata, sizes)
    freedom = len(values) - design.shape[1] - int((sizes > 0).sum())
    square = design.T @ design
    if freedom <= 0 or np.linalg.matrix_rank(square, hermitian=True) < len(columns):
        return None
    bread = np.linalg.inv(square)
    coefficients = bread @ (design.T @ outcome)
    rest = outcome - design @ coefficients
    factor = 1.0
    if clusters is None:
        leverage = (design @ bread * design).sum(1) + 1 / sizes[strata]
        spread = np.sqrt(1 - np.minimum(leverage, MAX_LEVERAGE))
        scores = design * (rest / spread)[:, None]
    else:
        many = len(np.unique(clusters))
        if many < 2:
            return None
        moves = design * rest[:, None]
        scores = np.column_stack(
            [np.bincount(clusters, weights=column) for column in moves.T]
        )
        factor = many / (many - 1) * (len(values) - 1) / freedom
        freedom = many - 1
    variance = float((bread @ (scores.T @ scores) @ bread)[0, 0]) * factor
    if variance <= 0 or not math.isfinite(variance):
        return None
    return Fit(float(coefficients[0]), variance, float(freedom))


def _within(column: Any, strata: Any, sizes: Any) -> Any:
    np = numpy()
    means = np.bincount(strata, weights=column) / np.maximum(sizes, 1)
    return column - means[strata]
