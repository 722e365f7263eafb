"""connect and disconnect on real files: nothing of a person's is lost, whatever happens in between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import Conflict, StoreError, UsageError
from afterglow.flows.connect import connect, connected_files, disconnect, present
from afterglow.flows.connect.machine_facts import command, version, version_text
from connect.own_hermes import BROKEN, install
from keeping import item, keep

MINE = b'{\n\t"model": "opus",  \n\t"env": {"A": "1"}\n}'


@pytest.fixture
def config(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv(
        "PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    )
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.fixture
def settings(config):
    path = config.user_home / ".claude/settings.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(MINE)
    return path


def program(config: Config, name: str, says: str) -> None:
    path = config.home.parent / "bin" / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


def every_file(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_files_are_put_back_byte_for_byte(config, settings):
    program(config, "codex", "codex-cli 0.145.2")
    install(config.home.parent / "bin")
    (config.user_home / ".hermes").mkdir()
    (config.user_home / ".hermes/config.yaml").write_text(
        "# mine\nmodel: x\nplugins:\n  enabled: [other]\n"
    )
    before = every_file(config.user_home)
    results = connect(config, ["claude-code", "codex", "hermes"])
    assert [result.refused for result in results] == ["", "", ""]
    assert every_file(config.user_home) != before
    disconnect(config)
    assert every_file(config.user_home) == before
    assert (
        not (config.user_home / ".codex").exists()
        and not (config.user_home / ".hermes/plugins").exists()
    )
    assert (
        connected_files(config.home) == ()
        and list((config.home / "backups").iterdir()) == []
    )


def test_connecting_twice_changes_nothing(config, settings):
    connect(config, ["claude-code"])
    once = settings.read_bytes(), (config.home / "connected.json").read_bytes()
    assert connect(config, ["claude-code"])[0].changes == ()
    assert (
        settings.read_bytes(),
        (config.home / "connected.json").read_bytes(),
    ) == once


def test_connecting_again_with_other_wishes_still_goes_back_to_the_first(
    config, settings
):
    program(config, "claude", "2.1.197 (Claude Code)")
    words = 'The user\'s rule: "ask me before you git push anything".'
    keep(config, item(1, fact=words, trust="user", miner="rules"))
    connect(config, ["claude-code"])
    connect(config, ["claude-code"], hints=True)
    assert '"if": "Bash(git push:*)"' in settings.read_text()
    connect(config, ["claude-code"])
    assert "PreToolUse" not in settings.read_text()
    disconnect(config, ["claude-code"])
    assert settings.read_bytes() == MINE


def test_what_a_person_changed_since_stays(config, settings):
    connect(config, ["claude-code"])
    settings.write_text(settings.read_text().replace("opus", "haiku"))
    (done,) = disconnect(config)
    assert "only our parts" in done.notes[0]
    assert settings.read_bytes() == MINE.replace(b"opus", b"haiku")


def test_what_a_person_changed_before_connecting_again_stays(config, settings):
    connect(config, ["claude-code"])
    settings.write_text(settings.read_text().replace("opus", "haiku"))
    program(config, "claude", "2.1.197 (Claude Code)")
    connect(config, ["claude-code"])
    disconnect(config)
    assert settings.read_bytes() == MINE.replace(b"opus", b"haiku")


def test_a_dry_run_shows_the_difference_and_touches_nothing(config, settings):
    settings.write_text(
        '{"env": {"GITHUB_TOKEN": "ghp_x9Kq2LmZ7vRtB4nW8sYcD3fGhJ6pQe1uAoXi"}}'
    )
    before = every_file(config.user_home)
    (done,) = connect(config, ["claude-code"], dry_run=True)
    assert "+" in done.changes[0].diff and "hook SessionStart" in done.changes[0].diff
    assert "x9Kq2LmZ7v" not in done.changes[0].diff
    assert every_file(config.user_home) == before and connected_files(config.home) == ()


def test_broken_settings_are_refused_and_others_are_connected_all_the_same(
    config, settings
):
    settings.write_text('{\n  "model": oops\n}')
    (config.user_home / ".hermes").mkdir()
    broken, hermes = connect(config, ["claude-code", "hermes"])
    assert (
        "line 2, column 12" in broken.refused
        and settings.read_text() == '{\n  "model": oops\n}'
    )
    assert hermes.changes and {one.agent for one in connected_files(config.home)} == {
        "hermes"
    }


def test_a_read_only_file_is_refused(config, settings):
    settings.chmod(0o444)
    (done,) = connect(config, ["claude-code"])
    assert (
        "read-only" in done.refused
        and settings.read_bytes() == MINE
        and connected_files(config.home) == ()
    )


def test_a_link_stays_a_link_and_its_target_is_changed(config, settings, tmp_path):
    real = tmp_path / "dotfiles.json"
    settings.rename(real)
    settings.symlink_to(real)
    connect(config, ["claude-code"])
    assert settings.is_symlink() and b"hook SessionStart" in real.read_bytes()
    disconnect(config)
    assert settings.is_symlink() and real.read_bytes() == MINE


def test_permissions_stay_and_copies_are_private(config, settings):
    settings.chmod(0o640)
    connect(config, ["claude-code"])
    assert settings.stat().st_mode & 0o777 == 0o640
    (copy,) = (config.home / "backups").iterdir()
    assert copy.read_bytes() == MINE and copy.stat().st_mode & 0o777 == 0o600
    disconnect(config)
    assert settings.stat().st_mode & 0o777 == 0o640


def test_a_connect_that_was_killed_before_the_edit_leaves_nothing_to_undo(
    config, settings
):
    connect(config, ["claude-code"])
    connected = settings.read_bytes()
    settings.write_bytes(MINE)  # as if the note had been written, and the file not yet
    disconnect(config)
    assert settings.read_bytes() == MINE
    connect(config, ["claude-code"])
    assert settings.read_bytes() == connected


def test_without_a_note_our_parts_are_found_all_the_same(config, settings):
    connect(config, ["claude-code"])
    (config.home / "connected.json").unlink()
    (done,) = disconnect(config, ["claude-code"])
    assert done.changes and settings.read_bytes() == MINE


def test_a_lost_copy_means_taking_out_our_parts(config, settings):
    connect(config, ["claude-code"])
    for copy in (config.home / "backups").iterdir():
        copy.write_bytes(b"damaged")
    disconnect(config)
    assert settings.read_bytes() == MINE


def test_a_file_that_is_gone_is_no_trouble(config, settings):
    connect(config, ["claude-code"])
    settings.unlink()
    (done,) = disconnect(config)
    assert "gone already" in done.notes[0] and connected_files(config.home) == ()


def test_a_damaged_or_newer_note_is_refused(config, settings):
    config.home.mkdir()
    for text in ("{half", '{"version": 99, "files": []}'):
        (config.home / "connected.json").write_text(text)
        (done,) = connect(config, ["claude-code"])
        assert "connected.json" in done.refused and settings.read_bytes() == MINE
        with pytest.raises(StoreError, match=r"connected\.json"):
            disconnect(config)


def test_many_connects_at_once_end_as_one(config, settings):
    (config.user_home / ".hermes").mkdir()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: connect(config, ["claude-code", "hermes"]), range(8)))
    hooks = json.loads(settings.read_bytes())["hooks"]
    assert [len(groups) for groups in hooks.values()] == [1, 1, 1]
    assert len({one.path for one in connected_files(config.home)}) == len(
        connected_files(config.home)
    )
    disconnect(config)
    assert settings.read_bytes() == MINE


def test_one_checkout_can_be_connected(config, tmp_path):
    connect(config, ["claude-code"], project=tmp_path / "harbor")
    assert (tmp_path / "harbor/.claude/settings.local.json").exists()
    disconnect(config)
    assert not (tmp_path / "harbor").exists()


def test_a_profile_of_hermes_is_connected_by_name(config):
    install(config.home.parent / "bin")
    (config.user_home / ".hermes/profiles/deck").mkdir(parents=True)
    (none,) = connect(config, ["hermes"], profile="home")
    assert "no profile 'home'" in none.refused
    connect(config, ["hermes"], profile="deck")
    assert (
        "- afterglow"
        in (config.user_home / ".hermes/profiles/deck/config.yaml").read_text()
    )
    assert not (config.user_home / ".hermes/config.yaml").exists()


def test_hermes_is_connected_where_it_was_told_to_stay(config):
    install(config.home.parent / "bin")
    (config.user_home / ".hermes/profiles/deck").mkdir(parents=True)
    (config.user_home / ".hermes/active_profile").write_text("deck\n")
    connect(config, ["hermes"])
    assert (config.user_home / ".hermes/profiles/deck/config.yaml").exists()
    connect(config, ["hermes"], profile="default")
    assert (config.user_home / ".hermes/config.yaml").exists()
    with pytest.raises(UsageError, match="only Hermes has profiles"):
        connect(config, ["codex"], profile="deck")


def test_a_hermes_whose_python_has_the_package_needs_no_folder(config, tmp_path):
    """Its name on the index is not that of the program: `afterglow` there is another project."""
    packages = tmp_path / "venv/lib/python3.11/site-packages"
    (packages / "afterglow-0.1.0.dist-info").mkdir(parents=True)
    (packages / "afterglow_agents-0.1.0.dist-info").mkdir()
    (tmp_path / "venv/bin").mkdir()
    python = tmp_path / "venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    program = install(tmp_path / "bin")
    text = program.read_text().partition("\n")[2]
    program.write_text(f"#!{python}\n{text}")
    connect(config, ["hermes"])
    assert not (config.user_home / ".hermes/plugins").exists()
    (packages / "afterglow_agents-0.1.0.dist-info").rmdir()
    connect(config, ["hermes"])
    leads = config.user_home / ".hermes/plugins/afterglow/python"
    assert leads.read_text().strip() == str(Path(sys.executable).absolute())


def test_hermes_changes_a_copy_and_we_put_it_in_place(config):
    install(config.home.parent / "bin")
    settings = config.user_home / ".hermes/config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("model: x\n")
    (shown,) = connect(config, ["hermes"], dry_run=True)
    assert any("+    - afterglow" in change.diff for change in shown.changes)
    assert settings.read_text() == "model: x\n"
    connect(config, ["hermes"])
    assert "    - afterglow\n" in settings.read_text()
    assert connect(config, ["hermes"])[0].changes == ()


def test_settings_of_hermes_that_changed_since_are_cleaned_by_hermes_and_the_copy_stays(
    config,
):
    install(config.home.parent / "bin")
    settings = config.user_home / ".hermes/config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("# mine\nmodel: x\n")
    connect(config, ["hermes"])
    settings.write_text(settings.read_text().replace("model: x", "model: y"))
    (result,) = disconnect(config)
    text = settings.read_text()
    assert "model: y" in text and "enabled: []" in text
    (copy,) = (config.home / "backups").iterdir()
    assert copy.read_text() == "# mine\nmodel: x\n" and str(copy) in result.notes[-1]
    assert not (config.user_home / ".hermes/plugins").exists()


def test_settings_that_hermes_cannot_parse_stay_as_they_are(config):
    install(config.home.parent / "bin")
    settings = config.user_home / ".hermes/config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(BROKEN)
    (result,) = connect(config, ["hermes"])
    assert "cannot read it as YAML" in result.refused
    assert settings.read_text() == BROKEN and connected_files(config.home) == ()


def test_a_hermes_that_fails_is_told_in_its_own_words(config):
    path = config.home.parent / "bin/hermes"
    path.write_text("#!/bin/sh\necho 'managed by your administrator'\nexit 3\n")
    path.chmod(0o755)
    (result,) = connect(config, ["hermes"])
    assert "managed by your administrator; nothing was changed" in result.refused
    assert "enabled:\n        - afterglow" in result.refused
    assert connected_files(config.home) == ()


def test_agents_are_found_by_folder_or_program(config):
    config.user_home.mkdir()
    assert present(config) == []
    program(config, "codex", "codex-cli 0.99.0")
    (config.user_home / ".claude").mkdir()
    assert present(config) == ["claude-code", "codex"]


def test_a_program_that_does_not_say_its_version_is_not_waited_for(config):
    path = config.home.parent / "bin/codex"
    path.write_text("#!/bin/sh\nsleep 3 & sleep 3\n")
    path.chmod(0o755)
    assert version_text(["codex", "nothing"], seconds=0.05) == {
        "codex": "",
        "nothing": "",
    }


def test_versions_are_read_out_of_what_programs_say():
    assert version("codex-cli 0.145.1") == (0, 145, 1)
    assert version("2.1 (Claude Code)") == (2, 1, 0)
    assert version("") is None


def test_an_agent_that_cannot_be_connected_is_told_what_can(config):
    with pytest.raises(UsageError, match="context --write"):
        connect(config, ["cursor"])


def test_the_command_needs_neither_path_nor_variables(config):
    config.user_home.mkdir(exist_ok=True)
    here = replace(config, home=config.home.parent / "kept here")
    event = {
        "hook_event_name": "SessionStart",
        "session_id": "s",
        "source": "startup",
        "cwd": str(config.user_home),
    }
    done = subprocess.run(
        f"{command(here)} hook SessionStart --agent claude-code", shell=True, input=json.dumps(event), text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(config.user_home)}, capture_output=True, check=True,
    )  # fmt: skip
    assert (
        json.loads(done.stdout) == {} and not (config.user_home / ".afterglow").exists()
    )
    assert command(replace(config, home=config.user_home / ".afterglow")).startswith(
        str(Path(sys.executable).parent)
    )


def test_a_file_in_place_of_our_home_was_an_error_of_the_system(config):
    config.home.write_text("in the way")
    (done,) = connect(config, ["claude-code"])
    assert "AFTERGLOW_HOME" in done.refused


def test_backups_that_could_not_be_made_were_an_error_of_the_system(config):
    settings = config.user_home / ".claude/settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('{"model": "tide"}')
    config.home.mkdir(parents=True, exist_ok=True)
    (config.home / "backups").write_text("in the way")
    (done,) = connect(config, ["claude-code"])
    assert "backups" in done.refused and settings.read_text() == '{"model": "tide"}'


def test_an_empty_settings_file_was_refused_as_no_json(config, settings):
    settings.write_bytes(b"\n")
    (done,) = connect(config, ["claude-code"])
    assert not done.refused and b"hook SessionStart" in settings.read_bytes()
    disconnect(config)
    assert settings.read_bytes() == b"\n"


def test_what_a_person_was_shown_is_what_is_written_or_nothing(config, settings):
    (planned,) = connect(config, ["claude-code"], dry_run=True)
    settings.write_bytes(MINE.replace(b"opus", b"haiku"))
    with pytest.raises(Conflict, match="changed since you looked"):
        connect(config, ["claude-code"], expected={"claude-code": planned.mark})
    assert not connected_files(config.home)
    (planned,) = connect(config, ["claude-code"], dry_run=True)
    connect(config, ["claude-code"], expected={"claude-code": planned.mark})
    (undone,) = disconnect(config, ["claude-code"], dry_run=True)
    settings.write_bytes(settings.read_bytes().replace(b"haiku", b"opus"))
    with pytest.raises(Conflict):
        disconnect(config, ["claude-code"], expected={"claude-code": undone.mark})
    (undone,) = disconnect(config, ["claude-code"], dry_run=True)
    disconnect(config, ["claude-code"], expected={"claude-code": undone.mark})
    assert settings.read_bytes() == MINE
