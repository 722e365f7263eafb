"""doctor tells what works from what only seems to, and never falls over a broken home."""

from __future__ import annotations

import sqlite3
import time
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.backup import back_up, restore
from afterglow.flows.connect import connect, connected_files
from afterglow.flows.connect.record import write_record
from afterglow.flows.doctor import doctor, mend, status
from afterglow.flows.doctor.checkup import EXTRAS
from afterglow.flows.harvest import enqueue, log_of
from afterglow.flows.read import note_unredacted, scan
from afterglow.flows.session import start
from afterglow.records.settings import Hooks
from keeping import item, keep
from writing import ordinary


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    found = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    for number in range(4):
        ordinary(number, start=100 * number).save(
            found.user_home / ".claude/projects/-home-ana-src-harbor"
        )
    scan(found)
    return found


@pytest.fixture
def connected(config):
    connect(config, ["claude-code"])
    files = connected_files(config.home)
    long_ago = [replace(file, time=1.0) for file in files]  # before all of its sessions
    write_record(config.home, long_ago)
    return config


def said(found, about, level=None):
    return [
        one.text
        for one in found.findings
        if one.about == about and level in (None, one.level)
    ]


def test_a_machine_that_works_is_well(connected):
    keep(connected, item(1))
    start(connected, agent="claude-code", cwd=connected.user_home / "harbor")
    found = doctor(connected, hook_seconds=60)
    assert found.healthy, said(found, "delivery")
    assert (
        "4 sessions" in said(found, "agent", "ok")[0]
        and "connected" in said(found, "agent", "ok")[0]
    )
    assert any("hook program runs" in text for text in said(found, "connection", "ok"))
    assert any(
        "1 context given out in the last 4 sessions, 0 seen to arrive" in text
        for text in said(found, "delivery", "ok")
    )
    assert any(
        "knowledge.db" in text and "sound" in text
        for text in said(found, "store", "ok")
    )


def test_a_connection_that_delivers_nothing_is_shown_as_such(connected):
    keep(connected, item(1))
    found = doctor(connected)
    assert not found.healthy
    (text,) = said(found, "delivery", "attention")
    assert (
        "no context was delivered in the last 4 sessions" in text
        and "not to be called" in text
    )


def test_hooks_that_failed_are_the_likely_reason(connected):
    keep(connected, item(1))
    log_of(connected).add("hook failed", "SessionStart: knowledge.db is damaged")
    found = doctor(connected)
    assert "knowledge.db is damaged" in said(found, "delivery", "attention")[0]
    assert said(found, "log", "attention")


def test_nothing_to_deliver_is_no_fault(connected):
    found = doctor(connected)
    assert "nothing is known of" in said(found, "delivery", "note")[0]
    never = doctor(replace(connected, hooks=Hooks(context="never")))
    assert "never" in said(never, "delivery", "note")[0]


def test_a_ledger_that_cannot_be_read_is_not_taken_for_nothing_delivered(connected):
    keep(connected, item(1))
    connected.ledger.write_bytes(b"x" * 5000)
    assert "ledger cannot be read" in said(doctor(connected), "delivery", "note")[0]


