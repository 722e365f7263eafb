"""Tombstones without words: topics that older versions kept as they were become hashes, where they stand.

A person who deletes an item does not want its words kept; to know it again a hash is enough. Done once a store, when it
is opened; a store that can only be read is left as it is, and asked for both.
"""

from __future__ import annotations

import sqlite3

import msgspec

from afterglow.store.databases import transaction
from afterglow.store.knowledge_rows import TOPIC_MARK, topic_mark

FACT, VALUE = "tombstones", "hashed"
FACT_MARK = "fact:"


def hash_tombstones(db: sqlite3.Connection) -> None:
    if _is_hashed(db):
        return
    try:
        with transaction(db):
            if not _is_hashed(db):  # nobody else did it meanwhile
                _hash_all(db)
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith("SQLITE_READONLY"):
            raise


def _is_hashed(db: sqlite3.Connection) -> bool:
    row = db.execute("SELECT value FROM facts WHERE name = ?", [FACT]).fetchone()
    return row is not None


def _hash_all(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA secure_delete = ON")
    plain = [
        (name, item)
        for name, item in db.execute("SELECT name, item FROM buried")
        if name != item and not name.startswith((FACT_MARK, TOPIC_MARK))
    ]
    db.executemany("DELETE FROM buried WHERE name = ? AND item = ?", plain)
    db.executemany(
        "INSERT OR IGNORE INTO buried VALUES (?, ?)",
        [(topic_mark(name), item) for name, item in plain],
    )
    rows = db.execute("SELECT item, topics FROM tombstones").fetchall()
    for item, topics in rows:
        listed = msgspec.json.decode(topics, type=list[str])
        hashed = [
            topic if topic.startswith(TOPIC_MARK) else topic_mark(topic)
            for topic in listed
        ]
        db.execute(
            "UPDATE tombstones SET topics = ? WHERE item = ?",
            [msgspec.json.encode(sorted(hashed)).decode(), item],
        )
    db.execute("INSERT INTO facts VALUES (?, ?)", [FACT, VALUE])
