"""`afterglow replay` as a person runs it."""

import pytest
from click.testing import CliRunner

from afterglow.cli.replay import replay
from afterglow.errors import UsageError
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
