"""The difference after what was known before the start: strata and covariates.

A regression of the outcome on the arm, the strata and the covariates, each covariate with a slope of its own in each
arm (Lin 2013; with one covariate this is CUPED, Deng et al. 2013). Randomisation alone makes it right, not the model;
it can only sharpen. Errors are robust (HC2, or by cluster). Strata too small to tell anything are taken together.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from afterglow.experiment.analysis.contrast import Contrast
from afterglow.experiment.analysis.lazy_scipy import numpy
from afterglow.experiment.analysis.robust import fit
from afterglow.experiment.analysis.rows import Columns
from afterglow.records.experiment import Interval

# A smaller stratum says too little about its own mean to be worth a number.
MIN_STRATUM_UNITS = 5
# Units that must be there beyond the numbers estimated: below it robust errors mislead.
MIN_SPARE_UNITS = 10


def adjusted(
    columns: Columns, contrast: Contrast, alpha: float
) -> tuple[float, Interval] | None:
    """None when nothing was known before, or too few units are there to use it."""
    np = numpy()
    strata, covariates = _strata(columns), _covariates(columns)
    numbers = 1 + 2 * len(covariates) + int(strata.max(initial=0)) + 1
    if numbers == 2 or len(columns.values) - numbers < MIN_SPARE_UNITS:
        return None
    arm = columns.treated.astype(float)
    clusters = None
    if contrast.clusters:
        named = len(np.unique(columns.clusters)) == contrast.clusters
        clusters = columns.clusters if named else columns.units
    fitted = fit(
        columns.values,
        [arm, *covariates, *(column * arm for column in covariates)],
        strata,
        clusters,
    )
    if not fitted:
        return None
    half = fitted.half(alpha)
    return fitted.value, Interval(fitted.value - half, fitted.value + half)


def _strata(columns: Columns) -> Any:
    """A number for each stratum that is large enough and holds both arms; the others are one."""
    names = [trial.stratum for trial in columns.trials]
    sizes = Counter(names)
    sides = {(name, bool(at)) for name, at in zip(names, columns.treated, strict=True)}
    large = [
        name
        for name, n in sizes.items()
        if n >= MIN_STRATUM_UNITS and {(name, True), (name, False)} <= sides
    ]
    numbers = {name: at for at, name in enumerate(large)}
    numbered = numpy().array(
        [numbers.get(name, len(large)) for name in names], dtype=int
    )
    return numpy().unique(numbered, return_inverse=True)[1]


def _covariates(columns: Columns) -> list[Any]:
    """Centred; where one is not known, the mean stands in for it."""
    np = numpy()
    covariates = []
    for name in sorted({name for trial in columns.trials for name in trial.before}):
        values = np.array(
            [trial.before.get(name, math.nan) for trial in columns.trials], dtype=float
        )
        is_known = np.isfinite(values)
        if not is_known.any() or np.ptp(values[is_known]) == 0:
            continue
        centred = np.where(is_known, values - values[is_known].mean(), 0.0)
        covariates.append(centred / centred.std())
    return covariates
