"""What a study was made of: times, agents and models, tasks, and pairs of tasks by where the answer was yes."""

from __future__ import annotations

import pytest

from afterglow.experiment.analysis import analyse
from afterglow.experiment.analysis.pair_tables import mcnemar
from afterglow.records.experiment import (
    Assignment,
    OutcomeSpec,
    PairTable,
    Plan,
    RepoCount,
    RunConditions,
    StudyTimes,
    Trial,
)

SPECS = {
    "success": OutcomeSpec("success", "higher", "yes-no", "the task was done"),
    "errors": OutcomeSpec("errors", "lower", "count", "failed calls"),
}
PLAN = Plan(
    name="study", arms=("cold", "start", "placebo"), allocation=(0.4, 0.3, 0.3), outcomes=("success", "errors"),
    created=100.0, salt="s", unit="task", design="paired",
)  # fmt: skip
MODEL = RunConditions(agent="mini-swe", agent_version="2.1", model="m", repo="harbor")


def trial(task: str, arm: str, success: float | None, **more) -> Trial:
    values = {"time": 200.0, "run": MODEL, "cluster": "piers", **more}
    outcomes = {"success": success, "errors": 1.0}
    return Trial(experiment="study", unit=task, arm=arm, outcomes=outcomes, pair=task, **values)  # fmt: skip


def trials() -> list[Trial]:
    answers = {"t1": (0, 1, 0), "t2": (0, 1, 1), "t3": (1, 1, 1), "t4": (0, 0, 0), "t5": (1, 0, None)}  # fmt: skip
    return [
        trial(task, arm, None if value is None else float(value), time=200.0 + place)
        for place, (task, values) in enumerate(answers.items())
        for arm, value in zip(PLAN.arms, values, strict=True)
    ]


def analysed(rows: list[Trial], plan: Plan = PLAN, assignments=()):
    return analyse(plan, rows, assignments, now=1e9, specs=SPECS)


def test_pairs_of_arms_are_counted_by_where_the_answer_was_yes():
    tables = analysed(trials()).pair_tables
    assert [(table.control, table.arm) for table in tables] == [
        ("cold", "start"),
        ("cold", "placebo"),
        ("start", "placebo"),
    ]
    first = tables[0]
    assert (first.both, first.only_arm, first.only_control, first.neither) == (1, 2, 1, 1)  # fmt: skip
    assert first.p == 1.0
    second = tables[1]
    assert (second.both, second.only_arm, second.only_control, second.neither) == (1, 1, 0, 2)  # fmt: skip


def test_pair_tables_agree_with_the_discordant_counts_of_the_estimates():
    analysis = analysed(trials())
    tables = {table.arm: table for table in analysis.pair_tables if table.control == "cold"}  # fmt: skip
    for estimate in analysis.estimates:
        if estimate.discordant is not None:
            table: PairTable = tables[estimate.arm]
            assert estimate.discordant == (table.only_arm, table.only_control)
            assert estimate.p == table.p


def test_a_task_that_was_run_twice_in_an_arm_is_in_no_pair_table():
    twice = [*trials(), trial("t1", "start", 0.0, time=300.0)]
    arms = [(table.control, table.arm) for table in analysed(twice).pair_tables]
    assert arms == [("cold", "placebo")]


@pytest.mark.parametrize(
    ("only_arm", "only_control", "p"),
    [(0, 0, 1.0), (3, 0, 0.25), (9, 1, 0.021484375), (20, 0, 2 / 2**20)],
)
def test_mcnemar_is_exact(only_arm, only_control, p):
    assert mcnemar(only_arm, only_control) == pytest.approx(p)


def test_times_are_those_of_plan_assignments_and_trials():
    assignments = [
        Assignment(experiment="study", unit=row.unit, arm=row.arm, time=150.0)
        for row in trials()
    ]
    times = analysed(trials(), assignments=assignments).times
    assert times == StudyTimes(planned=100.0, assigned=150.0, first=200.0, last=204.0)


def test_a_time_that_is_not_known_is_none():
    unknown = [trial(row.unit, row.arm, row.outcomes["success"], time=0.0) for row in trials()]  # fmt: skip
    times = analysed(unknown).times
    assert (times.assigned, times.first, times.last) == (None, None, None)


def test_agents_and_models_are_counted_by_arm():
    rows = trials()
    rows[1] = trial("t1", "start", 1.0, run=RunConditions(agent="mini-swe", model="n"))
    first, second = analysed(rows).workers
    assert (first.model, first.trials) == ("m", {"cold": 5, "start": 4, "placebo": 5})
    assert (second.model, second.trials) == ("n", {"cold": 0, "start": 1, "placebo": 0})


def test_nothing_is_said_of_agents_tasks_and_repositories_that_nobody_recorded():
    bare = [
        Trial(experiment="study", unit=row.unit, arm=row.arm, time=row.time, outcomes=row.outcomes, pair=row.pair)
        for row in trials()
    ]  # fmt: skip
    analysis = analysed(bare)
    assert (analysis.workers, analysis.repos) == ((), ())
    assert [task.name for task in analysis.tasks] == ["t1", "t2", "t3", "t4", "t5"]
    assert {task.repo for task in analysis.tasks} == {""}


def test_tasks_have_their_family_and_what_came_of_them_in_each_arm():
    analysis = analysed(trials())
    task = analysis.tasks[4]
    assert (task.name, task.family, task.repo) == ("t5", "piers", "harbor")
    assert task.values == {"cold": 1.0, "start": 0.0}
    assert analysis.repos == (RepoCount(repo="harbor", units=5, families=1),)
