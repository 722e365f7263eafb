"""How `ledger.db` is laid out: a list of steps, each of which a file has seen or has not."""

from __future__ import annotations

import sqlite3

from afterglow.store.databases import Migration

APPLICATION = 0x61676C64  # "agld", in the head of the file

_TABLES = """
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY CHECK (id <> ''), time REAL NOT NULL, repo TEXT NOT NULL, agent TEXT NOT NULL, task TEXT NOT NULL,
  budget INTEGER NOT NULL, tokens INTEGER NOT NULL, state TEXT NOT NULL, session TEXT NOT NULL, started REAL,
  turn INTEGER, items TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX deliveries_time ON deliveries (time);
CREATE INDEX deliveries_waiting ON deliveries (time) WHERE state = 'waiting';
CREATE TABLE said (mark TEXT PRIMARY KEY, words TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE looked (key INTEGER PRIMARY KEY, "check" BLOB NOT NULL, end REAL NOT NULL);
"""


def first_tables(db: sqlite3.Connection) -> None:
    """`items` of a delivery name what they said by its mark in `said`; `looked` are the sessions that were read, and
    what they looked like then."""
    for statement in filter(str.strip, _TABLES.split(";\n")):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")


def add_reports(db: sqlite3.Connection) -> None:
    """How sessions went, as reported: one report a delivery, the last one."""
    db.execute(
        "CREATE TABLE reports (delivery TEXT PRIMARY KEY REFERENCES deliveries (id), outcome TEXT NOT NULL, "
        "time REAL NOT NULL, rating INTEGER CHECK (rating BETWEEN 1 AND 5), note TEXT NOT NULL) WITHOUT ROWID"
    )


def add_moments(db: sqlite3.Connection) -> None:
    """When a session was told, and of a hint its call and the marks of its words and topics. What was given out before
    there were moments was given as a session began."""
    for column in (
        "\"when\" TEXT NOT NULL DEFAULT 'start'",
        "call TEXT NOT NULL DEFAULT ''",
        "words TEXT NOT NULL DEFAULT ''",
        "topics TEXT NOT NULL DEFAULT '[]'",
    ):
        db.execute(f"ALTER TABLE deliveries ADD COLUMN {column}")
    db.execute(
        "CREATE INDEX deliveries_session ON deliveries (session, time) WHERE session <> ''"
    )


def add_what_followed(db: sqlite3.Connection) -> None:
    """What came after a failure that a session was told about, null until a transcript shows it; and whether what was
    told was a placebo. Those of before are not marked: experiments know them by their sessions."""
    for column in (
        "followed TEXT NOT NULL DEFAULT 'null'",
        "placebo INTEGER NOT NULL DEFAULT 0",
    ):
        db.execute(f"ALTER TABLE deliveries ADD COLUMN {column}")


def add_unredacted_views(db: sqlite3.Connection) -> None:
    """Which lines of which session somebody had shown as they stand in the file: who, when, never the words."""
    db.execute(
        'CREATE TABLE unredacted_views (session TEXT NOT NULL, time REAL NOT NULL, "by" TEXT NOT NULL, '
        "first INTEGER NOT NULL, last INTEGER NOT NULL)"
    )
    db.execute("CREATE INDEX unredacted_views_session ON unredacted_views (session)")


def add_item_links(db: sqlite3.Connection) -> None:
    """Which deliveries held an item, and when each agent was last told something: to be looked up, not searched for."""
    db.execute(
        "CREATE TABLE delivered_items (item TEXT NOT NULL, delivery TEXT NOT NULL, PRIMARY KEY (item, delivery)) "
        "WITHOUT ROWID"
    )
    db.execute(
        "INSERT OR IGNORE INTO delivered_items "
        "SELECT json_extract(each.value, '$[0]'), deliveries.id FROM deliveries, json_each(items) AS each"
    )
    db.execute("CREATE INDEX delivered_items_delivery ON delivered_items (delivery)")
    db.execute(
        "CREATE TRIGGER item_links_come AFTER INSERT ON deliveries BEGIN INSERT OR IGNORE INTO delivered_items "
        "SELECT json_extract(value, '$[0]'), new.id FROM json_each(new.items); END"
    )
    db.execute(
        "CREATE TRIGGER item_links_go AFTER DELETE ON deliveries BEGIN "
        "DELETE FROM delivered_items WHERE delivery = old.id; END"
    )
    db.execute('CREATE INDEX deliveries_agent ON deliveries (agent, "when", time)')


MIGRATIONS: tuple[Migration, ...] = (
    first_tables,
    add_reports,
    add_moments,
    add_what_followed,
    add_unredacted_views,
    add_item_links,
)
