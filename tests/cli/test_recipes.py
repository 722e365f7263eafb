"""The recipes for agents without hooks: their files are written and taken out again, their JSON is JSON."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.config import Config
from afterglow.errors import UsageError
from keeping import item, keep

GUIDE = Path(__file__).parents[2] / "docs" / "recipes.md"
FILES = re.findall(r"^    afterglow context --write (\S+)$", GUIDE.read_text(), re.M)


@pytest.fixture
def checkout(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "harbor"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", folder], check=True)
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(folder)
    keep(
        Config(home=tmp_path / "home", user_home=tmp_path), item(1, last_confirmed=4e9)
    )
    return folder


@pytest.mark.parametrize("file", FILES)
def test_a_file_an_agent_reads_is_kept(checkout, file):
    written = CliRunner().invoke(cli, ["context", "--write", file])
    assert written.exit_code == 0, written.output
    assert "make ship" in (checkout / file).read_text()
    CliRunner().invoke(cli, ["context", "--write", file, "--remove"])
    assert (
        not (checkout / file).exists()
        or "make ship" not in (checkout / file).read_text()
    )


def test_a_folder_is_made_within_a_checkout_and_said(checkout):
    said = CliRunner().invoke(cli, ["context", "--write", ".github/x.md"]).output
    assert f"{checkout}/.github was made" in said


def test_a_folder_that_is_misspelt_is_not_made(checkout, tmp_path):
    file = tmp_path / "nope" / "AGENTS.md"
    ended = CliRunner().invoke(cli, ["context", "--write", str(file)])
    assert isinstance(ended.exception, UsageError) or "make ship" not in ended.output
    assert not file.parent.exists()


def test_there_is_a_recipe_for_each(checkout):
    assert {"GEMINI.md", ".github/copilot-instructions.md", "AGENTS.md"} <= set(FILES)


def test_settings_of_agents_are_json():
    for block in re.findall(r"```json\n(.*?)```", GUIDE.read_text(), re.S):
        assert "afterglow" in json.dumps(json.loads(block))
