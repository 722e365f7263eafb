"""`afterglow connect` offers once, in plain words, that the user's own agent writes lessons."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from afterglow.cli import connect as command
from afterglow.cli.status import status
from afterglow.config import load
from afterglow.errors import UsageError
from afterglow.flows.harvest import harvest
from afterglow.records.selection import below
from afterglow.records.settings import WriteSettings
from llm.fake_agents import put_program
from writing import Transcript


@pytest.fixture
def run(tmp_path, monkeypatch):
    for name in ("HERMES_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("AFTERGLOW_LOCAL_ONLY", "0")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    put_program(tmp_path / "bin", "claude")
    (tmp_path / ".claude").mkdir()
    for number in (1, 2):
        session = Transcript(number, start=1500 * number).user("light the lamps")
        session.run("lampctl ignite", "Exit code 1\nthe oil is low", error=True)
        session.reply("The oil is low, so I fill the tank first.")
        session.run("lampctl fill --name north", "filled")
        session.run("lampctl ignite", "3 lamps are lit").save(tmp_path / "s")
    harvest(load(), below(tmp_path / "s"))

    def run(*words: str, answers: str = "", terminal: bool = False) -> str:
        monkeypatch.setattr(command, "_at_terminal", lambda: terminal)
        done = CliRunner().invoke(command.connect, words, input=answers)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.output

    return run


def test_it_is_asked_once_and_off_until_said_yes(run):
    shown = run("claude-code", answers="\n", terminal=True)
    assert "about 900 tokens, once" in shown and "off unless you say yes" in shown
    assert load().write == WriteSettings(on="no")
    assert "Have claude write" not in run("claude-code", terminal=True)


def test_a_yes_is_kept_and_can_be_taken_back(run):
    shown = run("claude-code", answers="y\n", terminal=True)
    assert "claude writes lessons in the background" in shown
    assert load().write == WriteSettings("claude", "yes")
    assert "you are not asked again" in run("claude-code", "--write-with", "nobody")
    assert load().write == WriteSettings(on="no")


def test_without_a_terminal_nothing_is_asked_and_nothing_is_on(run):
    assert "afterglow connect --write-with claude" in run("claude-code")
    assert load().write == WriteSettings()
    shown = run("claude-code", "--write-with", "claude", "--dry-run")
    assert "would be kept: claude writes lessons" in shown
    assert load().write == WriteSettings()


def test_it_can_be_said_without_being_asked(run):
    run("claude-code", "--write-with", "auto", terminal=True)
    assert load().write == WriteSettings("claude", "yes")
    with pytest.raises(UsageError, match="would work"):
        run("claude-code", "--write-with", "codex")


def test_status_says_what_was_written(run):
    run("claude-code", "--write-with", "claude")
    line = CliRunner().invoke(status).output
    assert "0 lessons written this week for 0 tokens" in line
