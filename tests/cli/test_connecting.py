"""connect, disconnect, context, doctor and status as a person runs them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.connect import connect, disconnect
from afterglow.cli.context import context
from afterglow.cli.doctor import doctor
from afterglow.cli.queue import queue
from afterglow.cli.scan import scan
from afterglow.cli.status import status
from afterglow.config import Config
from afterglow.errors import ConfigError, NotFound, UsageError
from afterglow.flows.harvest import enqueue
from keeping import item, keep
from writing import ordinary


@pytest.fixture
def run(tmp_path, monkeypatch):
    for name in ("HERMES_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    def command(which, *words, fails=0):
        done = CliRunner().invoke(which, words)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == fails, done.output
        return done

    return command


@pytest.fixture
def harbor(tmp_path, monkeypatch):
    (tmp_path / "harbor/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "harbor")
    keep(Config(home=tmp_path / "kept", user_home=tmp_path), item(1))
    return tmp_path / "harbor"


def test_connect_takes_the_agents_that_are_here_and_asks_nothing_without_a_terminal(
    run, tmp_path
):
    (tmp_path / ".claude").mkdir()
    assert (
        "would be made" in run(connect, "--dry-run").stdout
        and not (tmp_path / ".claude/settings.json").exists()
    )
    assert "settings.json made" in run(connect).stdout
    assert "connected already" in run(connect, "claude-code").stdout
    assert (
        json.loads(run(disconnect, "--json").stdout)[0]["changes"][0]["what"]
        == "removed"
    )
    assert "nothing is connected" in run(disconnect).stdout


def test_the_folder_that_a_variable_names_is_used(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    run(connect, "claude-code")
    assert (tmp_path / "elsewhere/settings.json").exists() and not (
        tmp_path / ".claude"
    ).exists()


def test_a_refusal_is_told_and_the_exit_code_is_one(run, tmp_path):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text("{")
    assert "nothing was changed" in run(connect, "claude-code", fails=1).stderr


def test_where_there_is_no_agent_one_can_be_named(run):
    with pytest.raises(NotFound, match="afterglow connect claude-code"):
        run(connect)


def test_one_checkout_is_the_one_around_the_current_folder(run, harbor, monkeypatch):
    (harbor / "docs").mkdir()
    monkeypatch.chdir(harbor / "docs")
    run(connect, "claude-code", "--project")
    assert (harbor / ".claude/settings.local.json").exists()


def test_the_context_is_printed_or_kept_and_can_be_checked(run, harbor):
    assert "k0000001" in run(context).stdout
    assert (
        "out of date" in run(context, "--write", "AGENTS.md", "--check", fails=1).stderr
    )
    assert not (harbor / "AGENTS.md").exists()
    run(context, "--write", "AGENTS.md")
    assert "up to date" in run(context, "--write", "AGENTS.md", "--check").stderr
    run(context, "--write", "AGENTS.md", "--remove")
    assert not (harbor / "AGENTS.md").exists()


def test_a_check_without_a_file_is_refused(run):
    with pytest.raises(UsageError, match="--write FILE"):
        run(context, "--check")


def test_half_a_block_is_refused(run, harbor):
    (harbor / "AGENTS.md").write_text("<!-- afterglow:start -->\n")
    with pytest.raises(ConfigError, match="one whole block"):
        run(context, "--write", "AGENTS.md")


def test_doctor_speaks_in_words_or_json_and_names_commands(run, harbor, tmp_path):
    (tmp_path / ".claude").mkdir()
    words = run(doctor, fails=1).stdout
    assert "afterglow scan" in words and "!!" in words
    said = json.loads(run(doctor, "--json", fails=1).stdout)
    assert said["healthy"] is False and said["findings"][0]["about"] == "home"


def test_all_was_well_before_anything_was_connected(run, harbor, tmp_path):
    (tmp_path / ".claude/projects").mkdir(parents=True)
    run(scan)
    words = run(doctor).stdout
    assert "all is well" not in words
    assert "no agent is connected" in words and "afterglow connect claude-code" in words
    run(connect)
    assert "all is well" in run(doctor).stdout


def test_doctor_works_with_a_broken_config_file(run, harbor, tmp_path):
    (tmp_path / "kept/config.toml").write_text("[scan")
    assert "config.toml" in run(doctor, fails=1).stdout


def test_status_is_one_line(run, harbor):
    assert (
        run(status).stdout
        == "afterglow: nothing told in 30 days · nothing to harvest\n"
    )
    run(context, "--agent", "codex")
    line = run(status).stdout
    assert line.count("\n") == 1 and "told 1 item in harbor (codex) just now" in line
    assert json.loads(run(status, "--json").stdout)["given"] == 1


def test_a_context_that_a_person_looked_at_was_told_to_nobody(run, harbor):
    run(context)
    assert "nothing told in 30 days" in run(status).stdout


def test_what_doctor_said_to_do_about_a_session_left_aside_did_not_help(run, tmp_path):
    settings = Config(home=tmp_path / "kept", user_home=tmp_path)
    path = ordinary(1).save(tmp_path / "s")
    enqueue(
        settings, agent="claude-code", source=path, session=ordinary(1).id, why="ended"
    )
    (entry,) = (settings.home / "queue").iterdir()
    entry.write_text(entry.read_text().replace('"tries":0', '"tries":3'))
    assert "afterglow queue" in run(doctor, fails=1).stdout
    assert "1 session harvested" in run(queue).stdout
    assert "nothing is broken" in run(doctor).stdout
