"""What was said once is still understood, and the new way is told in one line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.cli.old_spellings import moved, respelled
from afterglow.cli.queue import queue
from afterglow.cli.windows import windows
from afterglow.cli.write import write
from writing import ordinary


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    ordinary(1).save(tmp_path / "s")

    def invoke(*words):
        return CliRunner().invoke(cli, [str(word) for word in words])

    return invoke


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--model", ""),
        ("--model seal --max-tokens 9", "--with seal --max-tokens 9"),
        ("--model=seal --dry-run", "--model=seal --dry-run"),
        ("s --model --json", "--in s --json"),
        ("--model --repo harbor s t", "--repo harbor --in s --in t"),
        ("--compare --limit 3 s", "--compare --limit 3 --in s"),
        ("--compare --model m -- -s", "--compare --with m --in -s"),
        ("--model --dry-run --max-tokens", "--dry-run --max-tokens"),
    ],
)
def test_a_harvest_with_a_model_is_a_write(old, new):
    option = moved("harvest", old.split())
    assert option in ("--model", "--compare")
    assert respelled(option, old.split(), write) == new.split()


def test_windows_and_the_queue_have_commands_of_their_own():
    assert respelled("--windows", ["--windows", "--done", "w1"], windows) == [
        "--done",
        "w1",
    ]
    assert respelled("--queue", ["--queue", "--json"], queue) == ["--json"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("harvest", ["--again", "s"]),
        ("harvest", ["--", "--model"]),
        ("warm", ["--model"]),
    ],
)
def test_what_is_said_as_today_is_left_alone(command, words):
    assert moved(command, words) == ""


def test_the_hint_is_one_line_beside_the_answer(run, tmp_path):
    assert run("scan", tmp_path / "s").exit_code == 0
    old = run("harvest", "--windows", "--json")
    assert old.stderr == "afterglow: `harvest --windows` is now `afterglow windows`\n"
    assert old.stdout == run("windows", "--json").stdout
    planned = run("harvest", tmp_path / "s", "--model", "seal", "--dry-run", "--json")
    assert planned.stderr == "afterglow: `harvest --model` is now `afterglow write`\n"
    assert '"by": "seal"' in planned.stdout
    worked = run("harvest", "--queue")
    assert worked.exit_code == 0
    assert "0 sessions harvested" in worked.stdout


def test_the_queue_is_no_command_people_are_shown(run):
    assert "queue " not in run("--help").stdout.split("Commands:")[1].replace(
        "hit rate, queue", ""
    )
    assert run("queue", "--help").exit_code == 0
