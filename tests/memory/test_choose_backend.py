"""Which backend is in force: what was set, else a file on this machine."""

import subprocess
import sys

import pytest

from afterglow.config import Config, Honcho, load
from afterglow.errors import ConfigError
from afterglow.memory import (
    LocalBackend,
    NullBackend,
    get_memory_backend,
    reset_backend,
)
from afterglow.memory.backends import BACKENDS, choose, open_named
from memory.honcho_server import KEY, HonchoServer

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in (
        "AFTERGLOW_MEMORY_BACKEND",
        "HERMES_MEMORY_BACKEND",
        "HONCHO_API_KEY",
        "HONCHO_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    reset_backend()
    yield tmp_path
    reset_backend()


def test_nothing_set_keeps_entries_here_and_makes_no_file_before_the_first(home):
    backend = get_memory_backend()
    assert backend.query("ana", "editor") == [] and list(home.iterdir()) == []
    assert backend.store("ana", "editor", "helix")
    assert (backend.backend_name, backend.is_cloud) == ("local", False)
    assert (home / "memory.db").exists()


@pytest.mark.parametrize(
    ("address", "workspace"),
    [
        ("HONCHO_URL", "HONCHO_WORKSPACE_ID"),
        ("HONCHO_BASE_URL", "HONCHO_APP_ID"),
    ],
)
def test_a_server_is_named_by_our_variables_or_the_original_ones(
    monkeypatch, address, workspace
):
    monkeypatch.delenv("HONCHO_WORKSPACE_ID", raising=False)
    monkeypatch.setenv(address, NOWHERE)
    monkeypatch.setenv(workspace, "harbour")
    assert (load().honcho.url, load().honcho.workspace) == (NOWHERE, "harbour")


def test_of_two_spellings_of_a_server_ours_goes_first(monkeypatch):
    monkeypatch.setenv("HONCHO_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HONCHO_URL", NOWHERE)
    assert load().honcho.url == NOWHERE


def test_the_variable_chooses(monkeypatch):
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", " Local ")
    assert isinstance(get_memory_backend(), LocalBackend)


def test_the_older_variable_chooses_too_and_the_newer_one_goes_before_it(monkeypatch):
    monkeypatch.setenv("HERMES_MEMORY_BACKEND", "local")
    assert load().memory_backend == "local"
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "null")
    assert isinstance(get_memory_backend(), NullBackend)


def test_the_config_file_chooses(home):
    (home / "config.toml").write_text('[memory]\nbackend = "local"\n')
    assert isinstance(get_memory_backend(), LocalBackend)


def test_a_config_file_that_names_no_name_is_refused(home):
    (home / "config.toml").write_text("[memory]\nbackend = 3\n")
    with pytest.raises(ConfigError, match="must be a name"):
        get_memory_backend()


def test_a_backend_nobody_knows_is_refused_with_those_there_are(monkeypatch):
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "mongo")
    with pytest.raises(ConfigError, match="null, local, honcho"):
        get_memory_backend()


def test_it_is_opened_once_and_forgotten_on_reset(monkeypatch):
    first = get_memory_backend()
    assert get_memory_backend() is first
    reset_backend()
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "local")
    assert get_memory_backend() is not first


def test_a_honcho_key_alone_moves_nothing_to_its_server(monkeypatch):
    with HonchoServer() as server:
        monkeypatch.setenv("HONCHO_API_KEY", KEY)
        monkeypatch.setenv("HONCHO_URL", server.url)
        assert isinstance(get_memory_backend(), LocalBackend)
        assert 'backend = "honcho"' in choose(load()).why


def test_a_honcho_server_is_used_where_the_config_names_it(home, monkeypatch):
    (home / "config.toml").write_text('[memory]\nbackend = "honcho"\n')
    with HonchoServer() as server:
        monkeypatch.setenv("HONCHO_API_KEY", KEY)
        monkeypatch.setenv("HONCHO_URL", server.url)
        assert get_memory_backend().backend_name == "honcho"
        reset_backend()


def test_what_was_set_is_never_replaced_by_another_place(tmp_path):
    settings = Config(
        tmp_path, tmp_path, memory_backend="honcho", honcho=Honcho("invented", NOWHERE)
    )
    chosen = choose(settings)
    assert chosen.backend.backend_name == "honcho"
    assert not chosen.backend.is_available()
    chosen.backend.close()


def test_a_key_does_not_stand_in_the_words_for_the_settings(tmp_path):
    settings = Config(tmp_path, tmp_path, honcho=Honcho("invented-key", NOWHERE))
    assert "invented-key" not in repr(settings)


@pytest.mark.parametrize("name", BACKENDS.names())
def test_every_row_of_the_table_opens_a_backend_of_its_name(name, tmp_path):
    backend = open_named(
        name, Config(tmp_path, tmp_path, honcho=Honcho("invented", NOWHERE))
    )
    assert backend.backend_name == name
    backend.close()


def test_keeping_nothing_costs_no_import():
    check = "import sys, afterglow.memory; print(sorted({'sqlite3', 'honcho', 'httpx', 'hyperscan'} & set(sys.modules)))"
    assert (
        subprocess.run(
            [sys.executable, "-c", check], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import not_there_at_all", "ModuleNotFoundError"),
        ("x = 1", "has no attribute 'open_backend'"),
        (
            "def open_backend(settings): return 5",
            "opens int, which is no MemoryBackend",
        ),
        ("def open_backend(): ...", "TypeError"),
        ("def open_backend(", "SyntaxError"),
    ],
)
def test_a_backend_of_another_package_that_cannot_be_opened_is_named(
    tmp_path, monkeypatch, code, says
):
    (tmp_path / "another_memory.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(BACKENDS.rows, "another", "another_memory")
    monkeypatch.delitem(sys.modules, "another_memory", raising=False)
    BACKENDS._loaded.pop("another", None)
    with pytest.raises(ConfigError, match=f"'another'.*{says}"):
        open_named("another", Config(tmp_path, tmp_path))
