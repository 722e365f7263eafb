"""Evidence that may be read at any time: e-values and confidence sequences.

An e-value is what a fair bet against "no difference" has grown to from a stake of 1. While there is no difference, the
chance that it ever reaches 1/alpha is at most alpha, however often one looks (Ville 1939). The bet is a mixture over
effects, normal with a standard deviation of sqrt(WIDTH) units' spread (Robbins 1970), in Student's form, so that a
spread which had to be estimated from few units counts against it (Lai 1976; Wang and Ramdas 2024). The confidence
sequence holds all differences the bet has not refuted.

For normal values of equal spread this is exact; else it leans on the central limit theorem, as asymptotic confidence
sequences do (Waudby-Smith et al. 2024). Two things make it hold with skewed values and unequal arms as well: no reading
before FEWEST units an arm, and the larger of the pooled and the separate variance (see `contrast`).
`bench/statistics.py` measures the false alarms. All functions take numbers or arrays of them.
"""

from __future__ import annotations

from typing import Any

from afterglow.experiment.analysis.lazy_scipy import numpy

# Variance of the bet's effects, in that of one unit: it bets on a third of a standard deviation.
WIDTH = 0.1
# Units an arm before anything is read: with fewer, skewed values give false alarms.
FEWEST = 10


def log_e(difference: Any, variance: Any, freedom: Any, spread: Any) -> Any:
    """The logarithm of the e-value against a difference of nothing. `variance` is that of the difference, with
    `freedom` degrees; `spread` is the variance of one unit."""
    np = numpy()
    information = WIDTH * spread / variance
    surprise = difference * difference / variance / freedom
    return (freedom + 1) / 2 * (
        np.log1p(surprise) - np.log1p(surprise / (1 + information))
    ) - np.log1p(information) / 2


def half_width(variance: Any, freedom: Any, spread: Any, alpha: float) -> Any:
    """How far the confidence sequence reaches to each side; infinite while nothing could be refuted."""
    np = numpy()
    information = WIDTH * spread / variance
    growth = np.exp(
        (np.log1p(information) / 2 - np.log(alpha)) * 2 / (freedom + 1)
    )  # what (1 + x) / (1 + x / (1 + told)) may be
    remaining = 1 - growth / (1 + information)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(
            remaining > 0,
            np.sqrt(variance * freedom * (growth - 1) / remaining),
            np.inf,
        )
