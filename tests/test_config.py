"""The configuration file: what is not understood is an error that names file, table and key and says what would work."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from afterglow.cli.doctor import doctor
from afterglow.config import load
from afterglow.errors import ConfigError


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    return tmp_path


def test_every_table_of_the_example_in_the_module_is_understood(home):
    import afterglow.config

    example = afterglow.config.__doc__.partition("\n\n")[2]
    (home / "config.toml").write_text(example, encoding="utf-8")
    settings = load()
    assert settings.paths == (home / "exports",)
    assert settings.aliases[str(home / "wks/cli")] == "acme/cli"
    assert settings.names == ("Ada Example",)
    assert settings.memory_backend == "local"
    assert settings.experiment == "daily"
    assert settings.write.agreed and settings.write.daily_tokens == 50_000
    assert settings.model.max_tokens == 200_000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[scan]\npath = ["~/a"]', "[scan] there is no key path; did you mean paths?"),
        ("[foo]\nx = 1", "there is no table [foo]; there are scan, repos"),
        ("[experiments]\n", "did you mean experiment?"),
        ("paths = 1", "there is no table [paths]"),
        ("scan = 1", "[scan] must be a table; paths must be a list of folders"),
        ('[scan]\npaths = "~/a"', "[scan] paths: Expected `array`, got `str`; paths"),
        ('[scan]\npaths = ["a\\u0000b"]', "[scan] paths[0]: "),
        ('[redact]\nnames = [" "]', "[redact] names[0]: "),
        ("[repos]\ncli = 3", "[repos] cli: Expected `str`, got `int`; it maps"),
        ("[memory]\nbackend = 3", '[memory] backend: Expected `str`, got `int`; backend must be a name, like "local"'),
        ("[hooks]\nloud = true", "[hooks] there is no key loud; there are context"),
        ('[write]\nwriter = "claude"', "[write] there is no key writer; did you mean with?"),
        ("[write]\non = true", '[write] on: Expected `str`, got `bool`; with is a name like "claude"'),
        ('[write]\non = "maybe"', "[write] on: Invalid enum value"),
        ("[model]\nretries = -1", "[model] retries: Expected `int` >= 0"),
        ("[model]\nbase = 1", "[model] there is no key base; did you mean base_url?"),
    ],
)  # fmt: skip
def test_what_is_not_understood_names_file_table_and_key(home, text, problem):
    (home / "config.toml").write_text(text, encoding="utf-8")
    expected = f"{home / 'config.toml'}: "
    with pytest.raises(ConfigError, match=re.escape(problem)) as raised:
        load()
    assert str(raised.value).startswith(expected)


def test_doctor_shows_a_key_that_would_do_nothing(home):
    (home / "config.toml").write_text('[scan]\npath = ["~/a"]\n', encoding="utf-8")
    result = CliRunner().invoke(doctor)
    assert result.exit_code == 1
    assert "there is no key path; did you mean paths?" in " ".join(
        result.output.split()
    )
