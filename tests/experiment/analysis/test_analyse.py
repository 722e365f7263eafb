"""Whole analyses of invented experiments: what they say, and what they refuse."""

import math
import subprocess
import sys

import msgspec
import pytest

from afterglow.errors import UsageError
from afterglow.experiment.analysis import analyse
from afterglow.experiment.plan import plan_hash
from afterglow.records.experiment import OutcomeSpec, Plan, Trial
from afterglow_demo.simulated_trials import World, simulate

SPECS = {
    "success": OutcomeSpec("success", "higher", "yes-no", "it was done"),
    "errors": OutcomeSpec("errors", "lower", "count", "failed calls", "errors"),
    "seconds": OutcomeSpec("seconds", "lower", "seconds", "how long it took", "s"),
    "tools": OutcomeSpec("tools", "none", "count", "different tools"),
}


def plan(*outcomes, arms=("cold", "warm"), **more):
    shares = tuple(1 / len(arms) for _ in arms)
    return Plan(
        **{
            "name": "harbor",
            "arms": arms,
            "allocation": shares,
            "outcomes": outcomes,
            "created": 0.0,
            "salt": "s",
            **more,
        }
    )


def run(world, plan, units=200, seed=1, **more):
    assignments, trials = simulate(world, plan, units, seed=seed)
    return analyse(plan, trials, assignments, now=9.0, specs=SPECS, **more)


def check(analysis, name):
    return next(check for check in analysis.checks if check.name == name)


def changed(trials, change):
    return [
        msgspec.structs.replace(trial, **change(at, trial))
        for at, trial in enumerate(trials)
    ]


def test_a_large_effect_is_better_at_any_time():
    found = run(
        World(scale="yes-no", mean=0.4, effects={"warm": 0.35}), plan("success")
    )
    (estimate,) = found.estimates
    assert estimate.verdict == "better"
    assert estimate.e > 20 and estimate.sequence.low > 0
    assert estimate.says.startswith("better: ") and "at any time" in estimate.says


def test_fewer_errors_are_better_and_more_are_worse():
    fewer = run(
        World(scale="count", mean=6.0, spread=4.0, effects={"warm": -4.0}),
        plan("errors"),
    )
    more = run(
        World(scale="count", mean=2.0, spread=4.0, effects={"warm": 4.0}),
        plan("errors"),
    )
    assert [fewer.estimates[0].verdict, more.estimates[0].verdict] == [
        "better",
        "worse",
    ]
    assert fewer.estimates[0].ratio < 0.6 and fewer.estimates[0].ratio_interval.high < 1


def test_little_data_could_not_tell_and_says_how_much_it_takes():
    found = run(
        World(scale="yes-no", mean=0.5),
        plan("success", min_effect=0.1, planned=400),
        units=60,
    )
    (estimate,) = found.estimates
    assert estimate.verdict == "could not tell"
    assert estimate.needed == pytest.approx(390, rel=0.1)
    assert (
        "80 % power needs about" in estimate.says
        and "sessions per arm" in estimate.says
    )


def test_the_size_that_is_named_is_enough_for_what_decides():
    """Without a planned size only the sequence decides, and it takes more for the same power."""
    world = World(scale="yes-no", mean=0.5)
    planned, open_ = (
        run(world, plan("success", min_effect=0.1, planned=size), units=60)
        .estimates[0]
        .needed
        for size in (400, 0)
    )
    assert open_ == pytest.approx(planned * 1.65, rel=0.01)


def test_without_a_smallest_effect_it_says_what_could_be_seen():
    found = run(World(scale="yes-no", mean=0.5), plan("success"), units=60)
    assert "or more would be seen" in found.estimates[0].says
    assert found.estimates[0].needed is None


def test_no_difference_that_matters_takes_a_narrow_interval():
    found = run(
        World(scale="yes-no", mean=0.5), plan("success", min_effect=0.2), units=2000
    )
    assert found.estimates[0].verdict == "no difference that matters"


def test_a_difference_too_small_to_matter_is_not_called_better():
    world = World(scale="seconds", mean=300.0, spread=0.1, effects={"warm": -10.0})
    found = run(world, plan("seconds", min_effect=30.0), units=400)
    assert found.estimates[0].e > 20
    assert found.estimates[0].verdict == "no difference that matters"


