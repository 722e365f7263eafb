"""A restore checks everything before it touches anything, and leaves one whole home whatever happens."""

from __future__ import annotations

import io
import resource
import sqlite3
import stat
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from afterglow.errors import AfterglowError, StoreError, UsageError
from afterglow.flows.backup import (
    back_up,
    remove_leftovers,
    restore,
    set_aside_homes,
    unfinished,
)
from afterglow.flows.backup.archive import FIRST, LAST
from afterglow.flows.forget import Choice, forget
from afterglow.flows.read import scan
from afterglow.folders import open_to_others
from afterglow.memory.local import LocalBackend
from afterglow.records.backup import BackupManifest
from afterglow.text.redact import Redactor
from flows.backup.homes import (
    FILES,
    MADE_AGAIN,
    OF_MACHINE,
    fact_of,
    home_of,
    killed_at,
    learn,
    names,
)
from writing import Transcript


@pytest.fixture
def config(tmp_path):
    return home_of(tmp_path)


@pytest.fixture
def file(config, tmp_path):
    """A backup; the home has learned something since."""
    back_up(config, tmp_path / "b.tar.gz")
    learn(config, "the second lesson")
    return tmp_path / "b.tar.gz"


def test_the_home_is_as_it_was_and_the_one_from_before_is_set_aside(config, file):
    (config.home / "templates/warm_2.json").write_text("{}")
    report = restore(config, file)
    assert fact_of(config) == "the first lesson"
    assert names(config.home) >= FILES.keys() | OF_MACHINE.keys()
    assert not names(config.home) & (MADE_AGAIN.keys() | {"templates/warm_2.json"})
    memory = LocalBackend(config.memory, redactor=Redactor())
    entry = memory.retrieve("ana", "editor")
    assert entry is not None and entry.value == "vim"
    memory.close()
    assert [str(path) for path in set_aside_homes(config)] == [report.set_aside]
    before = replace(config, home=Path(report.set_aside))
    assert fact_of(before) == "the second lesson"


def test_only_its_owner_can_look_into_what_was_restored(config, file):
    restore(config, file)
    assert list(open_to_others(config.home)) == []
    mode = (config.home / "knowledge/check.sh").stat().st_mode
    assert stat.S_IMODE(mode) == 0o700


def test_onto_a_machine_without_a_home(config, file, tmp_path):
    fresh = replace(config, home=tmp_path / "deep" / "new")
    assert restore(fresh, file).set_aside == ""
    assert fact_of(fresh) == "the first lesson"
    assert not names(fresh.home) & OF_MACHINE.keys()


def test_a_linked_home_stays_a_link(config, file, tmp_path):
    (tmp_path / "link").symlink_to(config.home)
    linked = replace(config, home=tmp_path / "link")
    restore(linked, file)
    assert (tmp_path / "link").is_symlink() and fact_of(linked) == "the first lesson"


@pytest.mark.parametrize(
    ("stored", "present", "marks"),
    [
        ("salt\n\n+a\n", "salt\n\n+a\n\n+b\n", {"a", "b"}),
        ("salt\n\n+a\n\n+b\n", "salt\n\n+a\n", {"a", "b"}),  # a newer backup
        ("salt\n\n+a\n\n-a\n", "salt\n\n+a\n", set()),
        ("salt\n\n+a\n", "salt\n\n+a\n\n-a\n", set()),
        ("", "salt\n\n+a\n", {"a"}),
        ("salt\n\n+a\n", "", {"a"}),
        ("salt\n\n+a\n", "other\n\n+b\n", {"b"}),
    ],
)
def test_what_was_decided_to_be_forgotten_stays_forgotten(
    config, tmp_path, stored, present, marks
):
    file = config.home / "forgotten"
    if stored:
        file.write_text(stored)
    back_up(config, tmp_path / "b.tar.gz")
    file.write_text(present) if present else file.unlink(missing_ok=True)
    (config.home / "private.json").write_text("[]")
    restore(config, tmp_path / "b.tar.gz")
    state = set()
    for line in file.read_text().splitlines()[1:]:
        {"+": state.add, "-": state.discard}.get(line[:1], len)(line[1:])
    assert state == marks
    assert (config.home / "private.json").exists()


def test_a_session_that_was_forgotten_since_leaves_no_word_in_what_is_restored(
    tmp_path,
):
    config = home_of(tmp_path)
    words = "sing of the purple walrus"
    projects = config.user_home / ".claude/projects/-home-ana-src-harbor"
    secret = Transcript(9, start=900).user(words).run("go test ./...", "ok").reply("x")
    path = secret.save(projects)
    scan(config)
    assert holding(config.home, words)
    back_up(config, tmp_path / "b.tar.gz")
    forget(config, Choice(names=(path.stem,)))
    restore(config, tmp_path / "b.tar.gz")
    assert holding(config.home, words) == []
    scan(config)
    assert holding(config.home, words) == []


def holding(folder: Path, words: str) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if words.encode() in path.read_bytes()]


def test_a_look_changes_nothing(config, file):
    before = names(config.home)
    report = restore(config, file, dry_run=True)
    assert report.dry_run and report.files > len(FILES)
    assert names(config.home) == before and set_aside_homes(config) == []


def test_killed_at_every_step_it_leaves_one_whole_home(config, file):
    steps = 0
    facts = set()
    while killed_at(steps + 1, lambda step: restore(config, file, step=step)):
        steps += 1
        facts.add(fact_of(config))
        assert config.home.is_dir() and not list(open_to_others(config.home))
        learn(config, "the second lesson")
    assert steps >= 8 and facts == {"the first lesson", "the second lesson"}
    for aside in set_aside_homes(config):
        assert fact_of(replace(config, home=aside)) == "the second lesson"
    remove_leftovers(config)
    assert unfinished(config) == [] and not (config.home / ".unfinished").exists()


