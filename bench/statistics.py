"""What the statistics of experiments are worth, where the truth is known. `python -m bench.statistics --help`.

False alarms when an A/A comparison is read after every unit; how often intervals hold the truth; power against theory;
bias; what reading at any time costs. What does not come out well is in the table too. Results go to
bench/out/statistics.json.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from afterglow.experiment.analysis.adjustment import adjusted
from afterglow.experiment.analysis.compare import compare, contrast_of, standing
from afterglow.experiment.analysis.power import needed, power_of
from afterglow.experiment.analysis.rows import Columns, columns
from afterglow.records.experiment import Plan
from afterglow_demo.simulated_trials import World, allocate, simulate, values
from bench.peeking import ALPHA, Peeked, peek

OUT = Path(__file__).parent / "out"
CHUNK = 2500
HALF, FIFTH, TENTH = (0.5, 0.5), (0.8, 0.2), (0.9, 0.1)  # control, arm

ALIKE: dict[str, World] = {
    "amount, normal": World(scale="amount", mean=0.0),
    "yes-no, 50 %": World(scale="yes-no", mean=0.5),
    "yes-no, 20 %": World(scale="yes-no", mean=0.2),
    "yes-no, 5 %": World(scale="yes-no", mean=0.05),
    "count, mean 3, skewed": World(scale="count", mean=3.0, spread=0.5),
    "count, mean 0.3, very skewed": World(scale="count", mean=0.3, spread=0.3),
    "rate, mean 9 %, skewed": World(scale="rate", mean=0.09, spread=3.3),
    "seconds, log-sd 1": World(scale="seconds", mean=300.0, spread=1.0),
    "seconds, log-sd 1.5": World(scale="seconds", mean=300.0, spread=1.5),
    "amount, 20 whole clusters": World(
        scale="amount", mean=0.0, clusters=20, shared=0.3, whole=True
    ),
    "yes-no, 20 whole clusters": World(
        scale="yes-no", mean=0.5, clusters=20, shared=0.2, whole=True
    ),
    "count, 40 whole clusters": World(
        scale="count", mean=3.0, spread=0.5, clusters=40, shared=0.3, whole=True
    ),
    "amount, 20 mixed clusters": World(
        scale="amount", mean=0.0, clusters=20, shared=0.3
    ),
    "count, 20 mixed clusters": World(
        scale="count", mean=3.0, spread=0.5, clusters=20, shared=0.3
    ),
    "yes-no, 3 mixed clusters": World(scale="yes-no", mean=0.5, clusters=3, shared=0.2),
}
FIXED: list[
    tuple[str, World, int, int]
] = [  # name, world, units of the control, of the arm
    (
        "amount, 20 and 20",
        World(scale="amount", mean=0.0, effects={"arm": 0.5}),
        20,
        20,
    ),
    (
        "amount, 180 and 20",
        World(scale="amount", mean=0.0, effects={"arm": 0.5}),
        180,
        20,
    ),
    (
        "yes-no, 30 and 30",
        World(scale="yes-no", mean=0.5, effects={"arm": 0.2}),
        30,
        30,
    ),
    (
        "yes-no rare, 100 and 100",
        World(scale="yes-no", mean=0.1, effects={"arm": -0.05}),
        100,
        100,
    ),
    (
        "yes-no, 270 and 30",
        World(scale="yes-no", mean=0.5, effects={"arm": 0.2}),
        270,
        30,
    ),
    (
        "count, 100 and 100",
        World(scale="count", mean=3.0, spread=0.5, effects={"arm": -1.0}),
        100,
        100,
    ),
    (
        "count, 400 and 400",
        World(scale="count", mean=3.0, spread=0.5, effects={"arm": -1.0}),
        400,
        400,
    ),
    (
        "count, 450 and 50",
        World(scale="count", mean=3.0, spread=0.5, effects={"arm": -1.0}),
        450,
        50,
    ),
    (
        "rate, 100 and 100",
        World(scale="rate", mean=0.09, spread=3.3, effects={"arm": -0.03}),
        100,
        100,
    ),
    (
        "seconds, 100 and 100",
        World(scale="seconds", mean=300.0, effects={"arm": -60.0}),
        100,
        100,
    ),
    (
        "amount, 5 + 5 clusters",
        World(scale="amount", mean=0.0, clusters=10, shared=0.3, whole=True),
        50,
        50,
    ),
    (
        "amount, 10 + 10 clusters",
        World(scale="amount", mean=0.0, clusters=20, shared=0.3, whole=True),
        100,
        100,
    ),
    (
        "yes-no, 10 + 10 clusters",
        World(scale="yes-no", mean=0.5, clusters=20, shared=0.2, whole=True),
        100,
        100,
    ),
    (
        "count, 20 + 20 clusters",
        World(scale="count", mean=3.0, spread=2.0, clusters=40, shared=0.3, whole=True),
        200,
        200,
    ),
    (
        "amount, 20 mixed clusters",
        World(scale="amount", mean=0.0, clusters=20, shared=0.3),
        200,
        200,
    ),
    (
        "count, 20 mixed clusters",
        World(scale="count", mean=3.0, spread=2.0, clusters=20, shared=0.3),
        200,
        200,
    ),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument(
        "--units", type=int, default=600, help="of both arms together, each one a peek"
    )
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    found = {
        "cumulative form differs from the package by at most": agreement(),
        "false alarms, read after every unit": false_alarms(
            options.runs, options.units
        ),
        "sequence ever missed the truth": sequences(options.runs, options.units),
        "fixed intervals": coverage(options.runs),
        "paired": pairs(options.runs),
        "adjusted": adjusting(options.runs // 10),
        "power": powers(options.runs),
        "price of peeking": price(options.runs),
    }
    (OUT / "statistics.json").write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


def lay_out(
    world: World, rng: Any, runs: int, units: int, shares: tuple[float, float]
) -> tuple[Any, Any, Any]:
    """Values, arms and clusters of many runs."""
    arms = allocate(rng, runs, units, shares)
    clusters = rng.integers(max(world.clusters, 1), size=(runs, units))
    if world.whole:
        arms = allocate(rng, runs, world.clusters, shares, block=world.clusters)[
            np.arange(runs)[:, None], clusters
        ]
    added = np.where(arms == 1, world.effects.get("arm", 0.0), 0.0)
    y = values(world, rng, added, clusters, rng.normal(size=arms.shape))
    return y, arms, clusters if world.clusters else None


def _peek(
    world: World, runs: int, units: int, shares: tuple[float, float], seed: int
) -> Peeked:
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(math.ceil(runs / CHUNK)):
        y, arms, clusters = lay_out(world, rng, min(CHUNK, runs), units, shares)
        parts.append(
            peek(
                y,
                arms,
                clusters,
                truth=world.effects.get("arm", 0.0),
                yes_no=world.scale == "yes-no",
                whole=world.whole,
            )
        )
    return Peeked(*(np.concatenate(one) for one in zip(*parts, strict=True)))


def agreement() -> float:
    """The largest difference of an e-value (as logarithm) between this bench and the package, over all worlds."""
    worst = 0.0
    for world in ALIKE.values():
        rng = np.random.default_rng(5)
        y, arms, clusters = lay_out(world, rng, 20, 120, HALF)
        fast = peek(
            y,
            arms,
            clusters,
            truth=0.0,
            yes_no=world.scale == "yes-no",
            whole=world.whole,
        )
        for run in range(20):
            rows = _rows(
                y[run], arms[run] == 1, None if clusters is None else clusters[run]
            )
            slow = standing(rows, world.scale, ALPHA, paired=False).e
            worst = max(worst, abs(math.log(slow) - math.log(fast.last[run])))
    return worst


def false_alarms(runs: int, units: int) -> dict[str, dict[str, float]]:
    found = {}
    for name, world in ALIKE.items():
        for shares in (HALF, FIFTH, TENTH):
            if world.clusters and shares == TENTH:
                continue
            peeked = _peek(world, runs, units, shares, seed=11)
            found[f"{name}; {shares[1]:.0%} in the arm"] = {
                "ours": _share(peeked.alarm),
                "t-test read every fifth unit": _share(peeked.naive),
            }
    return found


def sequences(runs: int, units: int) -> dict[str, float]:
    """With an effect, and with spreads that differ between arms: the truth must stay inside for good."""
    worlds = {
        "yes-no, 50 to 70 %": World(scale="yes-no", mean=0.5, effects={"arm": 0.2}),
        "yes-no, 10 to 3 %": World(scale="yes-no", mean=0.1, effects={"arm": -0.07}),
        "count, mean 3 to 2": World(
            scale="count", mean=3.0, spread=0.5, effects={"arm": -1.0}
        ),
        "count, mean 3 to 1": World(
            scale="count", mean=3.0, spread=0.5, effects={"arm": -2.0}
        ),
        "count, mean 1 to 3": World(
            scale="count", mean=1.0, spread=0.5, effects={"arm": 2.0}
        ),
        "seconds, 300 to 200": World(
            scale="seconds", mean=300.0, effects={"arm": -100.0}
        ),
    }
    shares = (HALF, FIFTH, TENTH, (0.1, 0.9))
    return {
        f"{name}; {share[1]:.0%} in the arm": _share(
            _peek(world, runs, units, share, seed=12).missed
        )
        for name, world in worlds.items()
        for share in shares
    }


def coverage(runs: int) -> dict[str, dict[str, float]]:
    found = {}
    for name, world, n0, n1 in FIXED:
        rng = np.random.default_rng(13)
        arms = np.repeat([0, 1], [n0, n1])[None, :].repeat(runs, 0)
        if (
            world.whole
        ):  # the first half of the clusters to the control, the others to the arm
            size = (n0 + n1) // world.clusters
            clusters = (np.arange(n0 + n1) // size)[None, :].repeat(runs, 0)
        else:
            clusters = rng.integers(max(world.clusters, 1), size=arms.shape)
        truth = world.effects.get("arm", 0.0)
        y = values(world, rng, arms * truth, clusters, rng.normal(size=arms.shape))
        inside, low, distances, ratio = [], [], [], []
        for run in range(
            runs if world.scale != "yes-no" or world.clusters else runs // 5
        ):
            got = compare(
                _rows(
                    y[run], arms[run] == 1, clusters[run] if world.clusters else None
                ),
                world.scale,
                ALPHA,
                paired=False,
            )
            inside.append(got.interval.low <= truth <= got.interval.high)
            low.append(got.interval.low > truth)
            distances.append(got.contrast.difference - truth)
            if got.ratio_interval and world.scale in ("count", "seconds", "rate"):
                true_ratio = (world.mean + truth) / world.mean
                ratio.append(
                    got.ratio_interval.low <= true_ratio <= got.ratio_interval.high
                )
        found[name] = {
            "covers": _share(inside),
            "too high": _share(low),
            "bias in standard errors": round(
                float(np.mean(distances) / np.std(distances)), 3
            ),
            **({"ratio covers": _share(ratio)} if ratio else {}),
        }
    return found


def pairs(runs: int) -> dict[str, dict[str, float]]:
    found = {}
    for name, world, tasks in (
        (
            "yes-no, 20 tasks",
            World(
                scale="yes-no", mean=0.5, effects={"arm": 0.2}, clusters=20, shared=0.4
            ),
            20,
        ),
        (
            "yes-no, 60 tasks",
            World(
                scale="yes-no", mean=0.5, effects={"arm": 0.2}, clusters=60, shared=0.4
            ),
            60,
        ),
        (
            "amount, 20 tasks",
            World(
                scale="amount", mean=0.0, effects={"arm": 0.5}, clusters=20, shared=0.5
            ),
            20,
        ),
        (
            "count, 60 tasks",
            World(
                scale="count",
                mean=3.0,
                spread=1.0,
                effects={"arm": -1},
                clusters=60,
                shared=0.5,
            ),
            60,
        ),
    ):
        rng = np.random.default_rng(14)
        count = runs // 5
        arms = np.tile([0, 1], tasks)[None, :].repeat(count, 0)
        task = np.repeat(np.arange(tasks), 2)[None, :].repeat(count, 0)
        truth = world.effects["arm"]
        y = values(world, rng, arms * truth, task, rng.normal(size=arms.shape))
        null = values(world, rng, arms * 0.0, task, rng.normal(size=arms.shape))
        inside, false = [], []
        for run in range(count):
            got = compare(
                _rows(y[run], arms[run] == 1, None, task[run]),
                world.scale,
                ALPHA,
                paired=True,
            )
            inside.append(got.interval.low <= truth <= got.interval.high)
            false.append(
                compare(
                    _rows(null[run], arms[run] == 1, None, task[run]),
                    world.scale,
                    ALPHA,
                    paired=True,
                ).p
                < ALPHA
            )
        found[name] = {
            "covers": _share(inside),
            "false alarms, read once": _share(false),
        }
    return found


def adjusting(runs: int) -> dict[str, dict[str, float]]:
    """A covariate that tells much of the outcome: whether the adjusted interval holds, and how much shorter it is."""
    plan = Plan(
        name="a",
        arms=("cold", "arm"),
        allocation=HALF,
        outcomes=("y",),
        created=0.0,
        salt="",
    )
    found = {}
    for name, world in (
        (
            "amount, covariate .7",
            World(scale="amount", mean=0.0, effects={"arm": 0.3}, correlation=0.7),
        ),
        (
            "count, covariate .7",
            World(
                scale="count",
                mean=3.0,
                spread=2.0,
                effects={"arm": -0.5},
                correlation=0.7,
            ),
        ),
    ):
        inside, shorter = [], []
        for seed in range(runs):
            rows = columns(simulate(world, plan, 120, seed=seed)[1], "y", "arm", "cold")
            plain = compare(rows, world.scale, ALPHA, paired=False)
            got = adjusted(rows, contrast_of(rows, world.scale, paired=False), ALPHA)
            assert got
            inside.append(got[1].low <= world.effects["arm"] <= got[1].high)
            shorter.append(
                (got[1].high - got[1].low) / (plain.interval.high - plain.interval.low)
            )
        found[name] = {
            "covers": _share(inside),
            "width against unadjusted": round(float(np.mean(shorter)), 3),
        }
    return found


def powers(runs: int) -> dict[str, dict[str, float]]:
    found = {}
    for name, world, options in (
        (
            "amount, 0.5 sd",
            World(scale="amount", mean=0.0, effects={"arm": 0.5}),
            {"sd": 1.0},
        ),
        (
            "yes-no, 50 to 70 %",
            World(scale="yes-no", mean=0.5, effects={"arm": 0.2}),
            {"baseline": 0.5},
        ),
        (
            "amount, arms 1 to 4",
            World(scale="amount", mean=0.0, effects={"arm": 0.5}),
            {"sd": 1.0, "ratio": 4.0},
        ),
        (
            "amount, clusters of 10",
            World(
                scale="amount", mean=0.0, effects={"arm": 0.5}, shared=0.2, whole=True
            ),
            {"sd": 1.0, "cluster_size": 10.0, "icc": 0.2},
        ),
    ):
        effect = world.effects["arm"]
        n = needed(effect, scale=world.scale, **options)
        if world.whole:
            n = math.ceil(n / 10) * 10
        n0 = round(n * options.get("ratio", 1.0))
        rng = np.random.default_rng(15)
        arms = np.repeat([0, 1], [n0, n])[None, :].repeat(runs // 4, 0)
        clusters = (np.arange(n0 + n) // (10 if world.whole else n0 + n))[
            None, :
        ].repeat(runs // 4, 0)
        many = World(
            scale=world.scale,
            mean=world.mean,
            effects=world.effects,
            shared=world.shared,
            clusters=int(clusters.max()) + 1 if world.whole else 0,
        )
        y = values(many, rng, arms * effect, clusters, rng.normal(size=arms.shape))
        hits = [
            compare(
                _rows(y[run], arms[run] == 1, clusters[run] if world.whole else None),
                world.scale,
                ALPHA,
                paired=False,
            ).p
            < ALPHA
            for run in range(runs // 4)
        ]
        theory = power_of(n, effect, scale=world.scale, **options)
        found[name] = {
            "n in the smaller arm": n,
            "theory": round(theory, 3),
            "found": _share(hits),
        }
    return found


def price(runs: int) -> dict[str, dict[str, float]]:
    """How many units it takes when one stops as soon as the sequence says so, against one reading with 80 % power."""
    found = {}
    for name, world, options in (
        (
            "amount, 0.5 sd",
            World(scale="amount", mean=0.0, effects={"arm": 0.5}),
            {"sd": 1.0},
        ),
        (
            "amount, 0.3 sd",
            World(scale="amount", mean=0.0, effects={"arm": 0.3}),
            {"sd": 1.0},
        ),
        (
            "yes-no, 50 to 70 %",
            World(scale="yes-no", mean=0.5, effects={"arm": 0.2}),
            {"baseline": 0.5},
        ),
    ):
        once = 2 * needed(world.effects["arm"], scale=world.scale, **options)
        after = np.sort(_peek(world, runs // 4, once * 4, HALF, seed=16).after)
        found[name] = {
            "read once, 80 % power": once,
            "median stop": float(np.median(after)),
            "80 % stopped by": float(after[int(len(after) * 0.8)]),
        }
    return found


def _rows(y: Any, treated: Any, clusters: Any = None, pairs: Any = None) -> Columns:
    alone = np.arange(len(y))
    return Columns(
        y,
        treated,
        alone,
        alone if clusters is None else clusters,
        alone if pairs is None else pairs,
        (),
    )


def _share(flags: Any) -> float:
    return round(float(np.mean(flags)), 4)


if __name__ == "__main__":
    main()
