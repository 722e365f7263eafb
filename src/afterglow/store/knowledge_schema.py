"""How `knowledge.db` is laid out, made, backed up and brought up to date.

It is precious: what people approved and wrote stands in no other place. See `databases` for how such files are kept.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from afterglow.records.situation_costs import COSTS, TAG_COSTS
from afterglow.store.databases import Migration, open_database
from afterglow.store.hashed_tombstones import hash_tombstones
from afterglow.store.knowledge_texts import bring_texts_up_to_date
from afterglow.store.migrate_counts import counts_into_columns
from afterglow.text.words import VERSION

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

_DECISIONS = """
CREATE TABLE decisions (
  n INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, "by" TEXT NOT NULL, what TEXT NOT NULL,
  undoes INTEGER NOT NULL, undone_by INTEGER NOT NULL
);
CREATE TABLE decided_items (
  decision INTEGER NOT NULL REFERENCES decisions (n), item TEXT NOT NULL, place INTEGER NOT NULL, named INTEGER NOT NULL,
  before TEXT NOT NULL, after TEXT NOT NULL, PRIMARY KEY (decision, item)
) WITHOUT ROWID;
CREATE INDEX decided_items_item ON decided_items (item);
CREATE INDEX decisions_time ON decisions (time);
"""


def first_tables(db: sqlite3.Connection) -> None:
    """`n` is an item's number in the tables beside it, `noted` the confidence its history last told, `change` when it
    last changed. `labels` finds items by topic, fingerprint and tag, `buried` what a tombstone names."""
    for statement in filter(str.strip, _TABLES.split(";\n")):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.executemany(
        "INSERT INTO facts VALUES (?, ?)",
        [("identity", uuid4().hex), ("change", "0"), ("words", VERSION)],
    )


def risk_and_approval(db: sqlite3.Connection) -> None:
    """What a remedy does, and which words a person approved."""
    for column in ("risk", "approved"):
        db.execute(f"ALTER TABLE items ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")


def decisions_and_worth(db: sqlite3.Connection) -> None:
    """What people decided, with the items before and after, so that it can be undone; and what an item that waits is
    worth (`records.situation_costs.review_worth`), by which reviews go through them."""
    for statement in filter(str.strip, _DECISIONS.split(";\n")):
        db.execute(statement)
    by_tag = " ".join(
        f"WHEN instr(tags, '\"{tag}\"') THEN {cost}" for tag, cost in TAG_COSTS.items()
    )
    by_category = " ".join(
        f"WHEN '{category}' THEN {cost}" for category, cost in COSTS.items()
    )
    cost = f"CASE {by_tag} ELSE max(cost, CASE category {by_category} ELSE 0 END) END"
    worth = f"max(source_count, 1) * ({cost}) * confidence"
    db.execute(f"ALTER TABLE items ADD COLUMN worth REAL AS ({worth}) VIRTUAL")
    db.execute("CREATE INDEX items_waiting ON items (status, worth DESC, id)")


def index_of_kinds(db: sqlite3.Connection) -> None:
    """All that items are told apart and ordered by on a page, so that lists and counts read no item; and by what each
    was replaced, so that a chain is followed at once."""
    db.execute(
        "CREATE INDEX items_facets ON items (status, category, repo, agent, trust, miner, risk, "
        "confidence, source_count, last_confirmed, change, id)"
    )
    db.execute("CREATE INDEX items_superseded ON items (superseded_by, id)")


MIGRATIONS: tuple[Migration, ...] = (
    first_tables,
    counts_into_columns,
    risk_and_approval,
    decisions_and_worth,
    index_of_kinds,
)


def open_knowledge(
    path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> tuple[sqlite3.Connection, str]:
    """The store and its identity; made, or brought up to date, where needed."""
    db = open_database(
        path,
        "a knowledge store",
        APPLICATION,
        migrations,
        decides=True,
        connect=_connected,
        way_back=way_back,
    )
    try:
        db.execute("PRAGMA cache_size = -32768")
        db.execute("PRAGMA foreign_keys = ON")
        bring_texts_up_to_date(db)
        hash_tombstones(db)
        identity = db.execute(
            "SELECT value FROM facts WHERE name = 'identity'"
        ).fetchone()[0]
    except sqlite3.Error:
        db.close()
        raise
    return db, identity


def _connected(path: Path, patience: float) -> sqlite3.Connection:
    """Open for reading and writing; where nothing can be written (a mounted share) just for reading, as it lies."""
    db = sqlite3.connect(path, timeout=patience, isolation_level=None)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        if os.access(path.parent, os.W_OK):
            raise
        uri = f"{path.absolute().as_uri()}?immutable=1"
        return sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None)
    return db


def way_back(path: Path) -> str:
    backups = sorted(
        path.parent.glob(f"{path.name}.backup-*"),
        key=lambda backup: backup.stat().st_mtime_ns,
    )
    if backups:
        return f"the newest backup is {backups[-1]}: put it in its place"
    return "there is no backup beside it: move it away and harvest again, or import an export"
