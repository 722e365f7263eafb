"""`afterglow measure` as a person runs it: one screen, the same numbers in every format, a snapshot on request."""

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.measure import measure
from afterglow.config import Config
from afterglow.flows.read import scan
from writing import ordinary


@pytest.fixture
def run(tmp_path):
    for number in range(3):
        ordinary(number, start=2000 * number).save(tmp_path / "sessions")
    scan(Config(home=tmp_path / "kept", user_home=tmp_path), [tmp_path / "sessions"])
    env = {
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "kept"),
        "COLUMNS": "120",
    }

    def command(*words):
        return CliRunner().invoke(
            measure, [str(word) for word in words], env=env, catch_exceptions=False
        )

    command.env = env
    return command


def test_the_table_is_one_screen_and_groups_what_has_no_data(run):
    out = run().stdout
    assert (
        "error recurrence    66.7 %" in out
        and out.count("no context has been delivered yet") == 1
    )
    assert len(out.splitlines()) < 30 and max(map(len, out.splitlines())) <= 120


def test_json_has_every_reading_with_its_n_and_definition(run):
    found = json.loads(run("--json").stdout)
    assert all(
        one["definition"] and (one["value"] is not None or one["reason"])
        for one in found["readings"]
    )


def test_markdown_and_html_say_what_is_observational(run, tmp_path):
    assert "| error rate | **33.3 %** |" in run("--format", "md").stdout
    run("--format", "html", "--output", tmp_path / "m.html")
    page = (tmp_path / "m.html").read_text()
    assert (
        page.startswith("<!doctype html>")
        and "observational" in page
        and "33.3 %" in page.replace("&nbsp;", " ")
    )


def test_save_writes_a_snapshot_and_the_dashboard(run, tmp_path):
    done = run("--save")
    assert "metrics" in done.stderr
    assert (
        (tmp_path / "kept/metrics/dashboard.md")
        .read_text()
        .startswith("# Is it working?")
    )


def test_a_screen_of_80_columns_is_enough(run):
    out = (
        CliRunner()
        .invoke(measure, [], env={**run.env, "COLUMNS": "80"}, catch_exceptions=False)
        .stdout
    )
    assert "error recurrence" in out and max(map(len, out.splitlines())) <= 80
