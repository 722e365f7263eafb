"""Rows from elsewhere become trials that fit the plan, or are refused with their place."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.experiment.outcomes import OUTCOMES
from afterglow.experiment.recording import csv_rows, jsonl_rows, trials_of
from afterglow.experiment.rows import assignment_rows, trial_rows
from afterglow.records.experiment import Assignment, Plan, RunConditions, Trial

STUDY = Plan(
    name="study", arms=("cold", "warm"), allocation=(0.5, 0.5), outcomes=("success", "errors", "early-error-rate"),
    created=1.0, salt="pepper", unit="task", exclusions=("short",),
)  # fmt: skip
NOW = 1793491250.0
PAIRED = replace(STUDY, design="paired", strata=("task",))
SESSIONS = replace(PAIRED, unit="session")


def given(
    unit: str = "t1", arm: str = "warm", stratum: str = "harbor · codex"
) -> Assignment:
    return Assignment(experiment="study", unit=unit, arm=arm, time=1.0, stratum=stratum)


def read(*rows: dict, plan: Plan = STUDY, assignments=()) -> list[Trial]:
    placed = [(f"line {number}", row) for number, row in enumerate(rows, start=2)]
    return trials_of(plan, placed, assignments, specs=OUTCOMES, now=NOW)


def one(row: dict, **more) -> Trial:
    return read(row, **more)[0]


def test_a_row_becomes_a_trial():
    row = {
        "unit": "t1", "arm": "warm", "success": "yes", "errors": "3", "early-error-rate": "", "repo": "harbor",
        "agent": "codex", "time": "2026-11-01T00:00", "before.size": "2.5", "session": "s9",
    }  # fmt: skip
    assert one(row) == Trial(
        experiment="study", unit="t1", arm="warm", time=1793491200.0, stratum="harbor · codex", cluster="harbor",
        outcomes={"success": 1.0, "errors": 3.0, "early-error-rate": None}, before={"size": 2.5}, session="s9",
        run=RunConditions(agent="codex", repo="harbor"),
    )  # fmt: skip


def test_under_what_it_was_run_is_kept_and_a_row_without_it_keeps_its_hash():
    row = {"unit": "t1", "arm": "warm", "errors": 1, "model": "small-1", "run.source": "our own"}  # fmt: skip
    assert one(row).run == RunConditions(model="small-1", source="our own")
    assert one({"unit": "t1", "arm": "warm", "errors": 1}).run is UNSET
    assert b"run" not in msgspec.json.encode(one({"unit": "t1", "arm": "warm", "errors": 1}))  # fmt: skip


def test_what_was_not_said_is_unknown_and_not_zero():
    assert one({"unit": "t1", "arm": "cold", "errors": 2}).outcomes["success"] is None
    assert (
        one({"unit": "t1", "arm": "cold", "errors": "n/a"}).outcomes["errors"] is None
    )


def test_the_arm_and_the_stratum_are_those_that_were_assigned():
    trial = one({"unit": "t1", "errors": 2}, assignments=[given()])
    assert (trial.arm, trial.stratum) == ("warm", "harbor · codex")


def test_a_paired_task_is_its_own_unit_pair_and_stratum():
    trial = one({"task": "t1", "arm": "cold", "errors": 2}, plan=PAIRED)
    assert (trial.unit, trial.pair, trial.stratum) == ("t1", "t1", "t1")


def test_a_session_of_a_paired_plan_is_paired_by_the_task_it_was_assigned_for():
    trial = one(
        {"unit": "s1", "errors": 2},
        plan=SESSIONS,
        assignments=[given("s1", stratum="t1")],
    )
    assert (trial.unit, trial.pair) == ("s1", "t1")


def test_an_excluded_unit_needs_no_outcome():
    assert one({"unit": "t1", "arm": "cold", "excluded": "short"}).excluded == "short"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"arm": "warm", "errors": 1}, "no unit: which task"),
        ({"unit": "t1", "errors": 1}, "in which arm was t1 run. One of cold, warm"),
        (
            {"unit": "t1", "arm": "hot", "errors": 1},
            "no arm 'hot'; the plan has cold, warm",
        ),
        ({"unit": "t1", "arm": "warm"}, "nothing was said of t1"),
        (
            {"unit": "t1", "arm": "warm", "eror": 1},
            "no outcome 'eror'; the plan has success, errors",
        ),
        ({"unit": "t1", "arm": "warm", "tokens": 1}, "no outcome 'tokens'"),
        ({"unit": "t1", "arm": "warm", "errors": "many"}, "no number"),
        ({"unit": "t1", "arm": "warm", "errors": "nan"}, "a number, or nothing"),
        ({"unit": "t1", "arm": "warm", "errors": float("inf")}, "a number, or nothing"),
        ({"unit": "t1", "arm": "warm", "errors": 10**400}, "no number"),
        ({"unit": "t1", "arm": "warm", "errors": [1]}, "no number"),
        ({"unit": "t1", "arm": "warm", "errors": 1.5}, "a whole number"),
        ({"unit": "t1", "arm": "warm", "errors": -1}, "a whole number"),
        ({"unit": "t1", "arm": "warm", "success": 0.5}, "yes or no"),
        ({"unit": "t1", "arm": "warm", "early-error-rate": 12}, "between 0 and 1"),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "before.size": "inf"},
            "a number, or nothing",
        ),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "excluded": "mondays"},
            "the plan leaves out short",
        ),
        ({"unit": "t1", "arm": "warm", "errors": 1, "time": "noon"}, "not a time"),
        ({"unit": "t1", "arm": "warm", "errors": 1, "time": "nan"}, "not a time"),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "time": "2026"},
            "not a time since 2000",
        ),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "time": 1793491200000},
            "not a time since 2000",
        ),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "time": 1e300},
            "not a time since 2000",
        ),
        ({"unit": "t1", "arm": "warm", "errors": 1e300}, "a number, or nothing"),
        ({"unit": "t\n1", "arm": "warm", "errors": 1}, "one line of at most 500"),
        ({"unit": "t" * 501, "arm": "warm", "errors": 1}, "one line of at most 500"),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "cluster": "\x1b[31m"},
            "one line of at most 500",
        ),
        ({"unit": ["t1"], "arm": "warm", "errors": 1}, "a name would work"),
        ({"unit": "t1", "arm": "warm", "outcomes": 3}, "an object"),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "run.modell": "m"},
            "no run.modell; there are agent",
        ),
        (
            {"unit": "t1", "arm": "warm", "errors": 1, "experiment": "other"},
            "of 'other', not of study",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(row, words):
    with pytest.raises(UsageError, match=f"line 2: .*{words}"):
        one(row)


def test_intention_to_treat_is_kept():
    with pytest.raises(
        UsageError, match=r"assigned to warm, not to cold; .*intention to treat"
    ):
        one({"unit": "t1", "arm": "cold", "errors": 1}, assignments=[given()])


def test_a_unit_that_was_never_assigned_is_refused_where_others_were():
    with pytest.raises(UsageError, match="experiment assign study t2"):
        one({"unit": "t2", "arm": "cold", "errors": 1}, assignments=[given()])


def test_the_same_unit_twice_is_refused_and_both_places_are_told():
    row = {"unit": "t1", "arm": "warm", "errors": 1}
    with pytest.raises(UsageError, match="line 3: t1 was there already, in line 2"):
        read(row, {**row, "arm": "cold"})
    assert len(read(row, {**row, "arm": "cold"}, plan=PAIRED)) == 2


def test_csv_keeps_count_of_its_lines():
    text = 'unit,arm,errors\nt1,warm,1\n"t\n2",cold,2\nt3,warm,3\n'
    assert [place for place, _ in csv_rows(text)] == ["line 2", "line 4", "line 5"]


@pytest.mark.parametrize("text", ["unit,arm\nt1\n", "unit,arm\nt1,warm,3\n"])
def test_csv_with_too_few_or_too_many_fields_is_refused(text):
    with pytest.raises(UsageError, match="line 2 has not as many fields"):
        csv_rows(text)


def test_csv_that_is_none_is_refused():
    with pytest.raises(UsageError, match=r"line 2: .*header"):
        csv_rows('unit,arm\n"t1"x,warm\n')


def test_json_lines_are_read_and_a_bad_one_is_named():
    assert jsonl_rows('{"unit": "t\u2028 1"}\n\n') == [
        ("line 1", {"unit": "t\u2028 1"})
    ]
    with pytest.raises(UsageError, match="line 2: "):
        jsonl_rows('{"unit": "t1"}\n["t2"]\n')


@pytest.mark.parametrize(
    ("format", "reader"), [("csv", csv_rows), ("jsonl", jsonl_rows)]
)
def test_what_is_written_is_read_back_the_same(format, reader):
    trials = read(
        {
            "unit": "t1",
            "arm": "warm",
            "errors": 3,
            "success": 1,
            "before.size": 2.5,
            "repo": "harbor, the old",
            "model": "small-1",
            "run.agent_version": "2.1",
            "run.deliveries": 0,
            "run.delivered_tokens": "0",
        },
        {
            "unit": "t2",
            "arm": "cold",
            "early-error-rate": 0.1 + 0.2,
            "excluded": "short",
            "time": 1793491212.25,
        },
    )
    rows = reader(trial_rows(STUDY, trials, format))
    assert trials_of(STUDY, rows, (), specs=OUTCOMES, now=99.0) == trials


def test_assignments_are_written_in_their_order():
    assert assignment_rows([given("t2"), given("t1")], "csv").splitlines()[1:] == [
        "study,t2,warm,1.0,harbor · codex,",
        "study,t1,warm,1.0,harbor · codex,",
    ]
    assert assignment_rows([given()], "jsonl").startswith(
        '{"experiment":"study","unit":"t1"'
    )


@pytest.mark.parametrize(
    "unit", ["=HYPERLINK(1)", "@SUM(A1)", "+1", "-x", "'quoted'", "'=mine", "''=mine"]
)
def test_a_unit_was_a_formula_in_an_exported_table(unit):
    trials = [one({"unit": unit, "arm": "warm", "errors": 1})]
    text = trial_rows(STUDY, trials, "csv")
    assert not text.splitlines()[1].startswith(("=", "+", "-", "@"))
    assert trials_of(STUDY, csv_rows(text), (), specs=OUTCOMES, now=99.0) == trials
