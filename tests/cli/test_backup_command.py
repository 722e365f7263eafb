"""`afterglow backup` and `restore`, as a person runs them."""

import json
import os

import pytest

from command_line import afterglow
from flows.backup.homes import fact_of, home_of, learn


@pytest.fixture
def config(tmp_path):
    return home_of(tmp_path)


def run(config, *words):
    variables = {
        **os.environ,
        "HOME": str(config.user_home),
        "AFTERGLOW_HOME": str(config.home),
    }
    return afterglow(*words, env=variables)


def test_what_was_backed_up_comes_back(config, tmp_path):
    report = run(config, "backup", "--to", tmp_path / "backups", "--json")
    file = json.loads(report.stdout)["file"]
    learn(config, "the second lesson")
    refused = run(config, "restore", file)
    assert refused.returncode == 2 and "--yes" in refused.stderr
    look = run(config, "restore", file, "--dry-run")
    assert "whole" in look.stdout and fact_of(config) == "the second lesson"
    restored = run(config, "restore", file, "--yes")
    assert restored.returncode == 0, restored.stderr
    assert "the home from before is" in restored.stdout
    assert fact_of(config) == "the first lesson"
    doctor = run(config, "doctor").stdout
    assert "last backed up" in doctor and "from before a restore" in doctor


def test_a_home_whose_config_cannot_be_read_can_be_put_back(config, tmp_path):
    assert run(config, "backup", tmp_path / "b.tar.gz").returncode == 0
    (config.home / "config.toml").write_text("[oops")
    assert run(config, "status").returncode == 2
    assert run(config, "restore", tmp_path / "b.tar.gz", "--yes").returncode == 0
    assert run(config, "status").returncode == 0


@pytest.mark.parametrize("words", [[], ["a.tar.gz", "--to", "b"]])
def test_one_place_is_to_be_named(config, words):
    refused = run(config, "backup", *words)
    assert refused.returncode == 2 and "--to DIR" in refused.stderr


def test_a_file_that_is_not_there_or_not_ours_is_told(config, tmp_path):
    assert run(config, "restore", tmp_path / "gone", "--yes").returncode == 2
    (tmp_path / "x").write_text("x")
    assert run(config, "restore", tmp_path / "x", "--yes").returncode == 3
