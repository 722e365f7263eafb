"""From a plan to what it says: nothing is changed, nothing half recorded, and nothing personal kept."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError, UsageError
from afterglow.flows.experiment import (
    analyse,
    assign,
    export,
    gathered,
    list_experiments,
    new,
    record,
    report,
    show,
)
from afterglow.flows.experiment.power_and_progress import power, status
from afterglow.flows.read import scan
from keeping import home_with_rules
from writing import Transcript

START = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
DAY = 86400.0


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    return Config(home=home, user_home=tmp_path / "home")


def plan(config, name="study", **choices):
    told = {
        "arms": ("cold", "warm"),
        "outcomes": ("success", "errors"),
        "unit": "task",
        "min_effect": 0.2,
    }
    return new(config, name, now=START, **{**told, **choices})


def row(unit: str, arm: str, success: object = 1, **more) -> dict:
    return {"unit": unit, "arm": arm, "success": success, "errors": 2, **more}


def fill(config, tmp_path, name="study", count=20) -> None:
    """Warm succeeds in nine of ten, cold in two of ten, the units run elsewhere."""
    rows = [
        row(f"{arm}{number}", arm, int(number % 10 < often), time=START + number * DAY)
        for number in range(count)
        for arm, often in (("cold", 2), ("warm", 9))
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    record(config, name, file=path, now=START + count * DAY)


# Plans


def test_the_same_plan_again_changes_nothing(config):
    first = plan(config)
    again = plan(config)
    assert (first.new, again.new) == (True, False)
    assert (again.plan, again.hash) == (first.plan, first.hash)


def test_another_plan_is_the_next_version_while_there_is_no_data(config):
    plan(config)
    second = plan(config, alpha=0.1)
    assert (second.plan.version, second.changed) == (2, ("alpha",))
    assert show(config, "study")[0].version == 2
    assert show(config, "study", 1)[0].alpha == 0.05


@pytest.mark.parametrize("data", ["assigned", "recorded"])
def test_a_changed_plan_is_refused_once_there_is_data(config, data):
    plan(config)
    if data == "assigned":
        assign(config, "study", "t1")
    else:
        record(config, "study", row("t1", "warm"))
    assert plan(config).new is False
    with pytest.raises(UsageError, match="Begin a new experiment under another name"):
        plan(config, alpha=0.1)


def test_words_of_people_are_redacted_before_they_are_kept(config):
    written = plan(
        config,
        hypothesis="as ana.lindqvist@harborworks.io says",
        notes="ask ana.lindqvist@harborworks.io",
    )
    assert "lindqvist" not in written.plan.hypothesis + written.plan.notes
    assert b"lindqvist" not in config.experiments.read_bytes()
    assert (
        plan(
            config,
            hypothesis="as ana.lindqvist@harborworks.io says",
            notes=written.plan.notes,
        ).new
        is False
    )


def test_a_plan_that_was_tampered_with_is_not_used(config):
    plan(config)
    with closing(sqlite3.connect(config.experiments)) as db:
        db.execute("DROP TRIGGER plans_update")
        db.execute(
            """UPDATE plans SET plan = replace(plan, '"alpha":0.05', '"alpha":0.25')"""
        )
        db.commit()
    with pytest.raises(StoreError, match="not the one that was written"):
        assign(config, "study", "t1")


def test_without_any_experiment_the_way_to_one_is_told(config):
    assert list_experiments(config) == []
    for ask in (show, status, analyse, export):
        with pytest.raises(NotFound, match="experiment new"):
            ask(config, "study")
    assert not config.experiments.exists()


def test_an_outcome_that_these_sessions_cannot_tell_is_refused_before_anyone_waits_for_it(
    config, tmp_path
):
    Transcript(1).user("tests please").run("make test", "ok").reply("Green.").save(
        tmp_path / "s"
    )
    scan(config, [tmp_path / "s"])
    with pytest.raises(
        UsageError,
        match=r"cost cannot be computed from these 1 session; those that can: .*errors",
    ):
        plan(config, unit="session", outcomes=("cost",))
    assert plan(config, unit="session", outcomes=("errors",)).new


def test_experiments_are_listed_with_how_much_they_have(config, tmp_path):
    plan(config)
    plan(config, "another")
    assign(config, "another", "t1")
    fill(config, tmp_path)
    assert [
        (one.plan.name, one.assigned, one.recorded) for one in list_experiments(config)
    ] == [
        ("another", 1, 0),
        ("study", 0, 40),
    ]


# Assignment


def test_a_unit_gets_the_same_arm_whenever_it_is_asked(config):
    plan(config)
    first = assign(config, "study", "t1", repo="harbor", agent="codex")
    for number in range(5):
        assign(config, "study", f"u{number}", repo="harbor", agent="codex")
    assert assign(config, "study", " t1 ", repo="quay") == first


def test_every_stratum_has_its_own_blocks(config):
    plan(config)
    for repo in ("harbor", "quay"):
        arms = [
            assign(config, "study", f"{repo}{number}", repo=repo)[0].arm
            for number in range(4)
        ]
        assert sorted(arms) == ["cold", "cold", "warm", "warm"]


def test_a_paired_task_is_run_in_every_arm(config):
    plan(config, design="paired")
    given = assign(config, "study", "t1")
    assert sorted(one.arm for one in given) == ["cold", "warm"]
    assert assign(config, "study", "t1", task="t1") == given
    with pytest.raises(UsageError, match="assign study t2"):
        assign(config, "study", "s1", task="t2")


def test_sessions_of_a_paired_plan_name_their_task(config):
    plan(config, design="paired", unit="session")
    arms = [
        assign(config, "study", f"s{number}", task="t1")[0].arm for number in range(2)
    ]
    assert sorted(arms) == ["cold", "warm"]
    with pytest.raises(UsageError, match="--task"):
        assign(config, "study", "s9")


@pytest.mark.parametrize("unit", ["", "  ", "x" * 501, "two\nlines", "a\x1b[31mb"])
def test_a_unit_needs_a_name(config, unit):
    plan(config)
    with pytest.raises(UsageError, match="name"):
        assign(config, "study", unit)


def test_a_name_that_holds_a_secret_is_refused_and_not_kept(config):
    plan(config)
    with pytest.raises(UsageError, match="must not be kept"):
        assign(config, "study", "ana.lindqvist@harborworks.io")
    with pytest.raises(UsageError, match="must not be kept"):
        record(
            config, "study", row("t1", "warm", cluster="ana.lindqvist@harborworks.io")
        )
    assert gathered(config, "study").trials == ()


# Records


def test_a_file_is_recorded_whole_or_not_at_all(config, tmp_path):
    plan(config)
    path = tmp_path / "rows.csv"
    path.write_text("unit,arm,success,errors\nt1,warm,yes,0\nt2,hot,no,1\n")
    with pytest.raises(UsageError, match="line 3: no arm 'hot'"):
        record(config, "study", file=path)
    assert gathered(config, "study").trials == ()
    path.write_text("\ufeffunit,arm,success,errors\nt1,warm,yes,0\nt2,cold,no,1\n")
    assert record(config, "study", file=path).recorded == 2
    with pytest.raises(UsageError, match="has a record in warm already"):
        record(config, "study", file=path)


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("rows.xlsx", "x", UsageError, ".csv or .jsonl"),
        ("rows.csv", "unit,arm,success\n", UsageError, "has no rows"),
        ("rows.csv", None, NotFound, "no file"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    config, tmp_path, name, content, error, words
):
    plan(config)
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(error, match=words):
        record(config, "study", file=tmp_path / name)


def test_a_correction_takes_the_place_of_a_record_and_both_are_exported(config):
    plan(config)
    record(config, "study", row("t1", "warm", "yes"))
    record(
        config,
        "study",
        row("t1", "warm", "no"),
        why="the test had not run, says ana.lindqvist@harborworks.io",
    )
    (trial,) = gathered(config, "study").trials
    assert trial.outcomes["success"] == 0.0
    first, second = (
        json.loads(line)
        for line in export(config, "study")["records.jsonl"].splitlines()
    )
    assert (first["n"], second["replaces"]) == (1, 1)
    assert second["why"].startswith("the test had not run")
    assert "lindqvist" not in second["why"]
    assert status(config, "study").corrections == 1


def session(number: int, arm: str, *, day: int) -> Transcript:
    """Cold sessions fail once more."""
    made = Transcript(number, start=1440 * day).user("tests please")
    if arm == "cold":
        made = made.run("go test", "Exit code 1\nundefined: agent", error=True)
    return made.run("go test ./...", "ok").run("git status", "clean").reply("Green.")


def test_sessions_are_taken_from_the_catalogue_and_stay_when_their_transcripts_go(
    config, tmp_path
):
    plan(config, unit="session", outcomes=("errors",), arms=("cold", "warm"))
    for number in range(1, 9):
        id = Transcript(number).id
        (given,) = assign(
            config,
            "study",
            id,
            repo="harbor",
            agent="claude-code",
            now=START + number * DAY,
        )
        if number < 8:
            session(number, given.arm, day=number).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    done = record(config, "study", now=START + 30 * DAY)
    assert (done.recorded, done.waiting) == (7, 1)
    config.catalog.unlink()
    data = gathered(config, "study", now=START + 31 * DAY)
    assert {(one.arm, one.outcomes["errors"]) for one in data.trials} == {
        ("cold", 1.0),
        ("warm", 0.0),
    }
    assert record(config, "study", now=START + 31 * DAY).recorded == 0
    assert (
        analyse(config, "study", now=START + 31 * DAY).estimates[0].difference == -1.0
    )


def test_a_session_that_may_go_on_is_counted_and_read_again_the_next_day(
    config, tmp_path
):
    plan(config, unit="session", outcomes=("errors",))
    id = Transcript(1).id
    assign(config, "study", id, now=START)
    session(1, "warm", day=0).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert record(config, "study", now=START + 7200).recorded == 0
    assert gathered(config, "study", now=START + 7200).trials[0].outcomes == {
        "errors": 0.0
    }
    session(1, "cold", day=0).run("make", "done").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert record(config, "study", now=START + 2 * DAY).recorded == 1
    assert gathered(config, "study").trials[0].outcomes == {"errors": 1.0}


# What it says


def test_status_tells_arms_and_how_long_it_will_take(config, tmp_path):
    plan(config, planned=40)
    fill(config, tmp_path)
    record(config, "study", row("w", "warm", None), now=START + 20 * DAY)
    found = status(config, "study", now=START + 20 * DAY)
    assert [
        (one.arm, one.assigned, one.recorded, one.counted) for one in found.arms
    ] == [
        ("cold", 0, 20, 20),
        ("warm", 0, 21, 20),
    ]
    assert found.enough == (
        "until the planned size: 20 more cold, 20 more warm; about 20 days at the pace of the last 20"
    )


def test_status_raises_the_alarm_when_arms_do_not_have_their_sizes(config):
    plan(config, allocation=(50, 50))
    with closing(
        sqlite3.connect(config.experiments)
    ) as db:  # as if something kept warm sessions from being noted
        rows = [
            ("study", f"t{number}", "cold" if number % 10 else "warm", 1.0, "", "")
            for number in range(200)
        ]
        db.executemany(
            "INSERT INTO assignments (experiment, unit, arm, time, stratum, delivery) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
        db.commit()
    assert status(config, "study").ratio.ok is False


def test_a_planted_effect_is_found(config, tmp_path):
    plan(config, planned=20)
    fill(config, tmp_path)
    estimate = analyse(config, "study", now=START + 20 * DAY).estimates[0]
    assert (estimate.outcome, estimate.verdict, round(estimate.difference, 3)) == (
        "success",
        "better",
        0.7,
    )


def test_an_analysis_carries_the_hashes_of_plan_and_data(config, tmp_path):
    written = plan(config, simulated=True)
    fill(config, tmp_path)
    found, specs = report(config, "study", now=START + 20 * DAY)
    files = export(config, "study", now=START + 20 * DAY)
    assert (
        found.plan_hash
        == written.hash
        == sha256(files["plan.json"].encode()).hexdigest()
    )
    assert json.loads(files["hashes.json"]) == {
        "plan": written.hash,
        "data": found.data_hash,
        "time": START + 20 * DAY,
    }
    assert found.simulated
    assert list(specs) == ["success", "errors"]


def test_an_export_is_read_again_by_another_home(config, tmp_path):
    plan(config)
    fill(config, tmp_path)
    other = Config(home=tmp_path / "other", user_home=tmp_path)
    plan(other)
    for format in ("csv", "jsonl"):
        (tmp_path / f"again.{format}").write_text(
            export(config, "study", format)[f"trials.{format}"]
        )
    record(other, "study", file=tmp_path / "again.csv")
    assert gathered(other, "study").trials == gathered(config, "study").trials
    with pytest.raises(UsageError, match="already"):
        record(other, "study", file=tmp_path / "again.jsonl")


def test_fewer_than_two_arms_with_data_cannot_be_compared(config):
    plan(config)
    record(config, "study", row("t1", "warm"))
    with pytest.raises(UsageError, match="0 cold, 1 warm"):
        analyse(config, "study")


def test_a_primary_outcome_that_no_unit_has_is_told_with_those_that_are_known(config):
    plan(config)
    for unit, arm in (("t1", "cold"), ("t2", "warm")):
        record(config, "study", row(unit, arm, ""))
    with pytest.raises(
        UsageError, match=r"success cannot be computed .* those that can: errors"
    ):
        analyse(config, "study")


def test_power_takes_the_plan_and_how_the_control_does(config, tmp_path):
    plan(config)
    with pytest.raises(UsageError, match="the control's share"):
        power(config, "study")
    fill(config, tmp_path)
    found = power(config, "study")
    assert (found.effect, found.assumptions["baseline"]) == (0.2, 0.2)
    assert found.needed == {
        "warm": power(config, effect=0.2, scale="yes-no", baseline=0.2).needed["arm"]
    }


def test_power_of_unequal_arms_counts_the_smaller_one(config):
    even, uneven = (
        power(config, outcome="errors", effect=-1.0, sd=4.0, allocation=shares).needed[
            "arm"
        ]
        for shares in ((1, 1), (1, 8))
    )
    assert even > uneven > even / 2


def test_power_without_an_effect_asks_for_one(config):
    with pytest.raises(UsageError, match="--effect"):
        power(config)
    with pytest.raises(UsageError, match="no outcome 'joy'"):
        power(config, outcome="joy", effect=1.0)
