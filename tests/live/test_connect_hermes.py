"""connect and disconnect with a real Hermes: it enables our plugin itself, on a copy, and every byte comes back."""

from __future__ import annotations

import os
import shlex
import subprocess

import pytest

from afterglow.config import Config
from afterglow.flows.connect import connect, disconnect
from live.hermes_room import hermes_alone, hermes_program

MINE = "# mine\nmodel: x   # the model\n\nplugins: {disabled: [afterglow], enabled: []}\nzoo:\n  - 1\n"


@pytest.fixture
def config(tmp_path):
    home = tmp_path / "hermes"
    home.mkdir()
    (home / "config.yaml").write_text(MINE)
    return Config(home=tmp_path / "kept", user_home=tmp_path, moved={"hermes": home})


@pytest.fixture
def settings(config):
    return config.moved["hermes"] / "config.yaml"


@pytest.fixture
def on_path(tmp_path, monkeypatch):
    """Puts a program `hermes` first on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def put(words) -> None:
        line = " ".join(shlex.quote(str(word)) for word in words)
        (folder / "hermes").write_text(f'#!/bin/sh\nexec {line} "$@"\n')
        (folder / "hermes").chmod(0o755)

    return put


def enabled(config) -> str:
    """The plugins that Hermes says it loads."""
    home = config.moved["hermes"]
    return subprocess.run(
        ["hermes", "plugins", "list", "--enabled", "--plain"],
        env={**os.environ, "HERMES_HOME": str(home), "HOME": str(config.user_home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_hermes_that_has_the_package_needs_only_its_settings(
    config, settings, monkeypatch
):
    program = hermes_program()
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    (preview,) = connect(config, ["hermes"], dry_run=True)
    assert "afterglow" in preview.changes[0].diff and settings.read_text() == MINE
    (result,) = connect(config, ["hermes"])
    assert not result.refused and [change.path for change in result.changes] == [
        str(settings)
    ]
    assert "without your comments" in result.notes[0]
    assert not (settings.parent / "plugins").exists()
    assert connect(config, ["hermes"])[0].changes == ()
    assert "afterglow" in enabled(config)
    settings.write_text(settings.read_text().replace("model: x", "model: y"))
    disconnect(config)
    assert "model: y" in settings.read_text() and "afterglow" not in enabled(config)
    (copy,) = (config.home / "backups").iterdir()
    assert copy.read_text() == MINE


def test_a_hermes_without_the_package_is_given_a_folder_and_all_of_it_goes_again(
    config, settings, on_path
):
    on_path(hermes_alone(hermes_program()))
    assert not connect(config, ["hermes"])[0].refused
    assert (settings.parent / "plugins/afterglow/plugin.yaml").exists()
    assert "afterglow" in enabled(config)
    disconnect(config)
    assert settings.read_text() == MINE
    assert not (settings.parent / "plugins/afterglow").exists()


def test_settings_that_hermes_cannot_parse_stay_as_they_are(config, settings, on_path):
    on_path([hermes_program()])
    settings.write_text("a: [\n")
    (result,) = connect(config, ["hermes"])
    assert "cannot read it as YAML" in result.refused
    assert settings.read_text() == "a: [\n"
    assert [path.name for path in settings.parent.iterdir()] == ["config.yaml"]