def test_values_that_never_vary_tell_nothing():
    trials = [
        Trial(
            experiment="harbor",
            unit=f"u{n}",
            arm=("cold", "warm")[n % 2],
            time=float(n),
            outcomes={"errors": 0.0},
        )
        for n in range(60)
    ]
    (estimate,) = analyse(
        plan("errors", min_effect=1.0), trials, (), now=1.0, specs=SPECS
    ).estimates
    assert (estimate.verdict, estimate.p) == ("could not tell", 1.0)


def test_the_planned_size_is_read_once_and_later_units_do_not_change_it():
    """A moderate effect: the fixed result claims it, the sequence does not yet."""
    mine = plan("success", planned=100)
    world = World(scale="yes-no", mean=0.4, effects={"warm": 0.18})
    assignments, trials = simulate(world, mine, 240, seed=3)
    early = analyse(mine, trials[:150], assignments, now=1.0, specs=SPECS).estimates[0]
    then = analyse(mine, trials, assignments, now=1.0, specs=SPECS).estimates[0]
    assert early.verdict == "could not tell"
    assert then.verdict == "better" and "at the planned size" in then.says
    drowned = changed(
        trials,
        lambda at, trial: (
            {"outcomes": {"success": 0.0}} if at >= 215 and trial.arm == "warm" else {}
        ),
    )
    assert (
        analyse(mine, drowned, assignments, now=1.0, specs=SPECS).estimates[0].verdict
        == "better"
    )


def test_secondary_outcomes_are_corrected_and_descriptions_are_never_better():
    mine = plan("success", "errors", "tools")
    assignments, trials = simulate(
        World(scale="yes-no", mean=0.4, effects={"warm": 0.35}), mine, 200, seed=1
    )
    trials = changed(
        trials,
        lambda at, t: {
            "outcomes": {
                **t.outcomes,
                "errors": float(at % 7),
                "tools": 9.0 + at % 3 - 5 * (t.arm == "warm"),
            }
        },
    )
    success, errors, tools = analyse(
        mine, trials, assignments, now=1.0, specs=SPECS
    ).estimates
    assert success.holm is None and errors.holm >= errors.p
    assert errors.verdict == "could not tell"
    assert tools.verdict == "could not tell" and "only describes" in tools.says


def test_every_arm_is_compared_with_the_control():
    arms = ("cold", "warm", "placebo")
    found = run(
        World(scale="yes-no", mean=0.3, effects={"warm": 0.4}),
        plan("success", arms=arms),
        units=300,
    )
    assert [(one.arm, one.control, one.verdict) for one in found.estimates] == [
        ("warm", "cold", "better"),
        ("placebo", "cold", "could not tell"),
    ]


def test_pairs_use_the_same_tasks():
    world = World(scale="yes-no", mean=0.4, effects={"warm": 0.3}, lost={"warm": 0.1})
    found = run(world, plan("success", design="paired", unit="task"), units=120)
    (estimate,) = found.estimates
    assert estimate.method.startswith("exact McNemar")
    assert 100 <= estimate.pairs < 120
    assert estimate.missing == 2 * (
        120 - estimate.pairs
    )  # the value that is not there, and the pair it leaves open


def test_a_covariate_makes_the_adjusted_interval_shorter():
    world = World(
        scale="seconds",
        mean=300.0,
        spread=0.3,
        effects={"warm": -40.0},
        correlation=0.7,
        strata=3,
    )
    (estimate,) = run(world, plan("seconds"), units=300).estimates
    plain = estimate.interval.high - estimate.interval.low
    sharp = estimate.adjusted_interval.high - estimate.adjusted_interval.low
    assert sharp < 0.75 * plain
    assert estimate.adjusted_interval.low < -40 < estimate.adjusted_interval.high


def test_clusters_assigned_as_a_whole_widen_the_interval():
    world = World(scale="yes-no", mean=0.5, clusters=16, shared=0.3, whole=True)
    assignments, trials = simulate(world, plan("success"), 320, seed=5)
    respected = analyse(
        plan("success"), trials, assignments, now=1.0, specs=SPECS
    ).estimates[0]
    ignored = analyse(
        plan("success"),
        changed(trials, lambda at, t: {"cluster": ""}),
        assignments,
        now=1.0,
        specs=SPECS,
    ).estimates[0]
    assert respected.clusters == 16
    assert respected.interval.high - respected.interval.low > 1.3 * (
        ignored.interval.high - ignored.interval.low
    )


