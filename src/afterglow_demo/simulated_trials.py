"""Invented trials whose truth is known: effects, skew, clusters, strata, covariates, drop-outs. For testing statistics.

`values` draws many runs at once as arrays; `simulate` wraps one run as assignments and trials. All of it is invented
and must be labelled so (`Analysis.simulated`).
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from afterglow.experiment.analysis.lazy_scipy import numpy, stats
from afterglow.records.experiment import Assignment, Plan, Scale, Trial

DAY = 86_400.0
UNITS_A_DAY = 5  # enough days for a trend to show, few enough for a quick test
SESSION_SECONDS = 600.0  # from being assigned to being recorded


class World(Struct, frozen=True, kw_only=True):
    """`mean` is that of the control, `effects` what an arm adds to it. `spread` is the standard deviation of an amount,
    that of the logarithm of seconds, the shape of a count (small: more skewed), or how concentrated a rate is.
    `shared` is the part clusters have in common (0 to 1); with `whole` clusters an arm holds all of a cluster.
    `correlation` is how much a covariate seen before the start tells (a correlation, for amounts, counts and seconds).
    `lost` is the share of each arm's units that say nothing."""

    scale: Scale
    mean: float
    effects: dict[str, float] = {}
    spread: float = 1.0
    clusters: int = 0
    shared: float = 0.0
    whole: bool = False
    strata: int = 1
    correlation: float = 0.0
    lost: dict[str, float] = {}


def values(world: World, rng: Any, added: Any, clusters: Any, covariate: Any) -> Any:
    """Outcomes of units, as an array like `added` (what each unit's arm adds to the mean): runs down, units across.
    `clusters` are numbers below `world.clusters`, `covariate` is standard normal."""
    if world.scale == "amount":
        return _amounts(world, rng, added, clusters, covariate)
    if world.scale in ("yes-no", "rate"):
        return _shares(world, rng, added, clusters)
    return _counts_or_seconds(world, rng, added, clusters, covariate)


def _amounts(world: World, rng: Any, added: Any, clusters: Any, covariate: Any) -> Any:
    np = numpy()
    runs = added.shape[0]
    shared = _shared(world)
    common = rng.normal(size=(runs, max(world.clusters, 1)))[_rows(runs), clusters]
    remaining = 1 - shared - world.correlation**2
    noise = np.sqrt(remaining) * rng.normal(size=added.shape)
    deviation = np.sqrt(shared) * common + world.correlation * covariate + noise
    return world.mean + added + world.spread * deviation


def _shares(world: World, rng: Any, added: Any, clusters: Any) -> Any:
    mean = chance = world.mean + added
    if shared := _shared(world):
        # a cluster keeps its place among clusters, whatever the arm
        runs = added.shape[0]
        place = rng.random((runs, world.clusters))[_rows(runs), clusters]
        concentration = 1 / shared - 1
        chance = stats().beta.ppf(
            place, mean * concentration, (1 - mean) * concentration
        )
    if world.scale == "yes-no":
        return (rng.random(added.shape) < chance).astype(float)
    return rng.beta(chance * world.spread, (1 - chance) * world.spread)


def _counts_or_seconds(
    world: World, rng: Any, added: Any, clusters: Any, covariate: Any
) -> Any:
    """Means that clusters and the covariate stretch, and a skewed draw around them."""
    np = numpy()
    mean = world.mean + added
    factor = np.exp(world.correlation * covariate - world.correlation**2 / 2)
    if shared := _shared(world):
        runs = added.shape[0]
        by_cluster = rng.gamma(1 / shared, shared, size=(runs, world.clusters))
        factor = factor * by_cluster[_rows(runs), clusters]
    if world.scale == "seconds":
        skew = rng.lognormal(-(world.spread**2) / 2, world.spread, size=added.shape)
        return mean * factor * skew
    skew = rng.gamma(world.spread, 1 / world.spread, size=added.shape)
    return rng.poisson(mean * factor * skew).astype(float)


def _shared(world: World) -> float:
    return world.shared if world.clusters else 0.0


def _rows(runs: int) -> Any:
    return numpy().arange(runs)[:, None]


def allocate(
    rng: Any, runs: int, units: int, shares: tuple[float, ...], block: int = 30
) -> Any:
    """The number of the arm of each unit, in shuffled blocks that hold each arm by its share."""
    np = numpy()
    bounds = np.cumsum(shares) / sum(shares)
    places = (np.arange(units) % block + 0.5) / block
    arms = np.searchsorted(bounds, places)
    keys = rng.random((runs, units)) + np.arange(units) // block
    return arms[np.argsort(keys, axis=1)]


def simulate(
    world: World, plan: Plan, units: int, *, seed: int, start: float = 0.0
) -> tuple[list[Assignment], list[Trial]]:
    """One experiment of so many units (tasks, in a paired design), a few a day, in the primary outcome of the plan."""
    np = numpy()
    rng = np.random.default_rng(seed)
    clusters = np.zeros((1, units), dtype=int)
    if world.clusters:
        clusters = rng.integers(world.clusters, size=(1, units))
    arms = allocate(rng, 1, units, plan.allocation)
    if world.whole:
        arms = allocate(rng, 1, max(world.clusters, 1), plan.allocation)[:, clusters[0]]
    tasks, sides = np.arange(units), arms[0]
    if plan.design == "paired":
        sides = np.tile(np.arange(len(plan.arms)), units)
        tasks = np.repeat(tasks, len(plan.arms))
    covariate = rng.normal(size=(1, units))[:, tasks]
    added = np.array([[world.effects.get(plan.arms[side], 0.0) for side in sides]])
    drawn = values(world, rng, added, clusters[:, tasks], covariate)[0]
    loss = np.array([world.lost.get(plan.arms[side], 0.0) for side in sides])
    lost = rng.random(len(tasks)) < loss
    assignments, trials = [], []
    for row, (task, side) in enumerate(
        zip(tasks.tolist(), sides.tolist(), strict=True)
    ):
        assignment = Assignment(
            experiment=plan.name,
            unit=f"u{task}",
            arm=plan.arms[side],
            time=start + row * DAY / UNITS_A_DAY,
            stratum=f"s{task % world.strata}",
        )
        trial = Trial(
            experiment=plan.name,
            unit=assignment.unit,
            arm=assignment.arm,
            time=assignment.time + SESSION_SECONDS,
            outcomes={plan.primary: None if lost[row] else float(drawn[row])},
            stratum=assignment.stratum,
            cluster=f"c{clusters[0, task]}" if world.clusters else "",
            pair=assignment.unit if plan.design == "paired" else "",
            before={"difficulty": float(covariate[0, row])}
            if world.correlation
            else {},
        )
        assignments.append(assignment)
        trials.append(trial)
    return assignments, trials
