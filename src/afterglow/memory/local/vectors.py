"""Entries near a question in meaning: a vector an entry, rounded to bytes, beside the words of the same file.

Vectors are made when somebody asks, not when something is stored: storing stays quick and needs no model, and who installs
one later has all entries found by it. An entry that is deleted or replaced takes its vector along.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import Any

from afterglow.memory.local.schema import original
from afterglow.memory.meaning import Model
from afterglow.store.databases import transaction

MAX_COMPARED = 20_000  # newest entries of a user: 5 MB are read for a question
MIN_SIMILARITY = (
    0.2  # below it, nearness says nothing: 10 of 345 entries have as much by chance
)
SCALE = 127  # vectors have length one: a byte holds a number of them well enough
_PUNCTUATION = str.maketrans("_-.", "   ")  # inside keys, between words


def complete_vectors(db: sqlite3.Connection, user: int, model: Model) -> None:
    """Makes the vectors that are missing, as many as may be made while somebody waits, the newest first."""
    missing = _missing(db, user, model)
    if not missing:
        return
    rows = _bytes(model.vectors([_text(key, value) for _, key, value in missing]))
    numbered = [
        (user, number, model.name, row)
        for (number, _, _), row in zip(missing, rows, strict=True)
    ]
    # On a full or read-only disk the question is answered by words.
    with suppress(sqlite3.OperationalError), transaction(db):
        # An entry that went meanwhile gets none.
        db.executemany(
            "INSERT OR REPLACE INTO vectors SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM entries WHERE n = ?2)",
            numbered,
        )


def similar_entries(
    db: sqlite3.Connection, user: int, question: str, model: Model
) -> dict[int, float]:
    """What it is worth to each entry that it is near the question."""
    if not question.strip():
        return {}
    numpy = import_module("numpy")
    query = "SELECT entry, vector FROM vectors WHERE user = ? AND model = ? ORDER BY entry DESC LIMIT ?"
    rows = db.execute(query, [user, model.name, MAX_COMPARED]).fetchall()
    if not rows:
        return {}
    stored = b"".join(vector for _, vector in rows)
    entries = numpy.frombuffer(stored, dtype="i1").reshape(len(rows), -1)
    question_vector = model.vectors([_readable(question)])[0]
    similarities = entries.astype("f4") @ question_vector / SCALE
    return {
        number: model.weight * float(similarity)
        for (number, _), similarity in zip(rows, similarities, strict=True)
        if similarity >= MIN_SIMILARITY
    }


def drop_vector(db: sqlite3.Connection, user: int, entry: int) -> None:
    db.execute("DELETE FROM vectors WHERE user = ? AND entry = ?", [user, entry])


def _missing(
    db: sqlite3.Connection, user: int, model: Model
) -> list[tuple[int, str, str]]:
    query = """SELECT n, "key", value FROM entries
               LEFT JOIN vectors ON vectors.user = entries.user AND entry = n AND model = ?
               WHERE entries.user = ? AND entry IS NULL ORDER BY n DESC LIMIT ?"""
    rows = db.execute(query, [model.name, user, min(model.at_once, MAX_COMPARED)])
    return [(number, original(key), original(value)) for number, key, value in rows]


def _text(key: str, value: str) -> str:
    """An entry as a sentence."""
    return _readable(f"{key.translate(_PUNCTUATION)}: {value}")


def _readable(text: str) -> str:
    """Half characters, which no tokenizer takes, become question marks."""
    return text.encode("utf-8", "replace").decode()


def _bytes(rows: Any) -> Iterable[bytes]:
    numpy = import_module("numpy")
    return [row.tobytes() for row in numpy.rint(rows * SCALE).astype("i1")]