def test_one_cluster_an_arm_says_nothing_about_others():
    trials = [
        Trial(
            experiment="harbor",
            unit=f"u{n}",
            arm=arm,
            time=float(n),
            outcomes={"errors": float(n % 5)},
            cluster=arm,
        )
        for n in range(60)
        for arm in ("cold", "warm")
    ]
    (estimate,) = analyse(
        plan("errors"),
        changed(trials, lambda at, t: {"unit": f"u{at}"}),
        (),
        now=1.0,
        specs=SPECS,
    ).estimates
    assert (estimate.verdict, estimate.p, estimate.interval.high) == (
        "could not tell",
        1.0,
        math.inf,
    )


def test_evidence_grows_and_ends_where_the_estimate_stands():
    found = run(
        World(scale="yes-no", mean=0.4, effects={"warm": 0.35}), plan("success")
    )
    last, estimate = found.evidence[-1], found.estimates[0]
    assert (last.e, last.sequence, last.n) == (estimate.e, estimate.sequence, 200)
    assert [step.n for step in found.evidence] == sorted(
        {step.n for step in found.evidence}
    )


def test_strata_are_told_one_by_one():
    found = run(World(scale="yes-no", mean=0.5, strata=4), plan("success"))
    assert [one.stratum for one in found.strata] == ["s0", "s1", "s2", "s3"]
    assert sum(one.n + one.n_control for one in found.strata) == 200


def test_everything_is_counted():
    mine = plan("success", exclusions=("short",))
    assignments, trials = simulate(
        World(scale="yes-no", mean=0.5, lost={"warm": 0.2}), mine, 100, seed=1
    )
    trials = changed(trials, lambda at, t: {"excluded": "short"} if at < 6 else {})
    found = analyse(
        mine, trials[:-4], assignments, now=1.0, specs=SPECS, simulated=True
    )
    assert sum(found.assigned.values()) == 100
    assert sum(sum(reasons.values()) for reasons in found.excluded.values()) == 6
    assert sum(found.analysed.values()) == 90
    assert (
        found.estimates[0].n + found.estimates[0].n_control + found.estimates[0].missing
        == 90
    )
    assert found.simulated and found.plan_hash == plan_hash(mine)


def test_the_hash_of_the_data_knows_no_order():
    assignments, trials = simulate(
        World(scale="yes-no", mean=0.5), plan("success"), 50, seed=1
    )
    first, again, other = (
        analyse(plan("success"), rows, assignments, now=1.0, specs=SPECS).data_hash
        for rows in (trials, trials[::-1], trials[1:])
    )
    assert first == again != other


def test_the_same_data_say_the_same_twice():
    first, again = (
        run(World(scale="count", mean=3.0), plan("errors")) for _ in range(2)
    )
    assert first == again


@pytest.mark.parametrize("arms", [("cold",), ("warm",), ()])
def test_fewer_than_two_arms_with_data_are_an_error_that_says_so(arms):
    _, trials = simulate(World(scale="yes-no", mean=0.5), plan("success"), 50, seed=1)
    with pytest.raises(UsageError, match="of the control"):
        analyse(
            plan("success"),
            [t for t in trials if t.arm in arms],
            (),
            now=1.0,
            specs=SPECS,
        )


def test_a_primary_outcome_nobody_has_is_an_error_and_a_secondary_one_is_a_note():
    _, trials = simulate(World(scale="yes-no", mean=0.5), plan("success"), 50, seed=1)
    with pytest.raises(UsageError, match="errors is known of 0 warm"):
        analyse(plan("errors", "success"), trials, (), now=1.0, specs=SPECS)
    found = analyse(plan("success", "errors"), trials, (), now=1.0, specs=SPECS)
    assert check(found, "errors (warm)").ok is None


def test_unknown_arms_outcomes_and_swapped_arms_are_errors():
    assignments, trials = simulate(
        World(scale="yes-no", mean=0.5), plan("success"), 50, seed=1
    )
    with pytest.raises(UsageError, match="no outcome named speed; there are errors"):
        analyse(plan("speed"), trials, (), now=1.0, specs=SPECS)
    with pytest.raises(UsageError, match="the plan harbor has cold, warm"):
        analyse(
            plan("success"),
            changed(trials, lambda at, t: {"arm": "hot"}),
            (),
            now=1.0,
            specs=SPECS,
        )
    swapped = changed(
        trials,
        lambda at, t: {"arm": "warm" if t.arm == "cold" else "cold"} if at == 3 else {},
    )
    with pytest.raises(UsageError, match="intention to treat"):
        analyse(plan("success"), swapped, assignments, now=1.0, specs=SPECS)


