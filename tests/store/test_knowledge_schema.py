"""What may happen to the file: older and newer layouts, damage, no space, no permission."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.errors import StoreError
from afterglow.records.knowledge import KnowledgeItem, support
from afterglow.store.databases import make
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import (
    EVIDENCE,
    FIELDS,
    evidence_row,
    labels_of,
    row_of,
    text_of,
)
from afterglow.store.knowledge_schema import MIGRATIONS
from afterglow.store.migrate_counts import without_counts
from store.keeping import WHOLE, item


def add_colours(db):
    db.execute("ALTER TABLE items ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'")


def add_shapes(db):
    assert db.execute(
        "SELECT count(*) FROM pragma_table_info('items') WHERE name = 'colour'"
    ).fetchone() == (1,)
    db.execute("CREATE TABLE shapes (n INTEGER)")


def break_down(db):
    db.execute("CREATE TABLE half (n INTEGER)")
    db.execute("INSERT INTO nowhere VALUES (1)")


def version(path):
    with closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA user_version").fetchone()[0]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "knowledge.db"
    with Knowledge(path) as knowledge:
        knowledge.save([WHOLE], by="harvest", now=1.0)
    return path


def make_older(path, migrations, *items: KnowledgeItem):
    """A store as an older afterglow left it: the columns that it had, and no others."""
    make(path, migrations)
    with closing(sqlite3.connect(path)) as db, db:
        columns = {row[1] for row in db.execute("PRAGMA table_info(items)")}
        names = [name for name in FIELDS if name in columns]
        for number, one in enumerate(items, 1):
            values = dict(zip(FIELDS, row_of(one), strict=True))
            row = [number, one.confidence, 1, *(values[name] for name in names)]
            listed = ", ".join(f'"{name}"' for name in ("n", "noted", "change", *names))
            db.execute(
                f"INSERT INTO items ({listed}) VALUES ({', '.join('?' * len(row))})",
                row,
            )
            db.execute(
                "INSERT INTO texts (rowid, words, scope) VALUES (?, ?, ?)",
                (number, *text_of(one)),
            )
            db.executemany(
                "INSERT INTO labels VALUES (?, ?, ?)",
                [(*label, number) for label in labels_of(one)],
            )
            db.executemany(
                f"INSERT INTO evidence (item, place, {', '.join(EVIDENCE)}) "
                f"VALUES (?, ?{', ?' * len(EVIDENCE)})",
                [
                    (number, place, *evidence_row(span))
                    for place, span in enumerate(one.evidence)
                ],
            )
            db.execute(
                "INSERT INTO history VALUES (NULL, ?, 1.0, 'harvest', 'created', '', ?)",
                (one.id, one.fact),
            )


def backups(path):
    return sorted(path.parent.glob("knowledge.db.backup-*"))


@pytest.mark.parametrize("seen", range(1, len(MIGRATIONS) + 2))
def test_every_older_layout_is_brought_up_to_date_after_a_backup(tmp_path, seen):
    now = (*MIGRATIONS, add_colours, add_shapes)
    path = tmp_path / "knowledge.db"
    make_older(path, now[:seen], WHOLE)
    # what there was not yet
    counts = {"times": 0, "worked": 0} if seen < 2 else {}
    risk = {"risk": "", "approved": ""} if seen < 3 else {}
    with Knowledge(path, now) as new:
        assert new.get("ab12cd") == replace(WHOLE, **counts, **risk)
        assert new.check() == []
    assert version(path) == len(now)
    (backup,) = backups(path)
    assert version(backup) == seen
    with closing(sqlite3.connect(backup)) as old:
        assert old.execute("SELECT id, fact FROM items").fetchall() == [
            ("ab12cd", WHOLE.fact)
        ]


OLD_FACTS = Path(__file__).parent / "facts_of_layout_1.jsonl"


@pytest.mark.parametrize("line", OLD_FACTS.read_text("utf-8").splitlines())
def test_counts_and_the_repository_leave_the_words_of_an_older_store(tmp_path, line):
    expected = json.loads(line)
    place = {"repo": "quay/harbor", "source_count": 3}
    old = item("k1", **{**place, **expected["before"]})
    path = tmp_path / "knowledge.db"
    make_older(path, MIGRATIONS[:1], old)
    with Knowledge(path) as knowledge:
        new = knowledge.get("k1")
        assert (new.fact, new.situation) == (expected["fact"], expected["situation"])
        assert support(new) == expected["support"]
        assert (new.id, new.evidence, new.remedy) == (old.id, old.evidence, old.remedy)
        created, upgraded = knowledge.history("k1")
        assert created.after == upgraded.before == old.fact
        assert (upgraded.by, upgraded.what) == ("upgrade", "fact")
        assert upgraded.after == new.fact
        assert knowledge.check() == []
        assert [hit.item.id for hit in knowledge.search(new.fact)] == ["k1"]


@pytest.mark.parametrize(
    "more",
    [{"edited": True, "miner": "commands"}, {"miner": "told"}, {"miner": ""}],
)
def test_words_that_no_miner_wrote_are_not_touched_by_the_migration(tmp_path, more):
    words = "In acme/app run `make apply` (used 3 times in 2 sessions, never prod)."
    old = item("k1", words, repo="acme/app", remedy=words, **more)
    path = tmp_path / "knowledge.db"
    make_older(path, MIGRATIONS[:1], old)
    with Knowledge(path) as knowledge:
        assert knowledge.get("k1") == old
        assert len(knowledge.history("k1")) == 1


@pytest.mark.parametrize(
    "words",
    [
        "Apply with `make apply` (used only with ENV=dev, never prod).",
        "Apply with `make apply` (used only with ENV=dev, never pr…",
        "Apply with `make apply` (worked well on the second da…",
    ],
)
def test_a_condition_in_brackets_was_cut_out_as_if_it_were_a_count(words):
    old = item("k1", words, miner="recoveries", remedy=words)
    assert without_counts(old) == old
    assert without_counts(replace(old, miner="corrections")).fact == words


def test_items_whose_words_were_read_in_an_older_way_are_found_again(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM facts WHERE name = 'words'")
        db.execute("UPDATE texts SET words = 'older'")
        db.commit()
    with Knowledge(path) as knowledge:
        assert [hit.item.id for hit in knowledge.search(WHOLE.fact, status=None)] == [
            WHOLE.id
        ]
        assert knowledge.check() == []
    assert backups(path) == []


def test_a_store_that_is_up_to_date_is_not_backed_up(path):
    with Knowledge(path) as knowledge:
        assert knowledge.get("ab12cd")
    assert backups(path) == []


def test_a_migration_that_fails_leaves_everything_as_it_was(path):
    with pytest.raises(StoreError, match="nowhere"):
        Knowledge(path, (*MIGRATIONS, add_colours, break_down))
    assert version(path) == len(MIGRATIONS)
    with Knowledge(path) as knowledge:
        assert knowledge.get("ab12cd") == WHOLE
        assert knowledge.check() == []


def test_a_newer_layout_is_refused_and_not_touched(path):
    with Knowledge(path, (*MIGRATIONS, add_colours)):
        pass
    before = path.read_bytes()
    newer = f"layout {len(MIGRATIONS) + 1}, this one knows {len(MIGRATIONS)}"
    with pytest.raises(StoreError, match=rf"newer afterglow \({newer}\); upgrade"):
        Knowledge(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", [b"", b"these are not the pages you look for" * 300])
def test_a_file_that_is_no_store_is_refused_and_not_touched(path, damage):
    path.write_bytes(damage)
    with pytest.raises(StoreError, match="damaged"):
        Knowledge(path)
    assert path.read_bytes() == damage


def test_another_database_is_not_taken_for_knowledge(tmp_path):
    path = tmp_path / "knowledge.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE sessions (key INTEGER)")
        db.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreError, match="not a knowledge store"):
        Knowledge(path)


def test_damage_names_the_newest_backup_and_the_way_back(path):
    with Knowledge(path, (*MIGRATIONS, add_colours)):
        pass
    path.write_bytes(b"x" * 8192)
    (backup,) = backups(path)
    with pytest.raises(StoreError, match="put it in its place") as error:
        Knowledge(path)
    assert str(backup) in str(error.value)


def test_damage_inside_is_reported_by_what_runs_into_it(path):
    with Knowledge(path) as knowledge:
        knowledge.save(
            [item(f"i{number}", fact=f"fact {number} " * 20) for number in range(500)],
            by="harvest",
            now=1.0,
        )
    whole = path.read_bytes()
    broken = (
        whole[: 4096 * 40] + b"\xa5" * (len(whole) - 4096 * 48) + whole[-4096 * 8 :]
    )
    path.write_bytes(broken)
    with Knowledge(path) as knowledge:
        assert knowledge.check()
        with pytest.raises(StoreError, match="left as it is"):
            knowledge.items(evidence=True)
    assert path.read_bytes() == broken


def test_a_log_without_its_database_is_not_written_over(path):
    path.rename(path.with_name("elsewhere"))
    log = path.with_name("knowledge.db-wal")
    log.write_bytes(b"committed pages")
    with pytest.raises(
        StoreError, match=r"is gone but knowledge\.db-wal is still there"
    ):
        Knowledge(path)
    assert log.read_bytes() == b"committed pages"


def test_a_full_disk_is_said_and_loses_nothing(path):
    with Knowledge(path) as knowledge:
        pages = knowledge._db.execute("PRAGMA page_count").fetchone()[0]
        knowledge._db.execute(f"PRAGMA max_page_count = {pages + 20}")
        kept = 0
        with pytest.raises(StoreError, match="free some space"):
            for number in range(1000):
                knowledge.save(
                    [item(f"i{number}", fact=f"fact {number} " * 100)],
                    by="harvest",
                    now=1.0,
                )
                kept += 1
        assert 0 < kept < 1000
        assert len(knowledge.items()) == kept + 1
        assert knowledge.check() == []
        knowledge._db.execute("PRAGMA max_page_count = 1000000")
        knowledge.save([item("after")], by="harvest", now=1.0)
    with Knowledge(path) as knowledge:
        assert len(knowledge.items()) == kept + 2
        assert knowledge.check() == []


def test_a_full_disk_in_the_middle_of_a_turn_loses_the_turn_only(path):
    with Knowledge(path) as knowledge:
        pages = knowledge._db.execute("PRAGMA page_count").fetchone()[0]
        knowledge._db.execute(f"PRAGMA max_page_count = {pages + 5}")
        with (
            pytest.raises(StoreError, match="free some space"),
            knowledge.transaction(),
        ):
            knowledge.save([item("first")], by="harvest", now=1.0)
            knowledge.save(
                [item(f"i{n}", fact=f"fact {n} " * 100) for n in range(900)],
                by="harvest",
                now=1.0,
            )
        assert [one.id for one in knowledge.items()] == ["ab12cd"]
        assert knowledge.check() == []


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="AFTERGLOW_HOME"):
        Knowledge(tmp_path / "file" / "knowledge.db")


def test_a_store_that_may_only_be_read_can_be_read(path):
    """Root may write anywhere, so the test asks the connection not to."""
    with Knowledge(path) as knowledge:
        knowledge._db.execute("PRAGMA query_only = ON")
        assert knowledge.get("ab12cd") == WHOLE
        with pytest.raises(StoreError, match="its folder can be written"):
            knowledge.save([item()], by="harvest", now=1.0)
        assert knowledge.items(evidence=True) == [WHOLE]


def test_two_first_openings_at_once_make_one_store(tmp_path):
    path = tmp_path / "knowledge.db"
    code = """
import pathlib, sys
from afterglow.store.knowledge import Knowledge
print(Knowledge(pathlib.Path(sys.argv[1])).identity)
"""
    started = [
        subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in started}) == 1
    assert list(tmp_path.glob("*.*.*")) == []
