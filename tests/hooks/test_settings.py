"""What a person may set for hooks, and what they are told where it is not understood."""

from __future__ import annotations

import pytest

from afterglow.config import load
from afterglow.errors import ConfigError, UsageError
from afterglow.hooks.main import parsed, wished
from afterglow.records.settings import Hooks


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    return tmp_path


def test_defaults(home):
    assert load().hooks == Hooks(context="start", pretool=False, deadline_ms=800)


def test_the_config_file_is_read_and_the_command_goes_before_it(home):
    (home / "config.toml").write_text('[hooks]\ncontext = "never"\ndeadline_ms = 300\n')
    assert load().hooks == Hooks(context="never", deadline_ms=300)
    said = parsed(["Stop", "--context=prompt", "--pretool", "--deadline-ms", "90"])
    assert wished(load(), said).hooks == Hooks(
        context="prompt", pretool=True, deadline_ms=90
    )


@pytest.mark.parametrize(
    "text",
    ['context = "always"', "deadline_ms = 0", 'pretool = "yes"', 'deadline_ms = "800"'],
)
def test_what_is_not_understood_is_said(home, text):
    (home / "config.toml").write_text(f"[hooks]\n{text}\n")
    with pytest.raises(ConfigError, match=r"config.toml: \[hooks\]"):
        load()


@pytest.mark.parametrize(
    "words", [["Stop", "--loud"], ["Stop", "Start"], ["Stop", "-x"]]
)
def test_options_that_do_not_exist_are_said(words):
    with pytest.raises(UsageError, match="usage: afterglow hook"):
        parsed(words)


@pytest.mark.parametrize(
    "words", [["--context", "always"], ["--deadline-ms", "soon"], ["--context"]]
)
def test_values_that_do_not_fit_are_said(home, words):
    with pytest.raises(UsageError, match="--context is one of start, prompt, never"):
        wished(load(), parsed(words))
