"""`afterglow replay` as a person runs it."""

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.replay import replay
from afterglow.errors import NotFound, UsageError
from writing import ordinary


@pytest.fixture
def run(tmp_path):
    for number in range(3):
        ordinary(number, start=2000 * number).save(tmp_path / "sessions")
    env = {
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "kept"),
        "COLUMNS": "80",
    }

    def command(*words):
        return CliRunner().invoke(
            replay, [str(word) for word in words], env=env, catch_exceptions=False
        )

    return command


@pytest.mark.parametrize("option", ["--dump", "--output"])
def test_a_folder_that_is_not_there_is_said_before_the_walk_not_after_it(
    run, tmp_path, option
):
    with pytest.raises(UsageError, match="not a folder"):
        run(tmp_path / "sessions", option, tmp_path / "nowhere" / "out")
    assert not (tmp_path / "kept").exists()


def test_a_screen_of_80_columns_is_enough(run, tmp_path):
    out = run(tmp_path / "sessions").stdout
    assert "3 sessions" in out and max(map(len, out.splitlines())) <= 80


def test_a_dump_has_the_hints_of_each_session(run, tmp_path):
    dump = tmp_path / "contexts.jsonl"
    out = run(tmp_path / "sessions", "--writer", "nobody", "--dump", dump).stdout
    rows = [json.loads(line) for line in dump.read_text().splitlines()]
    assert len(rows) == 3
    assert all(isinstance(row["hints"], list) for row in rows)
    assert "Written lessons of nobody: none." in out


def test_a_writer_who_wrote_nothing_is_an_error_that_names_those_who_did(run, tmp_path):
    with pytest.raises(NotFound, match="there are nobody"):
        run(tmp_path / "sessions", "--writer", "clade")
