"""What is still there from before: servers, locks, other worktrees."""

from __future__ import annotations

import pytest

from state_sessions import line, lines
from writing import Transcript

IN_USE = "Error: listen EADDRINUSE: address already in use :::4180"
LOCKED = "fatal: Unable to create '/home/ana/src/harbor/.git/index.lock': File exists."


@pytest.mark.parametrize(
    "start", ["pnpm dev &", "PORT=4180 node serve.js > log 2>&1 &"]
)
def test_a_port_is_held_by_what_the_session_started(start):
    session = Transcript().run(start).run("pnpm dev", IN_USE, error=True)
    assert "which this session started in the background" in line(session)
    assert "`kill $(lsof -ti :4180)`" in line(session)


def test_a_tool_that_runs_in_the_background_counts_too():
    session = Transcript().ask("Bash", command="pnpm dev", run_in_background=True)
    session.answer("Command running in background with ID: 1")
    assert "`pnpm dev`" in line(session.run("pnpm dev", IN_USE, error=True))


def test_a_port_that_somebody_else_holds():
    session = Transcript().run("make tide &").run("pnpm dev", IN_USE, error=True)
    assert lines(session) == []


def test_a_lock_is_left_over():
    assert "`pgrep -x git || rm -f .git/index.lock`" in line(
        Transcript().run("git checkout main", LOCKED, error=True)
    )


def test_two_calls_of_git_at_once():
    session = Transcript()
    session.ask("Bash", command="git add a")
    first = session.asked
    session.ask("Bash", command="git commit -m x")
    second = session.asked
    session.lines[-1] = session.lines[-1].replace('"m1"', '"m0"')
    session.asked = first
    session.answer("done")
    session.asked = second
    session.answer(LOCKED, error=True)
    assert "ran at once" in line(session)


@pytest.mark.parametrize(
    ("command", "way"),
    [
        ("git checkout main", "git switch --detach main"),
        ("gh pr checkout 7", "git fetch origin pull/7/head && git switch --detach FETCH_HEAD"),
    ],
)  # fmt: skip
def test_another_worktree_has_the_branch(command, way):
    output = "fatal: 'main' is already used by worktree at '/src/quay'"
    session = Transcript().run(command, output, error=True)
    assert f"`{way}`" in line(session)


@pytest.mark.parametrize(
    "output",
    [
        "ENOENT: no such file or directory, posix_spawn '/opt/pilot/2.1/pilot'",
        "spawn /opt/pilot/vendor/rg ENOENT",
    ],
)
def test_the_program_behind_a_search_of_the_agent_is_gone(output):
    session = Transcript().ask("Grep", pattern="tide").answer(output, error=True)
    assert "use `grep -rn` in the shell" in line(session)
    session = Transcript().ask("Glob", pattern="*.go").answer(output, error=True)
    assert "use `find` in the shell" in line(session)


@pytest.mark.parametrize(
    "output",
    [
        "ENOENT: no such file or directory, open '/home/ana/tide.log'",
        "spawn /home/ana/quay ENOENT",  # what the call itself named
    ],
)
def test_a_file_that_is_not_there_is_no_lost_program(output):
    session = Transcript().ask("Grep", pattern="tide", path="/home/ana/quay")
    assert lines(session.answer(output, error=True)) == []
