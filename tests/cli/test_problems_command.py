"""`afterglow problems` as a person runs it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from writing import Transcript


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("COLUMNS", "160")

    def command(*words: str):
        return CliRunner().invoke(cli, words)

    return command


@pytest.fixture
def harvested(run, tmp_path):
    for number in (1, 2):
        (
            Transcript(number, start=1500 * number)
            .user("light the lamps")
            .run("lampctl ignite --all", "Exit code 2\nlampctl: wick is wet", error=True)
            .run("lampctl dry", "dry")
            .run("lampctl ignite --all", "lit")
            .reply("Lit.")
            .save(tmp_path / "s")
        )  # fmt: skip
    assert run("harvest", str(tmp_path / "s")).exit_code == 0
    return run


def test_a_line_a_problem_and_a_sentence_at_the_end(harvested):
    result = harvested("problems")
    assert result.exit_code == 0
    row = next(line for line in result.output.splitlines() if "wick is wet" in line)
    assert row.split()[1:3] == ["2", "2"]
    assert "1 problem keeps coming back; " in result.output


def test_json_has_all_of_it(harvested):
    listed = json.loads(harvested("problems", "--json").output)
    (problem,) = listed["problems"]
    assert problem["times"] == 2
    assert len(problem["events"]) == 2


def test_show_prints_the_dossier_and_where_it_stands(harvested):
    (problem,) = json.loads(harvested("problems", "--json").output)["problems"]
    result = harvested("problems", "show", problem["id"])
    assert result.exit_code == 0
    assert "[1]" in result.output
    assert "lampctl: wick is wet" in result.output
    assert "session:line" in result.output
    report = json.loads(harvested("problems", "show", problem["id"], "--json").output)
    assert report["dossier"]["problem"] == problem["id"]


def test_filters_and_limits(harvested):
    assert "No problem came back" in harvested("problems", "--repo", "quay").output
    assert "keeps coming back" in harvested("problems", "--limit", "1").output
    assert "1 problem were" not in harvested("problems", "--all").output


def test_before_a_harvest_it_says_what_to_do(run, tmp_path):
    Transcript(1).user("x").reply("y").save(tmp_path / "s")
    run("scan", str(tmp_path / "s"))
    result = run("problems")
    assert result.exit_code == 0
    assert "afterglow harvest" in result.output
