"""Whether a knowledge store is sound: the file itself, and the tables that must say the same thing twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from afterglow.store.knowledge_rows import FIELDS, item_of, labels_of, text_of

MOST = 20  # faults of one kind that are named

_ITEM = ", ".join(f'"{name}"' for name in FIELDS)
_QUESTIONS = {
    "evidence of no item": "SELECT DISTINCT item FROM evidence WHERE item NOT IN (SELECT n FROM items)",
    "words of no item": "SELECT rowid FROM texts WHERE rowid NOT IN (SELECT n FROM items)",
    "labels of no item": "SELECT DISTINCT item FROM labels WHERE item NOT IN (SELECT n FROM items)",
    "an item without history": "SELECT id FROM items WHERE id NOT IN (SELECT item FROM history)",
    "a tombstone that names nothing": "SELECT item FROM tombstones WHERE item NOT IN (SELECT item FROM buried)",
}


def faults(db: sqlite3.Connection) -> list[str]:
    """Empty for a sound store. A file too damaged to be read says so in one line."""
    try:
        return [*_faults(db)]
    except sqlite3.DatabaseError as error:
        return [str(error)]


def _faults(db: sqlite3.Connection) -> Iterator[str]:
    yield from (said for (said,) in db.execute("PRAGMA integrity_check") if said != "ok")
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check").fetchmany(MOST):
        yield f"{table}: row {row} belongs to no row of {parent}"
    for what, query in _QUESTIONS.items():
        yield from (f"{what}: {one}" for (one,) in db.execute(query).fetchmany(MOST))
    yield from _out_of_step(db)
    db.execute("INSERT INTO texts (texts) VALUES ('integrity-check')")


def _out_of_step(db: sqlite3.Connection) -> Iterator[str]:
    """Items that are not found by what they say."""
    labels: dict[int, set[tuple[str, str]]] = {}
    for kind, word, n in db.execute("SELECT kind, word, item FROM labels"):
        labels.setdefault(n, set()).add((kind, word))
    named = 0
    query = f"SELECT n, words, scope, {_ITEM} FROM items LEFT JOIN texts ON texts.rowid = n"
    for n, words, scope, *row in db.execute(query):
        item = item_of(row)
        if (words, scope) != text_of(item) or labels.get(n, set()) != labels_of(item):
            yield f"the index does not fit item {item.id}"
            named += 1
            if named == MOST:
                return
