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


class World(Struct, frozen=True, kw_only=True):
    """`mean` is that of the control, `effects` what an arm adds to it. `spread` is the standard deviation of an amount,
    that of the logarithm of seconds, the shape of a count (small: more skewed), or how concentrated a rate is.
    `shared` is the part clusters have in common (0 to 1); with `whole` clusters an arm holds all of a cluster.
    `known` is how much a covariate seen before the start tells (a correlation, for amounts, counts and seconds).
    `lost` is the share of each arm's units that say nothing."""

    scale: Scale
    mean: float
    effects: dict[str, float] = {}
    spread: float = 1.0
    clusters: int = 0
    shared: float = 0.0
    whole: bool = False
    strata: int = 1
    known: float = 0.0
    lost: dict[str, float] = {}


def values(world: World, rng: Any, added: Any, clusters: Any, covariate: Any) -> Any:
    """Outcomes of units, as an array like `added` (what each unit's arm adds to the mean): runs down, units across.
    `clusters` are numbers below `world.clusters`, `covariate` is standard normal."""
    np = numpy()
    runs, shared = added.shape[0], world.shared if world.clusters else 0.0
    row = np.arange(runs)[:, None]
    mean = world.mean + added
    if world.scale == "amount":
        common = rng.normal(size=(runs, max(world.clusters, 1)))[row, clusters]
        rest = np.sqrt(1 - shared - world.known**2) * rng.normal(size=added.shape)
        return mean + world.spread * (
            np.sqrt(shared) * common + world.known * covariate + rest
        )
    if world.scale in ("yes-no", "rate"):
        chance = mean
        if shared:  # a cluster keeps its place among clusters, whatever the arm
            place = rng.random((runs, world.clusters))[row, clusters]
            chance = stats().beta.ppf(
                place, mean * (1 / shared - 1), (1 - mean) * (1 / shared - 1)
            )
        if world.scale == "yes-no":
            return (rng.random(added.shape) < chance).astype(float)
        return rng.beta(chance * world.spread, (1 - chance) * world.spread)
    factor = np.exp(world.known * covariate - world.known**2 / 2)
    if shared:
        factor = (
            factor
            * rng.gamma(1 / shared, shared, size=(runs, world.clusters))[row, clusters]
        )
    if world.scale == "seconds":
        return (
            mean
            * factor
            * rng.lognormal(-(world.spread**2) / 2, world.spread, size=added.shape)
        )
    return rng.poisson(
        mean * factor * rng.gamma(world.spread, 1 / world.spread, size=added.shape)
    ).astype(float)


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
    many = max(world.clusters, 1)
    clusters = (
        rng.integers(many, size=(1, units))
        if world.clusters
        else np.zeros((1, units), dtype=int)
    )
    strata = np.arange(units) % world.strata
    arms = allocate(rng, 1, units, plan.allocation)
    if world.whole:
        arms = allocate(rng, 1, many, plan.allocation)[:, clusters[0]]
    at, side = np.arange(units), arms[0]
    if plan.design == "paired":
        at, side = (
            np.repeat(at, len(plan.arms)),
            np.tile(np.arange(len(plan.arms)), units),
        )
    covariate = rng.normal(size=(1, units))[:, at]
    added = np.array([[world.effects.get(plan.arms[number], 0.0) for number in side]])
    drawn = values(world, rng, added, clusters[:, at], covariate)[0]
    lost = rng.random(len(at)) < np.array(
        [world.lost.get(plan.arms[number], 0.0) for number in side]
    )
    assignments, trials = [], []
    for row, (task, number) in enumerate(zip(at.tolist(), side.tolist(), strict=True)):
        unit, arm, stratum, time = (
            f"u{task}",
            plan.arms[number],
            f"s{strata[task]}",
            start + row * DAY / 5,
        )
        assignments.append(
            Assignment(
                experiment=plan.name, unit=unit, arm=arm, time=time, stratum=stratum
            )
        )
        trials.append(
            Trial(
                experiment=plan.name,
                unit=unit,
                arm=arm,
                time=time + 600,
                outcomes={plan.primary: None if lost[row] else float(drawn[row])},
                stratum=stratum,
                cluster=f"c{clusters[0, task]}" if world.clusters else "",
                pair=unit if plan.design == "paired" else "",
                before={"difficulty": float(covariate[0, row])} if world.known else {},
            )
        )
    return assignments, trials
