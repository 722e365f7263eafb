"""How `knowledge.db` is laid out, made, backed up and brought up to date.

It is precious: what people approved and wrote stands in no other place. So nothing here ever deletes it. A layout is
changed by the functions in MIGRATIONS, in order, in one transaction, after a backup beside the file; `user_version`
counts how many of them a file has seen.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import strftime
from uuid import uuid4

from afterglow.errors import StoreError
from afterglow.store.placing import drop_database, place_database

APPLICATION = 0x61676B6E  # "agkn", in the head of the file: no other database is taken for knowledge

_TABLES = """
CREATE TABLE items (
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE CHECK (id <> ''),
  fact TEXT NOT NULL, category TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, domain TEXT NOT NULL,
  repo TEXT NOT NULL, agent TEXT NOT NULL, confidence REAL NOT NULL, tags TEXT NOT NULL,
  source_count INTEGER NOT NULL, against INTEGER NOT NULL, first_seen REAL, last_confirmed REAL, expires REAL,
  related TEXT NOT NULL, situation TEXT NOT NULL, remedy TEXT NOT NULL, fingerprints TEXT NOT NULL, cost REAL NOT NULL,
  trust TEXT NOT NULL, miner TEXT NOT NULL, topics TEXT NOT NULL, "key" TEXT NOT NULL, value TEXT NOT NULL,
  superseded_by TEXT NOT NULL, decided INTEGER NOT NULL, edited INTEGER NOT NULL,
  noted REAL NOT NULL, change INTEGER NOT NULL
);
CREATE INDEX items_strongest ON items (confidence DESC, source_count DESC, id);
CREATE INDEX items_place ON items (repo, status, confidence DESC, source_count DESC, id);
CREATE INDEX items_key ON items ("key") WHERE "key" <> '';
CREATE INDEX items_change ON items (change);
CREATE TABLE labels (
  kind TEXT NOT NULL, word TEXT NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (kind, word, item)
) WITHOUT ROWID;
CREATE TABLE evidence (
  item INTEGER NOT NULL REFERENCES items (n), session TEXT NOT NULL, line INTEGER NOT NULL, part TEXT NOT NULL,
  start INTEGER NOT NULL, hash TEXT NOT NULL, place INTEGER NOT NULL, agent TEXT NOT NULL, length INTEGER NOT NULL,
  quote TEXT NOT NULL, trust TEXT NOT NULL, repo TEXT NOT NULL, author TEXT NOT NULL, time REAL,
  PRIMARY KEY (item, session, line, part, start, hash)
) WITHOUT ROWID;
CREATE INDEX evidence_session ON evidence (session);
CREATE TABLE history (
  n INTEGER PRIMARY KEY, item TEXT NOT NULL, time REAL NOT NULL, "by" TEXT NOT NULL, what TEXT NOT NULL,
  before TEXT NOT NULL, after TEXT NOT NULL
);
CREATE INDEX history_item ON history (item);
CREATE TABLE tombstones (
  item TEXT PRIMARY KEY, n INTEGER NOT NULL, change INTEGER NOT NULL, topics TEXT NOT NULL, fact TEXT NOT NULL,
  why TEXT NOT NULL, "by" TEXT NOT NULL, time REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE buried (name TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (name, item)) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5 (words, scope, tokenize = 'ascii');
"""

Migration = Callable[[sqlite3.Connection], None]


def first_tables(db: sqlite3.Connection) -> None:
    """`n` is an item's number in the tables beside it, `noted` the confidence its history last told, `change` when it
    last changed. `labels` finds items by topic, fingerprint and tag, `buried` what a tombstone names."""
    for statement in filter(str.strip, _TABLES.split(";\n")):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.executemany("INSERT INTO facts VALUES (?, ?)", [("identity", uuid4().hex), ("change", "0")])


MIGRATIONS: tuple[Migration, ...] = (first_tables,)


def open_knowledge(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[sqlite3.Connection, str]:
    """The store and its identity; made, or brought up to date, where needed."""
    orphan = Path(f"{path}-wal")
    if orphan.exists() and not path.exists():
        raise StoreError(f"{path} is gone but {orphan.name} is still there; {_way_back(path)}")
    if not path.exists():
        make(path, migrations)
    db = _connected(path)
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise StoreError(f"{path} is not a knowledge store, or is damaged; nothing was changed; {_way_back(path)}")
        if version > len(migrations):
            raise StoreError(
                f"{path} was written by a newer afterglow (layout {version}, this one knows {len(migrations)}); "
                "upgrade afterglow to use it; nothing was changed"
            )
        db.execute("PRAGMA synchronous = FULL")  # what is committed survives a power cut
        db.execute("PRAGMA cache_size = -32768")
        if version < len(migrations):
            bring_up_to_date(db, path, migrations)
        db.execute("PRAGMA foreign_keys = ON")
        identity = db.execute("SELECT value FROM facts WHERE name = 'identity'").fetchone()[0]
    except (sqlite3.Error, StoreError):
        db.close()
        raise
    return db, identity


def _connected(path: Path) -> sqlite3.Connection:
    """Open for reading and writing; where nothing can be written (a mounted share) just for reading, as it lies."""
    db = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        if os.access(path.parent, os.W_OK):
            raise
        uri = f"{path.absolute().as_uri()}?immutable=1"
        return sqlite3.connect(uri, uri=True, timeout=30, isolation_level=None)
    return db


def back_up(db: sqlite3.Connection, to: Path) -> None:
    """A whole copy, also while others write; put in its place only when it is finished."""
    draft = to.with_name(f"{to.name}.{uuid4().hex}")
    try:
        with closing(sqlite3.connect(draft)) as copy:
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
        draft.replace(to)
    finally:
        drop_database(draft)


def damaged(path: Path, what: object) -> StoreError:
    return StoreError(f"{path} is damaged ({what}); it was left as it is; {_way_back(path)}")


def _way_back(path: Path) -> str:
    backups = sorted(path.parent.glob(f"{path.name}.backup-*"), key=lambda one: one.stat().st_mtime_ns)
    if backups:
        return f"the newest backup is {backups[-1]}: put it in its place"
    return "there is no backup beside it: move it away and harvest again, or import an export"


def make(path: Path, migrations: Sequence[Migration]) -> None:
    place_database(path, lambda db: _apply(db, migrations))


def bring_up_to_date(db: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Nobody else writes between the backup and the end of the migration."""

    def keep(version: int) -> None:
        with closing(sqlite3.connect(path, timeout=30)) as reader:
            back_up(reader, path.with_name(f"{path.name}.backup-{strftime('%Y%m%d-%H%M%S')}-layout{version}"))

    _apply(db, migrations, before=keep)


def _apply(
    db: sqlite3.Connection, migrations: Sequence[Migration], before: Callable[[int], None] | None = None
) -> None:
    """All that are missing or none."""
    db.execute("BEGIN IMMEDIATE")
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if before and version < len(migrations):
            before(version)
        for migrate in migrations[version:]:
            migrate(db)
        db.execute(f"PRAGMA user_version = {max(version, len(migrations))}")
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
