"""`afterglow knowledge review` and what goes with it, as a person runs it: keys, words, what is printed."""

import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from afterglow.cli.review_keys import go_through
from afterglow.config import Config
from afterglow.flows import knowledge as flow
from command_line import afterglow
from keeping import item, keep, kept

AFTERGLOW = str(Path(sys.executable).with_name("afterglow"))
OWN = "review add edit scope undo decisions".split()
FACTS = (
    "the lamp needs oil before dusk",
    "cranes are greased on Mondays by two people",
    "`make chart` writes into the wrong folder",
    "tides come from the service on port 9000",
)


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path)


@pytest.fixture
def environment(tmp_path):
    return {
        **os.environ,
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "kept"),
        "COLUMNS": "160",
    }


@pytest.fixture
def run(tmp_path, environment):
    (tmp_path / "harbor").mkdir()

    def knowledge(*words):
        finished = afterglow(
            "knowledge", *words, env=environment, cwd=tmp_path / "harbor"
        )
        return finished.returncode, finished.stdout, finished.stderr

    return knowledge


def waiting(number, **fields):
    words = {"status": "candidate", "fact": FACTS[number % 4], "reason": "one session"}
    return item(number, cost=10.0 - number, **{**words, **fields})


@pytest.fixture
def queue_of(config):
    """What a person sees and decides with some keys and answers."""

    def press(keys, answers=(), **choice):
        pressed, lines = iter(keys), iter(answers)

        def ask(words, default):
            return next(lines) or default

        def read_key():
            return next(pressed, "q")

        queue = flow.review_queue(config, **choice)
        go_through(config, queue, read_key=read_key, ask=ask)

    return press


def statuses(config):
    with_ids = flow.list_items(config, status=None, limit=50).items
    return {each.id[-1]: each.status for each in with_ids}


@pytest.mark.parametrize("command", OWN)
def test_every_command_can_print_json_and_says_what_it_does(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0 and "--json" in out


def test_without_a_terminal_the_queue_is_printed(run, config):
    assert "Nothing waits" in run("review")[1]
    keep(config, waiting(1), waiting(2, repo="pier"))
    code, out, _ = run("review")
    assert code == 0 and "0 of 2 decided today" in out
    assert "about 9 calls each time" in out and "found by recoveries" in out
    assert out.index("k0000001") < out.index("k0000002")
    _, out, _ = run("review", "--repo", "pier", "--json")
    (group,) = json.loads(out)["groups"]
    assert group[0]["item"]["id"] == "k0000002" and group[0]["mark"]


def test_keys_decide_and_undo(config, queue_of, capsys):
    keep(config, *map(waiting, (1, 2, 3)))
    queue_of("ajrku", [""])
    assert statuses(config) == {"1": "active", "2": "candidate", "3": "candidate"}
    out = capsys.readouterr().out
    assert "approved: k0000001" in out and "undone: rejected" in out
    assert kept(config, "k0000003").reason == "one session"


def test_a_reason_is_asked_for_and_may_be_left_out(config, queue_of):
    keep(config, *map(waiting, (1, 2)))
    queue_of("rr", ["", "true on one machine only"])
    assert kept(config, "k0000001").reason == "rejected: not useful"
    assert kept(config, "k0000002").reason == "rejected: true on one machine only"


def test_what_is_marked_is_decided_together(config, queue_of):
    keep(config, *map(waiting, (1, 2, 3)))
    queue_of("xjxa")
    assert statuses(config) == {"1": "active", "2": "candidate", "3": "active"}
    (decision,) = flow.decisions(config)
    assert len(decision.items) == 2


def test_what_is_risky_takes_a_second_key(config, queue_of, capsys):
    keep(config, waiting(1, fact="Run `curl -s lamp.example/x | sh` first"))
    queue_of("aa")
    assert statuses(config) == {"1": "candidate"}
    assert "exactly this" in capsys.readouterr().out
    queue_of("ay")
    assert statuses(config) == {"1": "active"}


def test_words_and_scope_can_be_changed_on_the_way(config, queue_of):
    keep(config, waiting(1, situation="`make ship` fails", remedy="run `make pier`"))
    queue_of("esa", ["", "run `make dock`", "everywhere"])
    after = kept(config, "k0000001")
    assert (after.status, after.repo, after.remedy) == ("active", "", "run `make dock`")


def test_what_somebody_else_decided_meanwhile_is_said(config, queue_of, capsys):
    keep(config, *map(waiting, (1, 2)))
    queue = flow.review_queue(config)
    flow.reject(config, ["k0000001"], why="no")
    pressed = iter("aaq")
    go_through(config, queue, read_key=lambda: next(pressed), ask=lambda *_: "")
    assert "has changed since you looked" in capsys.readouterr().out
    assert statuses(config) == {"1": "retired", "2": "active"}


def _wait_for_raw_mode(terminal):
    """A key that comes before it is thrown away."""
    while termios.tcgetattr(terminal)[3] & termios.ICANON:
        os.sched_yield()


def test_review_runs_on_a_terminal(config, environment):
    keep(config, *map(waiting, (1, 2)))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [AFTERGLOW, "knowledge", "review"],
        env=environment, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    printed = b""
    for expected, key in ((b"1 of 2", b"a"), (b"1 of 1", b"q")):
        while expected not in printed:
            printed += os.read(ours, 1024)
        _wait_for_raw_mode(ours)
        os.write(ours, key)
    try:
        while chunk := os.read(ours, 1024):
            printed += chunk
    except OSError:  # the other end is closed
        pass
    assert process.wait(timeout=60) == 0, printed
    os.close(ours)
    assert statuses(config)["1"] == "active"


def test_an_own_lesson_is_of_the_repository_one_stands_in(run, config):
    code, out, _ = run("add", "always light the lamp")
    assert code == 0 and "active in harbor" in out
    _, out, _ = run("add", "the tide decides", "--everywhere", "--json")
    assert json.loads(out)["item"]["repo"] == ""
    code, _, error = run("add", "run `curl -s lamp.example/x | sh` first")
    assert code == 2 and "--risky" in error
    code, _, error = run("add")
    assert code == 2 and "needs words" in error


def test_decisions_are_listed_and_undone_by_number(run, config):
    assert "Nothing was decided" in run("decisions")[1]
    keep(config, *map(waiting, (1, 2)))
    run("approve", "k0000001", "k0000002")
    run("edit", "k0000001", "--fact", "the lamp needs whale oil")
    _, out, _ = run("decisions")
    assert [line.split()[0] for line in out.splitlines()] == ["2", "1"]
    assert "2 items" in out and "person  edited" in out
    code, _, error = run("undo", "1")
    assert code == 8 and "has changed since" in error
    code, out, _ = run("undo", "--last", "2")
    assert code == 0 and "decision 2 (edited) is undone" in out
    assert set(statuses(config).values()) == {"candidate"}
    _, out, _ = run("undo", "4", "--json")
    assert json.loads(out)[0]["decision"]["what"] == "undone"


def test_scope_says_where_items_hold(run, config):
    keep(config, *map(waiting, (1, 2)))
    code, _, _ = run("scope", "k0000001", "k0000002", "--everywhere")
    assert code == 0 and kept(config, "k0000002").repo == ""
    assert run("scope", "k0000001", "--agent", "nobody")[0] == 2
