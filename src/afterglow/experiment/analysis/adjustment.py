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

SMALLEST = 5  # units of a stratum of its own
ROOM = 10  # units left over for each number estimated, at least so many in all


def adjusted(
    columns: Columns, contrast: Contrast, alpha: float
) -> tuple[float, Interval] | None:
    """None when nothing was known before, or too few units are there to use it."""
    np = numpy()
    strata, known = _strata(columns), _covariates(columns)
    numbers = 1 + 2 * len(known) + int(strata.max(initial=0)) + 1
    if numbers == 2 or len(columns.values) - numbers < ROOM:
        return None
    arm = columns.treated.astype(float)
    clusters = None
    if contrast.clusters:
        named = len(np.unique(columns.clusters)) == contrast.clusters
        clusters = columns.clusters if named else columns.units
    found = fit(
        columns.values,
        [arm, *known, *(column * arm for column in known)],
        strata,
        clusters,
    )
    if not found:
        return None
    half = found.half(alpha)
    return found.value, Interval(found.value - half, found.value + half)


def _strata(columns: Columns) -> Any:
    """A number for each stratum that is large enough and holds both arms; the others are one."""
    names = [trial.stratum for trial in columns.trials]
    sizes = Counter(names)
    sides = {(name, bool(at)) for name, at in zip(names, columns.treated, strict=True)}
    kept = [
        name
        for name, n in sizes.items()
        if n >= SMALLEST and {(name, True), (name, False)} <= sides
    ]
    numbers = {name: at for at, name in enumerate(kept)}
    found = numpy().array([numbers.get(name, len(kept)) for name in names], dtype=int)
    return numpy().unique(found, return_inverse=True)[1]


def _covariates(columns: Columns) -> list[Any]:
    """Centred; where one is not known, the mean stands in for it."""
    np = numpy()
    found = []
    for name in sorted({name for trial in columns.trials for name in trial.before}):
        values = np.array(
            [trial.before.get(name, math.nan) for trial in columns.trials], dtype=float
        )
        known = np.isfinite(values)
        if not known.any() or np.ptp(values[known]) == 0:
            continue
        centred = np.where(known, values - values[known].mean(), 0.0)
        found.append(centred / centred.std())
    return found
