"""Alarms ring when a comparison is unfair, and stay silent when it is not."""

import msgspec
import numpy as np

from afterglow.experiment.analysis import analyse, checks
from afterglow.records.experiment import OutcomeSpec, Plan, Trial
from afterglow_demo.simulated_trials import World, simulate

SPECS = {"errors": OutcomeSpec("errors", "lower", "count", "failed calls")}
PLAN = Plan(
    name="harbor",
    arms=("cold", "warm"),
    allocation=(0.5, 0.5),
    outcomes=("errors",),
    created=0.0,
    salt="s",
)
WORLD = World(scale="count", mean=3.0, spread=2.0, strata=3, correlation=0.4)


def look(change=lambda at, trial: {}, world=WORLD, units=300):
    assignments, trials = simulate(world, PLAN, units, seed=4)
    trials = [
        msgspec.structs.replace(trial, **change(at, trial))
        for at, trial in enumerate(trials)
    ]
    found = analyse(PLAN, trials, assignments, now=1.0, specs=SPECS)
    return {check.name: check for check in found.checks}


def test_a_fair_experiment_raises_no_alarm():
    found = look()
    assert set(found) >= {
        "sample ratio",
        "missing",
        "covariates",
        "strata",
        "carry-over (warm)",
        "shuffling (warm)",
    }
    assert all(check.ok is not False for check in found.values())


def test_arms_of_the_wrong_size_are_found():
    assert checks.sample_ratio(PLAN, {"cold": 150, "warm": 150}).ok
    assert checks.sample_ratio(PLAN, {"cold": 200, "warm": 100}).ok is False
    assert checks.sample_ratio(PLAN, {}).ok is None


def test_the_size_of_arms_may_be_watched_all_the_time():
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(200):
        cold = np.cumsum(rng.random(400) < 0.5)
        alarms += any(
            not checks.sample_ratio(
                PLAN, {"cold": int(cold[n - 1]), "warm": n - int(cold[n - 1])}
            ).ok
            for n in range(10, 401, 10)
        )
    assert alarms <= 4


def test_drop_outs_that_differ_by_arm_are_found():
    lost = World(scale="count", mean=3.0, lost={"warm": 0.3})
    assert look(world=lost)["missing"].ok is False
    both = World(scale="count", mean=3.0, lost={"warm": 0.2, "cold": 0.2})
    assert look(world=both)["missing"].ok


def test_exclusions_that_differ_by_arm_are_found():
    found = look(
        lambda at, t: {"excluded": "short"} if t.arm == "cold" and at % 3 == 0 else {}
    )
    assert found["exclusions"].ok is False


def test_arms_that_differed_before_the_start_are_found():
    found = look(lambda at, t: {"before": {"difficulty": at % 5 + (t.arm == "warm")}})
    assert found["covariates"].ok is False


def test_arms_with_other_projects_are_found():
    found = look(
        lambda at, t: {"stratum": "s0" if t.arm == "warm" and at % 2 else "s1"}
    )
    assert found["strata"].ok is False


def test_a_difference_that_fades_is_found():
    found = look(
        lambda at, t: {
            "outcomes": {
                "errors": t.outcomes["errors"] + (300 - at) / 30 * (t.arm == "warm")
            }
        }
    )
    assert found["carry-over (warm)"].ok is False


def test_shuffling_agrees_with_the_test():
    check = look()["shuffling (warm)"]
    assert check.ok and 0 < check.p <= 1


def test_records_without_an_assignment_are_told():
    assignments, trials = simulate(WORLD, PLAN, 60, seed=4)
    found = analyse(PLAN, trials, assignments[:-5], now=1.0, specs=SPECS)
    assert next(
        check for check in found.checks if check.name == "assignment"
    ).says.startswith("5 of 60")


def test_a_covariate_that_hardly_varies_made_scipy_complain():
    before = [0.1 + 0.2, 0.3] * 10
    trials = [
        Trial(
            experiment="x",
            unit=f"u{n}",
            arm=("cold", "warm")[n % 2],
            time=n,
            outcomes={},
            before={"size": value},
        )
        for n, value in enumerate(before)
    ]
    assert checks.covariates(["cold", "warm"], trials).ok is None


def test_a_plan_written_after_its_data_was_called_written_before():
    assert "plan first" not in look()
    late = look(lambda at, trial: {"time": -1.0} if at < 5 else {})["plan first"]
    assert (
        late.ok is False and "5 of 300 began before the plan was written" in late.says
    )