def test_without_the_extra_it_says_what_to_install():
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from afterglow.experiment.analysis import needed\n"
        "from afterglow.experiment.analysis.lazy_scipy import numpy\n"
        "from afterglow.errors import Unsupported\n"
        "try: numpy()\n"
        "except Unsupported as error: print(error)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert "pip install 'afterglow-agents[stats]'" in said


def two_arms(cold, warm, outcome="errors", **more):
    """The one estimate of these values, given to units that alternate as far as both arms have some."""
    rows = sorted(
        [(at, "cold", value) for at, value in enumerate(cold)]
        + [(at, "warm", value) for at, value in enumerate(warm)]
    )
    trials = [
        Trial(
            experiment="harbor",
            unit=f"{arm}{at}",
            arm=arm,
            time=float(at),
            outcomes={outcome: value},
        )
        for at, arm, value in rows
    ]
    (estimate,) = analyse(
        plan(outcome, **more), trials, (), now=1.0, specs=SPECS
    ).estimates
    return estimate


def test_a_result_at_the_planned_size_was_told_with_the_means_of_all_later_units():
    early = [4.0, 3.0, 5.0] * 10, [1.0, 2.0, 1.5] * 10
    says = two_arms(
        early[0] + [2.0, 9.0] * 10, early[1] + [12.0, 2.0] * 10, planned=30
    ).says
    assert says.startswith(
        "better: 1.50 errors against 4.00 errors, -2.50 errors (at the planned size from -2."
    )
    assert says.endswith("; with all there are by now 3.70 errors against 4.60 errors.")


@pytest.mark.parametrize(
    ("outcome", "value"), [("errors", 2.0), ("errors", 0.0), ("seconds", 0.1)]
)
def test_equal_values_claimed_that_a_difference_of_nothing_would_be_seen(
    outcome, value
):
    estimate = two_arms([value] * 20, [value] * 20, outcome, min_effect=0.5, planned=20)
    assert (estimate.verdict, estimate.interval.high, estimate.needed) == (
        "could not tell",
        math.inf,
        None,
    )
    assert estimate.says.endswith(
        "values that are all the same do not tell how far chance reaches."
    )


def test_shares_of_all_or_nothing_claimed_that_a_difference_of_no_points_would_be_seen():
    says = two_arms([1.0] * 12, [1.0] * 12, "success").says
    assert (
        "only a difference of 0.0 points" not in says
        and "or more would be seen" in says
    )


def test_two_units_an_arm_that_never_vary_were_called_better():
    few, many = (two_arms([3.0] * n, [2.0] * n, planned=n) for n in (2, 12))
    assert (
        few.p == pytest.approx(1 / 3) and few.verdict == "could not tell"
    )  # two of six ways to draw them
    assert many.p < 1e-5 and many.verdict == "better"


def test_few_units_were_said_to_see_what_they_could_not_see():
    assert two_arms([4.0, 3.0] * 3, [1.0, 2.0] * 3).says.endswith(
        "nothing is read at any time before 10 sessions per arm, there are 6."
    )
    tiny = two_arms([3.0, 5.0], [1.0, 2.0], planned=50)
    least = float(tiny.says.split("a difference of ")[1].split()[0])
    assert (
        least > tiny.interval.high - tiny.difference
    )  # more than the interval leaves open


def test_values_too_large_to_be_squared_are_missing_instead_of_a_crash():
    estimate = two_arms([1e308, 3.0, 4.0], [1.0, 2.0, -1e200])
    assert (estimate.n, estimate.n_control, estimate.missing) == (2, 2, 2)


def test_pairs_in_clusters_that_never_vary_got_an_interval_without_width():
    paired = plan("success", unit="task", design="paired")
    trials = [
        Trial(
            experiment="harbor", unit=f"task {number} {arm}", arm=arm, time=float(number), outcomes={"success": 0.0},
            pair=f"task {number}", cluster=f"family {number % 12}",
        )
        for number in range(48)
        for arm in ("cold", "warm")
    ]  # fmt: skip
    (estimate,) = analyse(paired, trials, [], now=99.0, specs=SPECS).estimates
    assert (estimate.clusters, estimate.interval.low, estimate.interval.high) == (
        12,
        -1.0,
        1.0,
    )
    assert estimate.verdict == "could not tell"
