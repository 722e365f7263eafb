"""Whether a knowledge store is sound: the database itself, and the tables that must say the same thing twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice

from afterglow.store.knowledge_database import KnowledgeDatabase
from afterglow.store.knowledge_rows import FIELDS, LABELS, item_of, text_of

MOST = 20  # faults of one kind that are named
AT_ONCE = 1000  # items held in memory meanwhile

_ITEM = ", ".join(f'"{name}"' for name in FIELDS)
_QUESTIONS = {
    "evidence of no item": "SELECT DISTINCT item FROM evidence WHERE item NOT IN (SELECT n FROM items)",
    "words of no item": "SELECT rowid FROM texts WHERE rowid NOT IN (SELECT n FROM items)",
    "labels of no item": "SELECT DISTINCT item FROM labels WHERE item NOT IN (SELECT n FROM items)",
    "an item without history": "SELECT id FROM items WHERE id NOT IN (SELECT item FROM history)",
    "a tombstone that names nothing": "SELECT item FROM tombstones WHERE item NOT IN (SELECT item FROM buried)",
}


def faults(db: KnowledgeDatabase) -> list[str]:
    """Empty for a sound store. A file too damaged to be read says so in one line."""
    try:
        return [*_faults(db)]
    except sqlite3.DatabaseError as error:
        return [str(error)]


def _faults(db: KnowledgeDatabase) -> Iterator[str]:
    yield from db.damage()[:MOST]
    for what, query in _QUESTIONS.items():
        for (culprit,) in db.execute(f"{query} LIMIT {MOST}"):
            yield f"{what}: {culprit}"
    yield from _labels_out_of_step(db)
    wrong = _texts_out_of_step(db)
    yield from (f"the index does not fit item {id}" for id in islice(wrong, MOST))


def _labels_out_of_step(db: KnowledgeDatabase) -> Iterator[str]:
    """Items that are not found by what they say."""
    for kind, field in LABELS.items():
        in_items = f"SELECT elements.value, n FROM items, {db.elements.format(field)}"
        in_labels = f"SELECT word, item FROM labels WHERE kind = '{kind}'"
        for first, second in ((in_items, in_labels), (in_labels, in_items)):
            for word, n in db.execute(f"{first} EXCEPT {second} LIMIT {MOST}"):
                yield f"the index does not fit {kind} {word!r} of item number {n}"


def _texts_out_of_step(db: KnowledgeDatabase) -> Iterator[str]:
    query = (
        f"SELECT n, words, scope, {_ITEM} FROM items LEFT JOIN texts ON texts.rowid = n "
        f"WHERE n > ? ORDER BY n LIMIT {AT_ONCE}"
    )
    last = 0
    while rows := db.execute(query, [last]).fetchall():
        last = rows[-1][0]
        for _, words, scope, *fields in rows:
            if (words, scope) != text_of(item_of(fields)):
                yield fields[0]