def test_a_full_disk_leaves_the_home_as_it_was(config, file):
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from afterglow.config import Config\n"
        "from afterglow.flows.backup import restore\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (8192, {resource.RLIM_INFINITY}))\n"
        "home, user, file = map(Path, sys.argv[1:])\n"
        "restore(Config(home=home, user_home=user), file)\n"
    )
    words = [config.home, config.user_home, file]
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "StoreError" in run.stderr and "the home is as it was" in run.stderr
    assert fact_of(config) == "the second lesson"
    assert set_aside_homes(config) == unfinished(config) == []


def damaged(file: Path, change) -> Path:
    content = bytearray(file.read_bytes())
    change(content)
    file.write_bytes(content)
    return file


def rewritten(file: Path, change) -> Path:
    """The archive with its members changed: what a hostile or a newer program may write."""
    with tarfile.open(file) as tar:
        members = {
            member.name: tar.extractfile(member).read() for member in tar.getmembers()
        }
    change(members)
    with tarfile.open(file, "w:gz") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return file


def assert_refused(config, file: Path, words: str = ".") -> None:
    before = names(config.home)
    with pytest.raises(AfterglowError, match=words):
        restore(config, file)
    assert fact_of(config) == "the second lesson"
    assert names(config.home) - before <= {"backup.lock"}
    assert set_aside_homes(config) == unfinished(config) == []


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.9999])
def test_half_a_file_is_refused(config, file, share):
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
    assert_refused(config, file)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.95])
def test_a_changed_byte_is_noticed(config, file, share):
    def change(content: bytearray) -> None:
        content[int(len(content) * share)] ^= 0xFF

    assert_refused(config, damaged(file, change))


def test_a_file_of_somebody_else_is_refused(config, tmp_path, file):
    (tmp_path / "x.tar.gz").write_bytes(b"not a tar")
    assert_refused(config, tmp_path / "x.tar.gz")
    with tarfile.open(tmp_path / "y.tar.gz", "w:gz") as tar:
        tar.add(config.home / "config.toml", "config.toml")
    assert_refused(config, tmp_path / "y.tar.gz", "not a backup")


def test_files_that_the_manifest_does_not_name_or_names_otherwise_are_refused(
    config, file
):
    content = file.read_bytes()

    def added(members) -> None:
        last = members.pop(LAST)
        members |= {"hooks/evil": b"#!/bin/sh", LAST: last}

    assert_refused(config, rewritten(file, added), "was not backed up")
    file.write_bytes(content)
    rewritten(file, lambda members: members.update({"config.toml": b"[hooks]\n"}))
    assert_refused(config, file, "is not what was backed up")


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/../../evil"])
def test_no_file_is_put_outside_the_home(config, file, name):
    def added(members) -> None:
        last = members.pop(LAST)
        members |= {name: b"x", LAST: last}

    assert_refused(config, rewritten(file, added), "no file of a home")


def test_a_newer_layout_is_refused_with_a_clear_word(config, file):
    def newer(members) -> None:
        manifest = msgspec.json.decode(members[LAST], type=BackupManifest)
        files = [
            replace(entry, layout=99) if entry.path == "knowledge.db" else entry
            for entry in manifest.files
        ]
        newer_manifest = replace(manifest, files=tuple(files), version="9.0")
        members[LAST] = msgspec.json.encode(newer_manifest)

    assert_refused(config, rewritten(file, newer), r"newer afterglow \(9\.0.*upgrade")


def test_a_newer_format_is_refused_with_a_clear_word(config, file):
    rewritten(file, lambda members: members.update({FIRST: b"99\n"}))
    assert_refused(config, file, "newer afterglow.*upgrade")


def _take_out_later_layouts(db: sqlite3.Connection) -> None:
    """What came after layout 2."""
    for index in ("items_facets", "items_superseded", "items_waiting"):
        db.execute(f"DROP INDEX {index}")
    for table in ("decided_items", "decisions"):
        db.execute(f"DROP TABLE {table}")
    for column in ("worth", "risk", "approved"):
        db.execute(f"ALTER TABLE items DROP COLUMN {column}")


def test_an_older_layout_is_brought_up_to_date(config, tmp_path):
    with closing(sqlite3.connect(config.knowledge, isolation_level=None)) as db:
        _take_out_later_layouts(db)
        db.execute("PRAGMA user_version = 2")
    back_up(config, tmp_path / "b.tar.gz")
    report = restore(config, tmp_path / "b.tar.gz")
    assert report.upgraded == ("knowledge.db from layout 2",)
    assert fact_of(config) == "the first lesson"
    assert not [name for name in names(config.home) if "db.backup-" in name]


def test_what_is_restored_takes_many_writers(config, file):
    restore(config, file)
    with closing(sqlite3.connect(config.knowledge)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_home_that_holds_more_is_not_replaced(config, file):
    (config.home / ".git").mkdir()
    with pytest.raises(UsageError, match="holds more"):
        restore(config, file)


def test_one_that_is_restored_already_is_waited_for(config, file):
    def second(name: str) -> None:
        if name == "carry over":
            with pytest.raises(StoreError, match="already"):
                restore(config, file)

    restore(config, file, step=second)
    assert len(set_aside_homes(config)) == 1
