"""`afterglow config`, as a person types it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.errors import AfterglowError, ConfigError, UsageError


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    monkeypatch.delenv("AFTERGLOW_MEMORY_BACKEND", raising=False)

    def call(*words):
        result = CliRunner().invoke(cli, ["config", *words])
        if isinstance(result.exception, AfterglowError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.output

    return call


def test_a_setting_is_set_shown_and_taken_out(run, tmp_path):
    assert "+budget = 400" in run("set", "hooks.budget", "400")
    assert "budget = 400" in run("show", "hooks")
    assert "says so already" in run("set", "hooks.budget", "400")
    assert "Nothing was written" in run("unset", "hooks.budget", "--dry-run")
    run("unset", "hooks.budget")
    assert "not set: 600" in run("show", "hooks.budget")
    assert not (tmp_path / "config.toml").exists()


def test_a_list_grows_and_shrinks(run):
    run("set", "privacy.exclude", "~/a", "acme/*")
    run("set", "privacy.exclude", "--add", "~/b")
    run("set", "privacy.exclude", "--remove", "~/a")
    shown = json.loads(run("show", "privacy.exclude", "--json"))
    assert shown["settings"][0]["value"] == ["acme/*", "~/b"]
    with pytest.raises(UsageError, match="it has: acme"):
        run("set", "privacy.exclude", "--remove", "~/nowhere")
    with pytest.raises(UsageError, match="is no list, like"):
        run("set", "hooks.budget", "--add", "3")


def test_a_broken_file_is_shown_and_checked(run, tmp_path):
    assert "every default holds" in run("check")
    (tmp_path / "config.toml").write_text("[hooks]\nbudge = 3\n")
    with pytest.raises(ConfigError, match="did you mean budget"):
        run("check")
    assert "there is no key budge" in run("show")
    assert "did you mean" in json.loads(run_json(tmp_path))["problem"]


def run_json(tmp_path):
    result = CliRunner().invoke(cli, ["config", "check", "--json"])
    assert result.exit_code == 2
    return result.output
