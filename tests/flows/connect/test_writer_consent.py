"""Who may write lessons in the background: offered once with what it would cost, kept in a person's own config.toml."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config, load
from afterglow.errors import AfterglowError, UsageError
from afterglow.flows.connect import (
    NOBODY,
    checked_writer,
    connect,
    disconnect,
    set_writer,
    unset_writer,
    writer_offer,
)
from afterglow.flows.harvest import harvest
from afterglow.records.selection import below
from afterglow.records.settings import WriteSettings
from llm.fake_agents import put_program
from writing import Transcript

MINE = """# mine
[scan]
paths = ["~/exports"]   # all of them

[write]  # lessons
daily_tokens = 9_000

[redact]
names = ["Ada Example"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("AFTERGLOW_LOCAL_ONLY", "0")
    return folder


@pytest.fixture
def config(folder, tmp_path) -> Config:
    (tmp_path / "kept").mkdir()
    return load()


@pytest.fixture
def harvested(config, tmp_path) -> Config:
    for number in (1, 2):
        session = Transcript(number, start=1500 * number).user("light the lamps")
        session.run("lampctl ignite", "Exit code 1\nthe oil is low", error=True)
        session.reply("The oil is low, so I fill the tank first.")
        session.run("lampctl fill --name north", "filled")
        session.run("lampctl ignite", "3 lamps are lit").save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    return config


def test_what_is_said_is_kept_and_the_rest_of_the_file_stays(config):
    toml = config.home / "config.toml"
    toml.write_text(MINE)
    assert set_writer(load(), "claude") == toml
    assert load().write == WriteSettings("claude", "yes", 9_000)
    assert toml.read_text() == MINE.replace(
        "9_000\n", '9_000\nwith = "claude"\non = "yes"\n'
    )
    set_writer(load(), NOBODY)
    assert load().write == WriteSettings("", "no", 9_000)
    set_writer(load(), "codex:small")
    assert load().write.writer == "codex:small"
    unset_writer(load())
    assert toml.read_text() == MINE


def test_a_home_without_settings_gets_a_file_and_a_no_stays(config):
    toml = config.home / "config.toml"
    set_writer(config, "claude")
    assert toml.read_text() == '[write]\nwith = "claude"\non = "yes"\n'
    unset_writer(load())
    assert not toml.exists() and load().write == WriteSettings()
    set_writer(load(), NOBODY)
    assert unset_writer(load()) is None and load().write.on == "no"


@pytest.mark.parametrize("text", ['write = { on = "no" }\n', 'write.on = "no"\n'])
def test_a_file_that_is_written_in_another_way_is_not_touched(config, text):
    toml = config.home / "config.toml"
    toml.write_text(text)
    with pytest.raises(AfterglowError, match=r"config\.toml"):
        set_writer(load(), "claude")
    assert toml.read_text() == text


def test_it_is_offered_with_what_it_costs_until_the_user_answered(harvested, folder):
    assert writer_offer(harvested, ["claude-code"]) is None
    put_program(folder, "codex")
    put_program(folder, "claude")
    offer = writer_offer(harvested, ["codex"])
    assert offer is not None and offer.writer == "codex"
    offer = writer_offer(harvested, ["claude-code"])
    assert offer is not None and offer.writer == "claude"
    assert (offer.estimate.waiting, offer.daily_tokens) == (1, 50_000)
    for settings in (WriteSettings(on="no"), WriteSettings("claude", "yes")):
        assert writer_offer(replace(harvested, write=settings), ["codex"]) is None


def test_without_history_nothing_is_offered(config, folder):
    put_program(folder, "claude")
    assert writer_offer(config, ["claude-code"]) is None


def test_only_who_is_here_can_be_named(config, folder):
    put_program(folder, "codex")
    assert checked_writer(config, "auto") == "codex"
    assert checked_writer(config, NOBODY) == NOBODY and checked_writer(config, "") == ""
    with pytest.raises(UsageError, match="codex would work"):
        checked_writer(config, "claude")
    with pytest.raises(UsageError, match="there are claude"):
        checked_writer(config, "tide-model")


def test_the_last_agent_that_is_disconnected_takes_the_writer_along(config, tmp_path):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".codex").mkdir()
    connect(config, ["claude-code", "codex"])
    set_writer(config, "claude")
    disconnect(load(), ["codex"])
    assert load().write.agreed
    *_, last = disconnect(load())
    assert last.agent == "write" and "writes no more lessons" in last.notes[0]
    assert not load().write.agreed
