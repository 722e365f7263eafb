"""`afterglow dataset export` as a person runs it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.dataset import dataset
from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.read import scan
from writing import ordinary


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    place = tmp_path_factory.mktemp("home")
    for number in range(1, 7):
        ordinary(number).save(place / "s")
    scan(Config(home=place / "kept", user_home=place), [place / "s"])
    return place


@pytest.fixture
def run(home):
    def command(*words):
        env = {
            "HOME": str(home),
            "AFTERGLOW_HOME": str(home / "kept"),
            "COLUMNS": "140",
        }
        done = CliRunner().invoke(dataset, ["export", *map(str, words)], env=env)
        if isinstance(done.exception, AfterglowError):
            return done.exception.exit_code, str(done.exception)
        return done.exit_code, done.output

    return command


def test_a_dry_run_shows_tables_columns_and_rows_and_writes_nothing(
    run, home, tmp_path
):
    (home / "kept" / "dataset-salt").unlink(missing_ok=True)
    code, text = run("--dry-run", "--output", tmp_path / "out")
    assert code == 0
    for words in (
        "sessions",
        "left out",
        "columns: session, user, repo",
        "row: session=",
        "Nothing was written",
    ):
        assert words in text
    assert not (tmp_path / "out").exists()
    assert not (home / "kept" / "dataset-salt").exists()


def test_a_dry_run_in_json_has_samples_and_counts(run):
    code, text = run("--dry-run", "--json", "--tables", "sessions")
    (told,) = json.loads(text)["tables"]
    assert (code, told["rows"], told["suppressed"], told["smallest_crowd"]) == (
        0,
        6,
        0,
        6,
    )
    assert told["sample"][0]["agent"] == "claude-code"


def test_an_export_says_what_was_written_and_that_no_licence_was_chosen(run, tmp_path):
    code, text = run("--output", tmp_path / "out", "--tables", "sessions,recoveries")
    assert code == 0
    assert "sessions.csv" in text
    assert "none chosen" in text
    assert run("--output", tmp_path / "out")[1].endswith("--force replaces it")


def test_wrong_words_are_told_what_works(run, tmp_path):
    assert "--output FOLDER" in run()[1]
    assert run("--dry-run", "--k", "1")[0] == 2
    assert "there are sessions, recoveries" in run("--dry-run", "--tables", "people")[1]
    code, text = run("--dry-run", "--k", "50")
    assert (code, "sessions       0  6" in text) == (0, True)


def test_contents_of_templates_are_asked_for_by_name(run, tmp_path):
    assert "afterglow warm auto" in run("--dry-run", "--template-contents")[1]
    text = run("--dry-run", "--tables", "template_contents")[1]
    assert "needs --template-contents" in text