def test_looking_changes_nothing(connected):
    before = {
        path: path.read_bytes() for path in connected.home.rglob("*") if path.is_file()
    }
    doctor(connected)
    after = {
        path: path.read_bytes() for path in connected.home.rglob("*") if path.is_file()
    }
    assert {
        path.name: data
        for path, data in after.items()
        if not path.name.endswith(("-shm", "-wal"))
    } == {
        path.name: data
        for path, data in before.items()
        if not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.parametrize(
    "name", ["catalog.db", "knowledge.db", "ledger.db", "memory.db", "connected.json"]
)
def test_a_file_that_is_damaged_is_a_finding(connected, name):
    path = connected.home / name
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    found = doctor(connected)
    assert not found.healthy
    assert any(name in one.text for one in found.findings if one.level == "attention")
    assert path.read_bytes().startswith(b"SQLite format 3\0\xff")


def test_a_newer_layout_is_a_finding(connected):
    keep(connected, item(1))
    with sqlite3.connect(connected.knowledge) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    assert "newer afterglow" in said(doctor(connected), "store", "attention")[0]


def test_a_database_of_another_program_is_a_finding(connected):
    with sqlite3.connect(connected.ledger) as db:
        db.execute("CREATE TABLE mine (a)")
    db.close()
    assert "not a file of afterglow" in said(doctor(connected), "store", "attention")[0]


def test_settings_that_were_changed_since_are_told_apart(connected):
    path = connected.user_home / ".claude/settings.json"
    whole = path.read_text()
    path.write_text(whole.replace("{", '{"model": "m",', 1))
    assert (
        "our parts are still there" in said(doctor(connected), "connection", "note")[0]
    )
    path.write_text("{}")
    assert "taken out" in said(doctor(connected), "connection", "attention")[0]
    path.unlink()
    assert "is gone" in said(doctor(connected), "connection", "attention")[0]


@pytest.mark.parametrize("program", ["/nowhere/afterglow", "/bin/false afterglow"])
def test_a_hook_program_that_is_gone_or_broken_is_a_finding(connected, program):
    path = connected.user_home / ".claude/settings.json"
    command = f"{program} hook SessionStart"
    path.write_text(
        '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "'
        + command
        + '"}]}]}}'
    )
    assert any(
        "hook program" in text
        for text in said(doctor(connected), "connection", "attention")
    )


def test_a_python_that_hermes_is_led_to_but_that_is_gone_is_a_finding(config):
    connect(config, ["hermes"])
    (config.user_home / ".hermes/plugins/afterglow/python").write_text(
        "/nowhere/python\n"
    )
    assert "not there any more" in said(doctor(config), "connection", "attention")[0]


def test_a_connection_made_by_hand_or_by_the_plugin_counts(config):
    path = config.user_home / ".claude/settings.json"
    path.write_text('{"enabledPlugins": {"afterglow@afterglow": true}}')
    found = doctor(config)
    assert "connected" in said(found, "agent", "ok")[0]
    assert found.connected == ("claude-code",)
    assert any("PATH of Claude Code" in one.do for one in found.findings)
    settings = config.user_home / ".hermes/config.yaml"
    settings.parent.mkdir()
    settings.write_text("plugins:\n  enabled:\n    - afterglow\n")
    assert any(
        "hermes" in text and "connected" in text
        for text in said(doctor(config), "agent", "ok")
    )


def test_hooks_beside_the_plugin_told_every_session_twice_and_nobody_said_so(connected):
    path = connected.user_home / ".claude/settings.json"
    path.write_text(
        '{"enabledPlugins": {"afterglow@afterglow": true}, '
        + path.read_text().strip()[1:]
    )
    assert any(
        "told twice" in text
        for text in said(doctor(connected), "connection", "attention")
    )
    connect(connected, ["claude-code"])
    assert b"hook SessionStart" not in path.read_bytes()


def test_a_plugin_folder_that_the_settings_of_hermes_do_not_name_does_nothing(config):
    connect(config, ["hermes"])
    checkup = doctor(config)
    assert any(
        "does not name our plugin" in text
        for text in said(checkup, "connection", "attention")
    )
    assert checkup.connected == ()
    settings = config.user_home / ".hermes/config.yaml"
    settings.write_text("plugins:\n  enabled:\n    - afterglow\n")
    checkup = doctor(config)
    assert said(checkup, "connection", "attention") == []
    assert checkup.connected == ("hermes",)


def test_contexts_before_the_first_scan_were_counted_for_zero_sessions(config):
    connect(config, ["claude-code"])
    keep(config, item(1))
    start(config, agent="claude-code", cwd=config.user_home / "harbor")
    text, last = said(doctor(config), "delivery")
    assert last.startswith("claude-code: last told at the start")
    assert "1 context given out; no session since" in text


def test_a_log_nobody_can_write_was_taken_for_one_without_trouble(connected):
    log_of(connected).path.mkdir()
    found = doctor(connected)
    assert not found.healthy and "cannot note" in said(found, "log", "attention")[0]


def test_a_file_in_place_of_the_home_was_taken_for_no_home(tmp_path):
    (tmp_path / "kept").write_text("in the way")
    found = doctor(Config(home=tmp_path / "kept", user_home=tmp_path / "home"))
    assert any("is no folder" in text for text in said(found, "home", "attention"))


def test_an_agent_that_is_not_connected_is_offered(config):
    found = doctor(config)
    assert any(one.do == "afterglow connect claude-code" for one in found.findings)


def test_an_empty_machine_says_what_to_do_first(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    found = doctor(
        Config(home=tmp_path / "kept", user_home=tmp_path / "home"),
        trouble="config.toml: line 3",
    )
    assert not found.healthy and not (tmp_path / "kept").exists()
    assert {"home", "agent", "setup"} <= {
        one.about for one in found.findings if one.level == "attention"
    }


def test_sessions_that_wait_are_counted_and_old_ones_need_attention(config):
    enqueue(config, agent="claude-code", source=None, session="a", why="ended")
    assert said(doctor(config), "queue", "ok") == ["sessions that wait for harvest: 1"]
    assert said(doctor(config, now=time.time() + 3 * 86400), "queue", "attention")


def test_status_counts_what_was_given_and_what_waits(config):
    assert status(config).last is None
    keep(config, item(1))
    start(config, agent="claude-code", cwd=config.user_home / "harbor")
    enqueue(config, agent="claude-code", source=None, session="a", why="ended")
    found = status(config)
    assert (found.given, found.delivered, found.judged, found.waiting) == (1, 0, 0, 1)
    assert found.last and found.last.agent == "claude-code" and found.last.items == 1


def test_status_with_a_damaged_ledger_says_so(config):
    config.ledger.write_bytes(b"x" * 5000)
    assert "ledger.db" in status(config).trouble


def test_every_extra_a_person_can_install_is_looked_for():
    declared = tomllib.loads(
        (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    )
    assert set(EXTRAS.values()) == set(declared["project"]["optional-dependencies"]) - {
        "dev"
    }


def test_a_connection_that_hears_nothing_of_failures_is_told(connected):
    (text,) = said(doctor(connected, hook_seconds=60), "connection", "note")
    assert text.startswith("claude-code: no hook after a failed call")
    quiet = replace(connected, hooks=Hooks(failures=False))
    assert said(doctor(quiet, hook_seconds=60), "connection", "note") == []


def test_a_home_that_others_can_look_into_is_told_and_can_be_closed(config):
    assert said(doctor(config), "home", "ok")[-1] == "only you can look into it"
    config.home.chmod(0o755)
    config.catalog.chmod(0o644)
    (text,) = said(doctor(config), "home", "attention")
    assert "2 files and folders" in text and str(config.home) in text
    (line,) = mend(config)
    assert line.startswith("closed ") and line.endswith(" to others")
    assert said(doctor(config), "home", "attention") == [] and mend(config) == ()


def test_a_home_that_is_the_users_own_is_not_closed(config):
    config = replace(config, home=config.user_home)
    config.home.chmod(0o755)
    assert mend(config) == ()
    assert "holds more" in said(doctor(config), "home", "note")[0]
    assert config.home.stat().st_mode & 0o077


def test_the_age_of_the_last_backup_is_told(config, tmp_path):
    keep(config, item(1))
    assert "never been backed up" in said(doctor(config), "backup", "note")[0]
    back_up(config, tmp_path / "b.tar.gz")
    assert "last backed up" in said(doctor(config), "backup", "ok")[0]
    in_two_months = time.time() + 60 * 86400
    assert said(doctor(config, now=in_two_months), "backup", "note")


def test_what_a_killed_restore_left_is_told_and_removed(config, tmp_path):
    keep(config, item(1))
    back_up(config, tmp_path / "b.tar.gz")
    draft = config.home.with_name("kept.before-restore-20260101-000000")
    draft.mkdir()
    (draft / ".unfinished").write_text("")
    (draft / "knowledge.db").write_text("half")
    assert str(draft) in said(doctor(config), "backup", "attention")[0]
    assert mend(config) == ("removed 1 unfinished backup or restore",)
    assert not draft.exists()
    aside = restore(config, tmp_path / "b.tar.gz").set_aside
    assert mend(config) == ()
    assert aside in said(doctor(config), "backup", "note")[0]


def make_risky(config: Config, id: str) -> None:
    with closing(sqlite3.connect(config.knowledge)) as db:
        db.execute("UPDATE items SET risk = 'runs fetched code' WHERE id = ?", [id])
        db.commit()


def test_what_waits_for_a_person_is_told_and_is_no_trouble(config):
    keep(config, item(1))
    assert said(doctor(config), "review") == ["nothing waits for you"]
    keep(
        config,
        item(2, status="candidate"),
        item(3, status="candidate", miner="folder", trust="external"),
        item(4, status="quarantined"),
    )
    make_risky(config, item(2).id)
    risky, proposed, orders = said(doctor(config), "review", "note")
    assert "1 lesson does something risky" in risky
    assert "1 change was proposed in a folder" in proposed
    assert "1 item gives orders to agents" in orders


def test_an_active_item_that_is_risky_and_not_approved_is_trouble(config):
    keep(config, item(1))
    make_risky(config, item(1).id)
    (text,) = said(doctor(config), "review", "attention")
    assert "1 active item is risky" in text


def test_what_is_damaged_can_be_put_back_from_the_last_backup(config, tmp_path):
    keep(config, item(1))
    back_up(config, tmp_path / "b.tar.gz")
    config.knowledge.write_bytes(b"these are not the pages you look for" * 300)
    helps = [line.do for line in doctor(config).findings if line.about == "store"]
    assert f"afterglow restore {tmp_path / 'b.tar.gz'}" in helps
    restore(config, tmp_path / "b.tar.gz")
    assert said(doctor(config), "store", "attention") == []


def test_transcripts_that_were_shown_unredacted_are_told(config):
    now = time.time()
    note_unredacted(config, "session-1", 3, 9, now=now - 90 * 86400)
    assert not any("unredacted" in line.text for line in doctor(config).findings)
    note_unredacted(config, "session-2", 3, 9, now=now - 7200)
    (line,) = [line for line in doctor(config).findings if "unredacted" in line.text]
    assert "1 time" in line.text and "2 h ago" in line.text
    assert "session-2" in line.text and line.level == "note"
