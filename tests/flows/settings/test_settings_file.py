"""Settings are drafted, checked as they will be read, and written only over the file that was looked at."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from afterglow.config import Config, checked, load, load_anyway
from afterglow.errors import ConfigError, Conflict, NotFound, UsageError
from afterglow.flows.settings import (
    changed_values,
    config_text,
    draft_text,
    draft_values,
    set_values,
    typed_value,
    view_settings,
    write_draft,
    written_value,
)
from afterglow.records.settings import TABLES

MINE = '# mine\n[hooks]\nbudget = 300  # small\n\n[repos]\ncli = "acme/cli"\n'


@pytest.fixture
def config(tmp_path, monkeypatch) -> Config:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.delenv("AFTERGLOW_MEMORY_BACKEND", raising=False)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/config.toml").write_text(MINE)
    return load()


def test_a_draft_shows_the_difference_and_writes_nothing(config):
    draft = draft_values(config, {"hooks.budget": 400})
    assert "-budget = 300  # small\n+budget = 400  # small" in draft.diff
    assert config_text(config).text == MINE
    write_draft(config, draft)
    assert load().hooks.budget == 400
    assert (config.home / "config.toml").stat().st_mode & 0o777 == 0o600


def test_what_would_not_be_understood_is_not_written(config):
    with pytest.raises(ConfigError, match=r"\[hooks\] budget: Expected `int` >= 50"):
        set_values(config, {"hooks.budget": 4})
    with pytest.raises(ConfigError, match="did you mean budget"):
        draft_text(config, "[hooks]\nbudge = 100\n")
    assert config_text(config).text == MINE


def test_a_file_that_changed_since_is_not_written_over(config):
    seen = config_text(config)
    draft = draft_values(config, {"hooks.budget": 400}, expected=seen.mark)
    set_values(load(), {"hooks.failures": False})
    with pytest.raises(Conflict, match="changed since you looked"):
        write_draft(config, draft)
    with pytest.raises(Conflict):
        draft_text(config, "", expected=seen.mark)
    assert load().hooks.budget == 300 and not load().hooks.failures


def test_of_many_writers_none_is_lost(config):
    names = [f"repos.name{number}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: set_values(config, {name: "acme/cli"}), names))
    assert len(load().aliases) == len(names) + 1
    assert load().hooks.budget == 300


def test_a_file_with_nothing_left_goes_and_a_linked_one_stays_linked(config, tmp_path):
    toml = config.home / "config.toml"
    write_draft(config, draft_text(config, ""))
    assert not toml.exists()
    shared = tmp_path / "dotfiles.toml"
    shared.write_text("[hooks]\nbudget = 300\n")
    shared.chmod(0o644)
    toml.symlink_to(shared)
    set_values(load(), {"hooks.budget": 500})
    assert toml.is_symlink() and shared.stat().st_mode & 0o777 == 0o644
    assert shared.read_text() == "[hooks]\nbudget = 500\n"


def test_a_file_that_is_not_understood_can_be_mended_as_text(config):
    (config.home / "config.toml").write_text("[hooks\n")
    config = load_anyway()
    assert "config.toml" in config_text(config).problem
    with pytest.raises(ConfigError, match="as text first"):
        set_values(config, {"hooks.budget": 400})
    write_draft(config, draft_text(config, MINE))
    assert load().hooks.budget == 300


def test_every_key_says_what_it_means_and_what_holds_by_itself(config):
    view = view_settings(config)
    names = [each.name for table in view.tables for each in table.settings]
    for table, kind in TABLES.items():
        keys = kind.__struct_encode_fields__ if kind else ()
        assert [f"{table}.{key}" for key in keys] == [
            name for name in names if name.startswith(f"{table}.")
        ]
    assert all(each.meaning for table in view.tables for each in table.settings)
    budget = view.setting("hooks.budget")
    assert (budget.value, budget.default) == (300, 600)
    assert (budget.least, budget.most, budget.is_whole) == (50, 20_000, True)
    assert view.setting("hooks.context").choices == ("never", "prompt", "start")
    assert view.setting("model.max_cost").form == "number"
    assert view.setting("model.price").form == "toml"
    with pytest.raises(NotFound, match=r"did you mean hooks\.budget"):
        view.setting("hooks.budgte")


def test_a_variable_that_goes_before_the_file_is_told(config, monkeypatch):
    set_values(config, {"memory.backend": "local"})
    assert view_settings(load()).setting("memory.backend").in_force == ""
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "null")
    assert view_settings(load()).setting("memory.backend").in_force == '"null"'


def test_a_form_that_nobody_touched_changes_nothing(config):
    text = "[scan]\npaths = ['~/a']\n[model]\nprice = {input = 1.5, output = 2}\n"
    write_draft(config, draft_text(config, MINE + text))
    view = view_settings(load())
    fields = {
        each.name: written_value(each)
        for table in view.tables
        for each in table.settings
    }
    assert changed_values(view, fields) == {}


def test_only_what_was_changed_in_a_form_is_set(config):
    view = view_settings(config)
    fields = {
        "hooks.budget": "",
        "hooks.failures": "false",
        "repos": "cli = acme/other\n~/x = acme/x",
        "scan.paths": " ~/a \n\n~/b",
    }
    changes = changed_values(view, fields)
    assert changes == {
        "hooks.budget": None,
        "hooks.failures": False,
        "repos.cli": "acme/other",
        "repos.~/x": "acme/x",
        "scan.paths": ["~/a", "~/b"],
    }
    after = draft_values(config, changes).after
    assert checked(config, after).aliases["cli"] == "acme/other"
    assert changed_values(view, {"repos": ""}) == {"repos.cli": None}


@pytest.mark.parametrize(
    ("name", "words", "problem"),
    [
        ("hooks.failures", ["maybe"], "true or false"),
        ("hooks.budget", ["lots"], "no number"),
        ("hooks.budget", ["1", "2"], "one value"),
        ("repos", ["cli"], "cli = acme/cli"),
        ("model.price", ["1\ny = 2"], "is no"),
    ],
)
def test_what_cannot_be_a_value_says_what_could(config, name, words, problem):
    with pytest.raises(UsageError, match=problem):
        typed_value(view_settings(config).setting(name), words)


@pytest.mark.parametrize(
    ("problem", "name"),
    [
        ("config.toml: [model] max_tokens_day: Expected `int`", "model.max_tokens_day"),
        ("hooks.budget: 'lots' is no number", "hooks.budget"),
        ("hooks.failures is true or false, not 'x'", "hooks.failures"),
        ("config.toml: Expected ']'", ""),
        ("", ""),
    ],
)
def test_an_error_leads_to_its_setting(config, problem, name):
    assert view_settings(config).blamed_by(problem) == name
