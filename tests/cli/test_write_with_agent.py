"""`afterglow write --with claude` as a person runs it, with a program that stands in for the agent."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.write import write
from afterglow.config import load
from afterglow.errors import UsageError
from afterglow.flows.harvest import harvest
from afterglow.records.selection import below
from llm.fake_agents import put_program, starts_of
from writing import Transcript

ANSWERING = """
import re
answers = [
    {"problem": id, "answer": "lesson", "situation": "`lampctl ignite`: the oil is low", "cites": [2, 3, 4],
     "remedy": "fill its tank first, with `lampctl fill --name`"}
    for id in re.findall(r"\\bProblem ([0-9a-f]{8,})", asked)
]
usage = {"input_tokens": 900, "output_tokens": 100}
print(json.dumps({"type": "result", "result": json.dumps({"answers": answers}), "usage": usage}))
"""  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "bin"


@pytest.fixture
def run(tmp_path, folder, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("AFTERGLOW_LOCAL_ONLY", "0")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    for number, tank in ((1, "north"), (2, "south")):
        session = Transcript(number, start=1500 * number).user("light the lamps")
        session.run("lampctl ignite", "Exit code 1\nthe oil is low", error=True)
        session.reply("The oil is low, so I fill the tank first.")
        session.run(f"lampctl fill --name {tank}", "filled")
        session.run("lampctl ignite", "3 lamps are lit").save(tmp_path / "s")

    harvest(load(), below(tmp_path / "s"))

    def run(*words: str, fails: int = 0) -> str:
        done = CliRunner().invoke(write, ["--in", str(tmp_path / "s"), *words])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == fails, done.output
        return done.output

    return run


def test_an_agent_writes_a_lesson_without_any_cap_being_said(run, folder):
    put_program(folder, "claude", ANSWERING)
    assert "lampctl fill --name" in run("--with", "claude")
    assert "Nothing to ask" in run("--with", "auto")
    assert len(starts_of(folder, "claude")) == 1


def test_a_dry_run_counts_what_the_program_adds_and_starts_nothing(run, folder):
    put_program(folder, "claude", ANSWERING)
    put_program(folder, "codex")
    plans = {
        name: json.loads(run("--with", name, "--dry-run", "--format", "json"))
        for name in ("claude", "codex")
    }
    assert plans["codex"]["input"] - plans["claude"]["input"] > 5_000
    assert starts_of(folder, "claude") == [] == starts_of(folder, "codex")


def test_an_agent_that_is_not_let_in_ends_with_what_to_do(run, folder):
    put_program(folder, "claude", "sys.exit('Please run /login')")
    assert "start `claude` and say /login" in run("--with", "claude", fails=7)


def test_an_agent_that_is_not_here_is_named_with_who_is(run, folder):
    put_program(folder, "codex")
    with pytest.raises(UsageError, match="codex would work"):
        run("--with", "claude")
    with pytest.raises(UsageError, match="here are codex"):
        run()
