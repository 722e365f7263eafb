"""How `memory.db` is laid out, and how it is opened.

Everything is a plain B-tree, so that what is deleted is overwritten, words and all. `synchronous` is FULL: a person
said it, and it stands nowhere else, so `store` waits for the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from afterglow.store.databases import Migration, open_database

APPLICATION = 0x61676D65  # "agme", in the head of the file

Stored = str | bytes

_TABLES = """
CREATE TABLE users (
  n INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, entries INTEGER NOT NULL, length INTEGER NOT NULL
);
CREATE TABLE entries (
  n INTEGER PRIMARY KEY, user INTEGER NOT NULL, created REAL NOT NULL, updated REAL NOT NULL, length INTEGER NOT NULL,
  words BLOB NOT NULL, metadata BLOB NOT NULL, "key" BLOB NOT NULL, value BLOB NOT NULL
);
CREATE UNIQUE INDEX entries_key ON entries (user, "key");
CREATE INDEX entries_user ON entries (user);
CREATE TABLE words (
  n INTEGER PRIMARY KEY, user INTEGER NOT NULL, entries INTEGER NOT NULL, word TEXT NOT NULL, UNIQUE (user, word)
);
CREATE TABLE postings (
  word INTEGER NOT NULL, entry INTEGER NOT NULL, hits INTEGER NOT NULL, length INTEGER NOT NULL,
  PRIMARY KEY (word, entry)
) WITHOUT ROWID;
CREATE TABLE fresh (user INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (user, entry)) WITHOUT ROWID;
CREATE TABLE forms (word INTEGER NOT NULL, form TEXT NOT NULL, PRIMARY KEY (word, form)) WITHOUT ROWID;
CREATE TABLE tails (
  user INTEGER NOT NULL, tail TEXT NOT NULL, word INTEGER NOT NULL, PRIMARY KEY (user, tail, word)
) WITHOUT ROWID;
"""


def first_tables(db: sqlite3.Connection) -> None:
    """An entry that changes gets a new `n`: the largest is the newest. Its `words` are numbers, in order.
    `postings` tell which entries have a word, how often and how long they are; `fresh` entries are not there yet.
    `forms` are a word's spellings before its ending was cut, `tails` every end of them: a word holds what one of its
    tails starts with."""
    for statement in filter(str.strip, _TABLES.split(";\n")):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")


def vectors_table(db: sqlite3.Connection) -> None:
    """What an entry means to a model, where one is installed: bytes, comparable with those of the same model."""
    db.execute(
        """CREATE TABLE vectors (
             user INTEGER NOT NULL, entry INTEGER NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL,
             PRIMARY KEY (user, entry)
           ) WITHOUT ROWID"""
    )


MIGRATIONS: tuple[Migration, ...] = (first_tables, vectors_table)


def open_memory(
    path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> sqlite3.Connection:
    """The database; made, or brought up to date, where needed. Threads may share it if they take turns."""
    db = open_database(
        path,
        "a memory database",
        APPLICATION,
        migrations,
        decides=True,
        connect=_connect,
    )
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA cache_size = -65536")
    db.execute("PRAGMA wal_autocheckpoint = 2000")  # pages: 8 MB
    return db


def _connect(path: Path, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=patience, isolation_level=None, check_same_thread=False
    )


def erase(db: sqlite3.Connection) -> None:
    """Writes the log back and empties it, also while others have the file open. Where they are too busy, or the disk is
    full, one who closes later does it."""
    with suppress(sqlite3.OperationalError):
        db.execute("PRAGMA busy_timeout = 1000")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """Several reads of one state, whatever others write meanwhile."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("ROLLBACK")


def storable(text: str) -> Stored:
    """Text, or bytes where it holds half characters, which SQLite does not take as text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def original(stored: Stored) -> str:
    return (
        stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")
    )
