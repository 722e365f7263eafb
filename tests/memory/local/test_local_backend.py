"""The local backend: what is stored comes back, survives, stays apart and really goes."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from afterglow.errors import StoreError, UsageError
from afterglow.memory.local import LocalBackend, index, open_backend
from afterglow.memory.local.schema import MIGRATIONS, open_memory
from afterglow.text.redact import Redactor

STRANGE = [
    "",
    "\0",
    "a\0b",
    "\ud800 half",
    "100 % _ ' \" \\ ;--",
    "naïve 日本語 🙂",
    "line\nline",
    "x" * 3_000_000,
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "memory.db"


@pytest.fixture
def memory(path):
    with_rules = LocalBackend(path, redactor=Redactor())
    yield with_rules
    with_rules.close()


def bytes_of(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in path.parent.glob(f"{path.name}*"))


def test_reading_makes_no_file(memory, path):
    assert memory.is_available()
    assert (
        memory.retrieve("u", "k"),
        memory.query("u", "k"),
        memory.list_keys("u"),
    ) == (None, [], [])
    assert memory.delete("u", "k") is False
    assert not path.parent.exists()


def test_the_first_store_makes_a_file_only_its_owner_can_read(memory, path):
    assert memory.store("u", "editor", "vim") is True
    modes = {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
    assert modes == {0o600}


@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_any_text_comes_back_as_it_was(memory, text):
    memory.store(
        f"u{text[:99]}", f"k{text}", text, {"n": [1, {"a": None}]}, redact=False
    )
    found = memory.retrieve(f"u{text[:99]}", f"k{text}")
    assert (found.value, found.key, found.metadata) == (
        text,
        f"k{text}",
        {"n": [1, {"a": None}]},
    )
    assert memory.list_keys(f"u{text[:99]}") == [f"k{text}"]
    assert memory.query(f"u{text[:99]}", f"k{text}")[0].value == text
    assert memory.delete(f"u{text[:99]}", f"k{text}")


def test_an_update_keeps_when_it_was_created(memory):
    memory.store("u", "k", "old words", {"a": 1})
    first = memory.retrieve("u", "k")
    memory.store("u", "k", "new value")
    second = memory.retrieve("u", "k")
    assert (second.created_at, second.value, second.metadata) == (
        first.created_at,
        "new value",
        {},
    )
    assert second.updated_at >= first.updated_at
    assert memory.list_keys("u") == ["k"]
    assert [one.value for one in memory.query("u", "value")] == ["new value"]
    assert memory.query("u", "old") == []


def test_users_are_separate(memory):
    memory.store("ann", "editor", "vim")
    memory.store("bob", "editor", "emacs")
    assert memory.retrieve("ann", "editor").value == "vim"
    assert [one.value for one in memory.query("bob", "editor")] == ["emacs"]
    assert memory.query("ann", "emacs") == []
    memory.delete("ann", "editor")
    assert memory.list_keys("ann") == []
    assert memory.list_keys("bob") == ["editor"]


def test_secrets_are_hidden_unless_told_otherwise(memory, path):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    memory.store("u", "login", f"the token is {token}", {"note": token})
    assert token.encode() not in bytes_of(path)
    memory.store("u", "login", f"the token is {token}", redact=False)
    assert token in memory.retrieve("u", "login").value


def test_a_deleted_entry_leaves_no_word_in_the_file(memory, path):
    memory.store("u", "drink_quincespritz", "Zabaglione with persimmon")
    memory.store("u", "other", "plain")
    assert memory.delete("u", "drink_quincespritz") is True
    memory.close()  # the log is written back
    left = bytes_of(path).lower()
    assert [
        word
        for word in (b"quince", b"spritz", b"zabagl", b"persim", b"immon")
        if word in left
    ] == []


def test_names_are_needed_and_limits_are_numbers_of_entries(memory):
    for call in (
        lambda: memory.store("", "k", "v"),
        lambda: memory.retrieve("u", ""),
        lambda: memory.query("u", "x", -1),
    ):
        with pytest.raises(UsageError):
            call()
    memory.store("u", "k", "v")
    assert memory.query("u", "k", 0) == []


def test_what_is_stored_survives_a_kill(path):
    program = (
        "import os, signal, sys\n"
        "from afterglow.memory.local import LocalBackend\n"
        "memory = LocalBackend(sys.argv[1])\n"
        "for n in range(100): memory.store('u', f'k{n}', 'kept words')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(path)], env=env(path), check=False
    )
    assert ended.returncode == -signal.SIGKILL
    memory = LocalBackend(path)
    assert len(memory.list_keys("u")) == 100
    assert len(memory.query("u", "kept", 100)) == 100
    memory.close()


def test_sixteen_processes_at_once_lose_nothing(path):
    program = (
        "import sys\n"
        "from afterglow.memory.local import LocalBackend\n"
        "memory = LocalBackend(sys.argv[1])\n"
        "sys.stdin.read(1)\n"
        "for n in range(12): memory.store('u', f'{sys.argv[2]}-{n}', f'shared word number {n}')\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    writers = [
        subprocess.Popen([*command, str(n)], stdin=subprocess.PIPE, env=env(path))
        for n in range(16)
    ]
    assert [writer.communicate(b"!")[0] or writer.returncode for writer in writers] == [
        0
    ] * 16
    memory = LocalBackend(path)
    assert len(memory.list_keys("u")) == 16 * 12
    assert len(memory.query("u", "shared", 500)) == 16 * 12
    memory.close()


def test_sixteen_threads_share_one_backend(memory):
    def write(name: int) -> None:
        for n in range(20):
            memory.store("u", f"{name}-{n}", "shared")
            memory.query("u", "shared")

    threads = [threading.Thread(target=write, args=[n]) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(memory.list_keys("u")) == 320


def test_a_forked_process_goes_on_with_a_connection_of_its_own(memory):
    memory.store("u", "parent", "before")
    child = os.fork()
    if not child:
        os._exit(
            0
            if memory.store("u", "child", "value") and memory.retrieve("u", "parent")
            else 1
        )
    assert os.waitpid(child, 0)[1] == 0
    memory.store("u", "parent", "after")
    assert memory.list_keys("u") == ["child", "parent"]


def test_a_file_that_was_moved_away_is_not_written_to(memory, path):
    memory.store("u", "k", "v")
    memory.close()
    memory.retrieve("u", "k")
    for side in ("-wal", "-shm", ""):
        Path(f"{path}{side}").unlink(missing_ok=True)
    assert memory.retrieve("u", "k") is None
    assert memory.store("u", "k2", "v") is True
    assert LocalBackend(path).list_keys("u") == ["k2"]


def test_foreign_newer_and_damaged_files_are_refused_untouched(tmp_path):
    foreign, newer, damaged = (
        tmp_path / name for name in ("foreign.db", "newer.db", "damaged.db")
    )
    sqlite3.connect(foreign).executescript("CREATE TABLE t (x)").connection.close()
    open_memory(newer).execute(
        f"PRAGMA user_version = {len(MIGRATIONS) + 1}"
    ).connection.close()
    damaged.write_bytes(b"no database at all" * 400)
    for path, words in (
        (foreign, "not a memory"),
        (newer, "newer afterglow"),
        (damaged, "damaged"),
    ):
        before = path.read_bytes()
        memory = LocalBackend(path, redactor=Redactor())
        assert memory.is_available() is False
        with pytest.raises(StoreError, match=words):
            memory.store("u", "k", "v")
        assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_says_what_would_work(tmp_path):
    (tmp_path / "file").write_text("in the way")
    memory = LocalBackend(tmp_path / "file" / "memory.db", redactor=Redactor())
    assert memory.is_available() is False
    with pytest.raises(StoreError, match="AFTERGLOW_HOME"):
        memory.store("u", "k", "v")


def test_an_entry_is_found_the_same_before_and_after_its_words_know_of_it(memory):
    memory.store("u", "wanted", "the quick marmot")
    before = memory.query("u", "marmot")
    for n in range(2 * index.BATCH):
        memory.store("u", f"filler {n}", f"nothing of note {n}")
    assert memory.query("u", "marmot") == before
    assert memory.delete("u", "wanted")
    assert memory.query("u", "marmot") == []


def test_the_settings_say_where(tmp_path, monkeypatch):
    from afterglow import config

    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert (
        LocalBackend().path
        == open_backend(config.load()).path
        == tmp_path / "home" / "memory.db"
    )


def env(path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "AFTERGLOW_HOME": str(path.parents[1]),
        "HOME": str(path.parents[1]),
    }


def test_a_clock_that_goes_back_does_not_make_an_update_older_than_what_it_replaced(
    memory, path
):
    memory.store("ana", "editor", "helix")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE entries SET created = 1e11, updated = 2e11")
    memory.store("ana", "editor", "zed")
    found = memory.retrieve("ana", "editor")
    assert (found.value, found.created_at, found.updated_at) == ("zed", 1e11, 2e11)


def test_closing_erases_what_was_deleted_or_replaced_although_others_have_the_file_open(
    memory, path
):
    other = LocalBackend(path, redactor=Redactor())
    for key in ("a", "b"):
        memory.store("ana", key, f"xylophone {key}")
    other.retrieve("ana", "a")
    memory.delete("ana", "a")
    memory.store("ana", "b", "drum")
    memory.close()
    assert b"xylophone" not in bytes_of(path)
    assert other.retrieve("ana", "b").value == "drum"
    other.close()
