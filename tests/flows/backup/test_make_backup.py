"""A backup is one file with all that must not be lost; whatever goes wrong, an earlier one stays."""

from __future__ import annotations

import resource
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.errors import AfterglowError, NotFound, StoreError, UsageError
from afterglow.flows.backup import back_up, last_backup, restore, unfinished
from afterglow.flows.backup.archive import check
from flows.backup.homes import FILES, fact_of, home_of, killed_at, learn

DATABASES = {"catalog.db", "knowledge.db", "memory.db"}


@pytest.fixture
def config(tmp_path):
    return home_of(tmp_path)


def paths(file: Path) -> set[str]:
    return {entry.path for entry in check(file).files}


def test_all_that_must_not_be_lost_is_in_it_and_nothing_else(config, tmp_path):
    report = back_up(config, tmp_path / "b.tar.gz", now=1000.0)
    assert paths(tmp_path / "b.tar.gz") == DATABASES | FILES.keys()
    assert report.files == len(DATABASES | FILES.keys())
    assert stat.S_IMODE((tmp_path / "b.tar.gz").stat().st_mode) == 0o600
    note = last_backup(config)
    assert note is not None and note.time == 1000.0
    assert note.file == str(tmp_path / "b.tar.gz")


def test_the_catalogue_can_be_left_out(config, tmp_path):
    back_up(config, tmp_path / "b.tar.gz", catalogue=False)
    assert "catalog.db" not in paths(tmp_path / "b.tar.gz")


def test_what_others_are_writing_is_as_it_was_last_committed(config, tmp_path):
    with closing(sqlite3.connect(config.knowledge, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE items SET fact = 'half a thought'")
        back_up(config, tmp_path / "b.tar.gz")
        writer.execute("ROLLBACK")
    restore(config, tmp_path / "b.tar.gz")
    assert fact_of(config) == "the first lesson"


def test_killed_at_every_step_it_leaves_the_earlier_one_and_the_next_cleans_up(
    config, tmp_path
):
    folder = tmp_path / "backups"
    folder.mkdir()
    file = folder / "b.tar.gz"
    back_up(config, file)
    learn(config, "the second lesson")
    earlier, steps = file.read_bytes(), 0
    while killed_at(steps + 1, lambda step: back_up(config, file, step=step)):
        steps += 1
        check(file)
        assert steps > len(FILES) + 5 or file.read_bytes() == earlier
        assert fact_of(config) == "the second lesson"
    assert steps > len(DATABASES | FILES.keys())
    back_up(config, file)
    assert [path.name for path in folder.iterdir()] == ["b.tar.gz"]
    assert unfinished(config) == []


def test_a_full_disk_leaves_the_earlier_one_and_nothing_else(config, tmp_path):
    """In a process of its own, which may write no file above 16 KB."""
    folder = tmp_path / "backups"
    folder.mkdir()
    back_up(config, folder / "b.tar.gz")
    earlier = (folder / "b.tar.gz").read_bytes()
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from afterglow.config import Config\n"
        "from afterglow.flows.backup import back_up\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (4096, {resource.RLIM_INFINITY}))\n"
        "home, user, file = map(Path, sys.argv[1:])\n"
        "back_up(Config(home=home, user_home=user), file)\n"
    )
    words = [config.home, config.user_home, folder / "b.tar.gz"]
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "StoreError" in run.stderr and "backup was made" in run.stderr
    assert [path.name for path in folder.iterdir()] == ["b.tar.gz"]
    assert (folder / "b.tar.gz").read_bytes() == earlier
    assert unfinished(config) == []


def test_another_persons_file_is_not_overwritten(config, tmp_path):
    notes = tmp_path / "notes.tar.gz"
    notes.write_text("dear diary")
    with pytest.raises(UsageError, match="left alone"):
        back_up(config, notes)
    assert notes.read_text() == "dear diary"


def test_a_damaged_backup_may_be_replaced(config, tmp_path):
    file = tmp_path / "b.tar.gz"
    back_up(config, file)
    file.write_bytes(file.read_bytes()[:-200])
    back_up(config, file)
    assert "knowledge.db" in paths(file)


@pytest.mark.parametrize("place", ["kept/b.tar.gz", "gone/b.tar.gz"])
def test_a_place_that_will_not_do_is_refused(config, tmp_path, place):
    with pytest.raises(UsageError):
        back_up(config, tmp_path / place)


def test_without_a_home_there_is_nothing_to_back_up(config, tmp_path):
    with pytest.raises(NotFound):
        back_up(replace(config, home=tmp_path / "none"), tmp_path / "b.tar.gz")


def test_a_damaged_database_does_not_take_the_place_of_a_good_backup(config, tmp_path):
    file = tmp_path / "b.tar.gz"
    back_up(config, file)
    earlier = file.read_bytes()
    content = bytearray(config.memory.read_bytes())
    content[4096:12288] = b"\xa5" * 8192
    config.memory.write_bytes(content)
    with pytest.raises(AfterglowError, match=r"memory\.db.*no backup was made"):
        back_up(config, file)
    assert file.read_bytes() == earlier


def test_two_at_once_do_not_trip_over_each_other(config, tmp_path):
    troubles = []

    def second(name: str) -> None:
        if name == "manifest":
            with pytest.raises(StoreError, match="already") as trouble:
                back_up(config, tmp_path / "second.tar.gz")
            troubles.append(trouble)

    back_up(config, tmp_path / "b.tar.gz", step=second)
    assert len(troubles) == 1 and check(tmp_path / "b.tar.gz")
