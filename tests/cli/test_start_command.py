"""The way in: what a history holds, in words; nothing is connected before somebody says so."""

import json
import os

import pytest

from command_line import afterglow
from writing import ordinary


@pytest.fixture
def run(tmp_path):
    def command(*words, path=os.environ["PATH"]):
        env = {
            **os.environ,
            "HOME": str(tmp_path),
            "AFTERGLOW_HOME": str(tmp_path / "kept"),
            "PATH": path,
            "COLUMNS": "120",
        }
        ended = afterglow(*words, env=env)
        return ended.returncode, ended.stdout, ended.stderr

    return command


@pytest.fixture
def history(tmp_path):
    for number in range(3):
        ordinary(number, start=100 * number).save(
            tmp_path / ".claude/projects/-home-ana-src-harbor"
        )


def test_alone_it_shows_what_there_is_and_what_comes_next(run, history):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "Your history" in out
    assert "3 sessions (claude-code 3)" in out
    assert "What would have been told" in out
    assert "afterglow connect claude-code" in out


def test_nothing_is_connected_without_a_word(run, history, tmp_path):
    run()
    assert not (tmp_path / ".claude" / "settings.json").exists()


def test_a_word_connects(run, history, tmp_path):
    code, out, _ = run("start", "--yes")
    assert code == 0
    assert "afterglow" in (tmp_path / ".claude" / "settings.json").read_text()
    assert "afterglow serve --open" in out


def test_the_second_time_it_says_how_things_stand(run, history):
    run()
    code, out, _ = run()
    assert code == 0
    assert out.startswith("no agent connected")
    assert "afterglow --help" in out


def test_where_there_are_no_sessions_it_says_what_would_help(run):
    code, out, _ = run("start")
    assert code == 0
    assert "afterglow start FOLDER" in out


def test_as_json_it_asks_nothing(run, history):
    code, out, _ = run("start", "--json")
    insight = json.loads(out)
    assert (code, insight["sessions"], insight["agents"]) == (0, 3, {"claude-code": 3})


def test_a_folder_that_is_not_there_is_named(run):
    code, _, err = run("start", "/nowhere/at/all")
    assert code == 2
    assert "/nowhere/at/all" in err
