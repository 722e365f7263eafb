"""The simulator gives the truth it was told."""

import numpy as np
import pytest

from afterglow.records.experiment import Plan
from afterglow_demo.simulated_trials import World, allocate, simulate, values

PLAN = Plan(
    name="harbor",
    arms=("cold", "warm", "placebo"),
    allocation=(0.1, 0.8, 0.1),
    outcomes=("y",),
    created=0.0,
    salt="s",
)


@pytest.mark.parametrize(
    "world",
    [
        World(scale="yes-no", mean=0.3, clusters=50, shared=0.3),
        World(
            scale="count",
            mean=3.0,
            spread=0.5,
            clusters=50,
            shared=0.3,
            correlation=0.4,
        ),
        World(scale="rate", mean=0.1, spread=4.0),
        World(scale="seconds", mean=200.0, spread=1.0, correlation=0.4),
        World(
            scale="amount",
            mean=-2.0,
            spread=3.0,
            clusters=50,
            shared=0.2,
            correlation=0.4,
        ),
    ],
    ids=lambda world: world.scale,
)
def test_arms_have_the_means_they_were_given(world):
    rng = np.random.default_rng(1)
    shape = (400, 200)
    clusters = rng.integers(max(world.clusters, 1), size=shape)
    added = np.full(shape, 0.1 * abs(world.mean))
    drawn = values(world, rng, added, clusters, rng.normal(size=shape))
    error = drawn.mean(1).std() / 20
    assert abs(drawn.mean() - (world.mean + 0.1 * abs(world.mean))) < 4 * error


def test_units_of_a_cluster_are_alike():
    world = World(scale="amount", mean=0.0, clusters=400, shared=0.3)
    clusters = np.repeat(np.arange(400), 2)[None, :].repeat(50, 0)
    drawn = values(
        world,
        np.random.default_rng(1),
        np.zeros((50, 800)),
        clusters,
        np.zeros((50, 800)),
    )
    assert np.corrcoef(drawn[:, ::2].ravel(), drawn[:, 1::2].ravel())[
        0, 1
    ] == pytest.approx(0.3, abs=0.03)


def test_blocks_hold_each_arm_by_its_share():
    arms = allocate(np.random.default_rng(1), 5, 60, (0.1, 0.8, 0.1))
    assert [np.bincount(run[:30]).tolist() for run in arms] == [[3, 24, 3]] * 5


def test_one_run_is_assignments_and_trials_and_the_same_again():
    world = World(
        scale="yes-no", mean=0.5, strata=2, clusters=5, shared=0.1, lost={"warm": 0.5}
    )
    assignments, trials = simulate(world, PLAN, 300, seed=1)
    assert [(one.unit, one.arm) for one in assignments] == [
        (one.unit, one.arm) for one in trials
    ]
    assert {trial.stratum for trial in trials} == {"s0", "s1"}
    lost = [trial for trial in trials if trial.outcomes["y"] is None]
    assert {trial.arm for trial in lost} == {"warm"} and len(lost) == pytest.approx(
        120, abs=30
    )
    assert simulate(world, PLAN, 300, seed=1) == (assignments, trials)
