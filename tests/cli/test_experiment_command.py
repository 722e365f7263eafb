"""`afterglow experiment`, as a person types it."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from click.testing import CliRunner

from afterglow.cli.experiment import experiment
from afterglow.errors import AfterglowError, NotFound, UsageError
from keeping import home_with_rules


@pytest.fixture
def run(tmp_path, compiled_rules, monkeypatch):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    monkeypatch.setenv("AFTERGLOW_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))

    def call(*words, code=0):
        result = CliRunner().invoke(experiment, [str(word) for word in words])
        if isinstance(result.exception, AfterglowError):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.output

    return call


@pytest.fixture
def study(run, tmp_path):
    """Twenty tasks, each run in both arms elsewhere: warm solves nine of ten, cold two of ten."""
    run("new", "study", "--unit", "task", "--design", "paired", "--arms", "cold,warm", "--outcomes", "success,errors",
        "--min-effect", 0.2, "--planned", 20, "--hypothesis", "warm solves more")  # fmt: skip
    rows = [
        f"t{number:02},{arm},{'yes' if number % 10 < often else 'no'},{number % 3}"
        for number in range(20)
        for arm, often in (("cold", 2), ("warm", 9))
    ]
    (tmp_path / "rows.csv").write_text(
        "\n".join(["task,arm,success,errors", *rows, ""])
    )
    assert "40 recorded" in run("record", "study", "--file", tmp_path / "rows.csv")
    return "study"


def test_a_plan_is_written_shown_and_listed(run, tmp_path):
    said = run(
        "new", "daily", "--allocation", "10,80,10", "--min-effect", "0.05", "--separate"
    )
    assert "daily is written (version 1)" in said
    assert "both 80 %" in said
    assert "kept apart by arm" in said
    assert "machinery" in said  # left out unless said otherwise
    shown = run("show", "daily")
    assert shown in said
    text = run("show", "daily", "--json")
    assert sha256(text.encode()).hexdigest() in shown
    run("show", "daily", "--format", "json", "--output", tmp_path / "plan.json")
    assert (tmp_path / "plan.json").read_text() == text
    assert run("show", "daily", "--format", "md").startswith("# daily, version 1")
    assert "daily" in run("list")


def test_arms_that_take_a_template_apart_are_planned_and_compared(run, tmp_path):
    arms = ("cold", "template:examples", "template:150")
    run("new", "parts", "--unit", "task", "--arms", ",".join(arms), "--outcomes", "calls")  # fmt: skip
    rows = [f"{arm}-{n},{arm},{n % 4}" for n in range(12) for arm in arms]
    (tmp_path / "rows.csv").write_text("\n".join(["task,arm,calls", *rows, ""]))
    run("record", "parts", "--file", tmp_path / "rows.csv")
    said = run("analyse", "parts")
    assert "The forms against each other:" in said
    assert "template:150 / template:examples" in said
    with pytest.raises(UsageError, match="template:markers would work, or at most"):
        run("new", "odd", "--arms", "cold,template:calls")


def test_arms_by_moment_are_compared_with_each_other_too(run, tmp_path):
    run("new", "moments", "--unit", "task", "--arms", "cold,start,failure", "--outcomes", "calls-lost,calls")  # fmt: skip
    rows = [
        f"{arm}-{number},{arm},{lost + number % 4},{30 + number % 7}"
        for number in range(24)
        for arm, lost in (("cold", 12), ("start", 9), ("failure", 3))
    ]
    table = "\n".join(["task,arm,calls-lost,calls", *rows, ""])
    (tmp_path / "rows.csv").write_text(table)
    run("record", "moments", "--file", tmp_path / "rows.csv")
    said = run("analyse", "moments")
    assert "The moments against each other:" in said and "failure / start" in said
    assert "- failure against start: better: 4.50 calls against 10.5 calls" in said
    assert '"between":[{"outcome":"calls-lost","arm":"failure","control":"start"' in (
        run("analyse", "moments", "--json").replace(" ", "").replace("\n", "")
    )


def test_what_arms_could_keep_from_coming_up_is_refused_as_the_primary(run):
    with pytest.raises(UsageError, match="calls-lost compares all"):
        run("new", "m", "--arms", "cold,both", "--outcomes", "calls-until-solved")


def test_the_same_plan_again_and_another_version_are_told_apart(run):
    run("new", "daily")
    assert "was there already" in run("new", "daily")
    said = run("new", "daily", "--alpha", "0.1", "--exclude", "machinery,short")
    assert "version 2" in said
    assert "changed since version 1: alpha, exclusions" in said


def test_a_plan_without_a_smallest_effect_is_written_with_a_note(run):
    assert "--min-effect" in run("new", "daily")
    assert "note:" not in run("new", "other", "--min-effect", "0.1")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--arms", "cold"), "2 to 8 arms"),
        (("--outcomes", "joy"), "no outcome 'joy'"),
        (("--exclude", "rain"), "no exclusion 'rain'"),
        (("--allocation", "1,2"), "3 arms and 2 shares"),
    ],
)
def test_a_plan_that_cannot_work_is_refused(run, words, says):
    with pytest.raises(UsageError, match=says):
        run("new", "daily", *words)


def test_shares_that_are_no_numbers_are_refused(run):
    assert "80,10,10 would work" in run(
        "new", "daily", "--allocation", "most,some", code=2
    )


def test_the_outcomes_and_exclusions_can_be_read(run):
    said = run("outcomes")
    assert "early-error-rate" in said
    assert "machinery" in said
    assert {"outcomes", "exclusions"} == set(json.loads(run("outcomes", "--json")))


def test_assign_prints_the_arm_and_nothing_else(run):
    run("new", "daily", "--arms", "cold,warm")
    arm = run("assign", "daily", "s1", "--repo", "harbor", "--agent", "codex")
    assert arm in ("cold\n", "warm\n")
    assert run("assign", "daily", "s1") == arm
    assert (
        json.loads(run("assign", "daily", "s1", "--json"))[0]["stratum"]
        == "harbor · codex"
    )


def test_assign_prints_the_order_of_arms_of_a_paired_task(run, study):
    assert sorted(run("assign", study, "t77").split()) == ["cold", "warm"]


def test_a_unit_is_recorded_by_hand_and_corrected(run):
    run(
        "new",
        "hand",
        "--unit",
        "task",
        "--arms",
        "cold,warm",
        "--outcomes",
        "success,errors",
    )
    words = ("record", "hand", "t1", "--arm", "warm", "--before", "size=2.5")
    assert "1 recorded" in run(
        *words, "--outcome", "success=yes", "--outcome", "errors=3"
    )
    with pytest.raises(UsageError, match="--correct"):
        run(*words, "--outcome", "success=no")
    assert (
        json.loads(
            run(*words, "--outcome", "success=no", "--correct", "a slip", "--json")
        )["kept"]
        == 1
    )
    assert "1 correction" in run("status", "hand")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("t1", "--outcome", "success"), "NAME=VALUE"),
        (("t1", "--outcome", "success=1", "--outcome", "success=0"), "twice"),
        (("--outcome", "success=1"), "name the unit"),
        (("t1", "--file", "rows.csv"), "not both"),
    ],
)
def test_words_that_do_not_fit_are_refused(run, study, words, says):
    with pytest.raises(UsageError, match=says):
        run("record", study, *words)


def test_status_counts_by_arm(run, study):
    said = run("status", study)
    assert "the planned 20 per arm are there" in said
    assert [
        one["counted"] for one in json.loads(run("status", study, "--json"))["arms"]
    ] == [20, 20]


def test_analyse_says_what_was_found_with_both_intervals(run, study):
    said = run("analyse", study)
    assert "p, once" in said
    row = next(line for line in said.splitlines() if "warm / cold" in line)
    assert row.split()[4:8] == ["4", "14", "0", "2"]
    assert "any time" in said
    assert "better" in said
    found = json.loads(run("analyse", study, "--json"))
    assert round(found["estimates"][0]["difference"], 3) == 0.7
    assert found["plan_hash"][:12] in said


def test_a_simulated_experiment_says_so(run, tmp_path, study):
    run("new", "made-up", "--unit", "task", "--design", "paired", "--arms", "cold,warm", "--outcomes", "success,errors",
        "--simulated")  # fmt: skip
    run("record", "made-up", "--file", tmp_path / "rows.csv")
    assert run("analyse", "made-up").startswith("SIMULATED")
    assert "SIMULATED" not in run("analyse", study)


def test_reports_are_written_where_asked_and_printed_otherwise(run, study, tmp_path):
    names = ("r.html", "r.md", "p.html")
    run(
        "report",
        study,
        "--html",
        tmp_path / "r.html",
        "--md",
        tmp_path / "r.md",
        "--paper",
        tmp_path / "p.html",
    )
    assert all((tmp_path / name).stat().st_size > 1000 for name in names)
    assert "<html" in (tmp_path / "p.html").read_text()
    assert "study" in run("report", study)
    with pytest.raises(UsageError, match=r"\.md or \.html"):
        run("report", study, "--paper", tmp_path / "p.pdf")


def test_power_says_how_many(run, study):
    assert "tasks, each run in both arms" in run("power", study)
    needed = json.loads(
        run("power", "--outcome", "errors", "--effect", "-1", "--sd", "4", "--json")
    )["needed"]
    assert 240 < needed["arm"] < 260


def test_power_without_sessions_or_numbers_says_what_would_help(run):
    with pytest.raises(UsageError, match="takes --baseline or --sd instead"):
        run("power", "--outcome", "errors", "--effect", "1")


def test_start_and_stop_say_what_happens_to_new_sessions(run, tmp_path):
    run("new", "daily", "--arms", "cold,both")
    assert "each new session gets one of cold, both" in run("start", "daily")
    assert 'name = "daily"' in (tmp_path / "kept" / "config.toml").read_text()
    assert json.loads(run("stop", "daily", "--json")) == {"stopped": "daily"}
    with pytest.raises(UsageError, match="nothing to stop"):
        run("stop", "daily")


def test_rows_are_exported_to_the_screen_or_with_everything_into_a_folder(
    run, study, tmp_path
):
    assert run("export", study).startswith("unit,arm,time")
    run("export", study, "--format", "jsonl", "--output", tmp_path / "out" / "study")
    files = {path.name for path in (tmp_path / "out" / "study").iterdir()}
    assert files == {
        "trials.jsonl",
        "assignments.jsonl",
        "records.jsonl",
        "plan.json",
        "hashes.json",
    }
    hashes = json.loads((tmp_path / "out/study/hashes.json").read_text())
    assert (
        sha256((tmp_path / "out/study/plan.json").read_bytes()).hexdigest()
        == hashes["plan"]
    )


def test_an_experiment_that_is_not_there_is_told_with_those_that_are(run, study):
    with pytest.raises(NotFound, match="there are study"):
        run("analyse", "stduy")


def test_an_empty_home_has_no_experiment(run):
    assert "no experiment yet" in run("list")
    assert json.loads(run("list", "--json")) == []


def test_a_verdict_was_cut_off_by_wide_numbers(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    run(
        "new",
        "wide",
        "--unit",
        "task",
        "--arms",
        "cold,warm",
        "--outcomes",
        "first-success-seconds,tokens",
    )
    rows = [
        f"u{n},{('cold', 'warm')[n % 2]},{9000 + 777 * n},{(n * 7919) % 13 * 1_234_567}"
        for n in range(40)
    ]
    (tmp_path / "rows.csv").write_text(
        "\n".join(["unit,arm,first-success-seconds,tokens", *rows, ""])
    )
    run("record", "wide", "--file", tmp_path / "rows.csv")
    assert run("analyse", "wide").count("could not tell  ") == 2


def test_no_bound_was_shown_as_infinity(run):
    run("new", "few", "--unit", "task", "--arms", "cold,warm", "--outcomes", "errors")
    for number in range(4):
        run(
            "record",
            "few",
            f"u{number}",
            "--arm",
            ("cold", "warm")[number % 2],
            "--outcome",
            f"errors={number * 2}",
        )
    said = run("analyse", "few")
    assert "no bound yet" in said and "inf" not in said


def test_a_report_is_put_in_its_place_whole(study, run, tmp_path):
    old = tmp_path / "report.md"
    old.write_text("the old one")
    run("report", study, "--md", old)
    assert old.read_text().startswith("# Does warm beat cold?")
    assert sorted(path.name for path in tmp_path.glob("*report*")) == ["report.md"]
    link = tmp_path / "link.md"
    link.symlink_to(old)
    run("report", study, "--md", link)
    assert link.is_symlink()
    assert run("report", study, "--md", "/dev/null").endswith(
        "report written to /dev/null\n"
    )
