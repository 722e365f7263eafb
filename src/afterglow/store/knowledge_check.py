"""Whether a knowledge store is sound: the file itself, and the tables that must say the same thing twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice

from afterglow.store.knowledge_rows import FIELDS, LABELS, item_of, text_of

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
    yield from (
        problem
        for (problem,) in db.execute("PRAGMA integrity_check")
        if problem != "ok"
    )
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check").fetchmany(MOST):
        yield f"{table}: row {row} belongs to no row of {parent}"
    for what, query in _QUESTIONS.items():
        yield from (
            f"{what}: {culprit}" for (culprit,) in db.execute(query).fetchmany(MOST)
        )
    yield from _out_of_step(db)
    db.execute("INSERT INTO texts (texts) VALUES ('integrity-check')")


def _out_of_step(db: sqlite3.Connection) -> Iterator[str]:
    """Items that are not found by what they say."""
    for kind, field in LABELS.items():
        in_items = f"SELECT json_each.value, n FROM items, json_each({field})"
        in_labels = f"SELECT word, item FROM labels WHERE kind = '{kind}'"
        for first, second in ((in_items, in_labels), (in_labels, in_items)):
            for word, n in db.execute(f"{first} EXCEPT {second}").fetchmany(MOST):
                yield f"the index does not fit {kind} {word!r} of item number {n}"
    query = (
        f"SELECT words, scope, {_ITEM} FROM items LEFT JOIN texts ON texts.rowid = n"
    )
    wrong = (
        row[2] for row in db.execute(query) if row[:2] != text_of(item_of(row[2:]))
    )
    yield from (f"the index does not fit item {id}" for id in islice(wrong, MOST))
