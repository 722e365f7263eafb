"""Two simple searches to be compared with: what everyone writes first (LIKE), and plain BM25.

Like a backend they keep one value a key: an update replaces the older value.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from afterglow.memory.quality.measures import Answer, Find, SearchAnswers
from afterglow.records.evaluation import Labelled, Labels

_WORD = re.compile(r"\w+")


@contextmanager
def like(entries: Sequence[Labelled]) -> Iterator[Find]:
    """Any word of the question anywhere inside key or value, newest first: there is nothing to rank by."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE TABLE entry (user, key, value, text, PRIMARY KEY (user, key))"
        )
        rows = (
            (
                entry.user,
                entry.key,
                entry.value,
                f"{entry.key} {entry.value}".casefold(),
            )
            for entry in entries
        )
        database.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)", rows)

        def find(user: str, question: str, limit: int) -> list[Answer]:
            return database.execute(
                "SELECT key, value FROM entry WHERE user = ?"
                " AND EXISTS (SELECT 1 FROM json_each(?) AS word WHERE instr(text, word.value))"
                " ORDER BY rowid DESC LIMIT ?",
                (user, json.dumps(_words(question)), limit),
            ).fetchall()

        yield find


@contextmanager
def bm25(entries: Sequence[Labelled]) -> Iterator[Find]:
    """SQLite's full-text search as it comes: whole words, any of them, by bm25()."""
    newest = {(entry.user, entry.key): entry.value for entry in entries}
    tables: dict[str, str] = {}
    with closing(sqlite3.connect(":memory:")) as database:
        for (user, key), value in newest.items():
            if (
                user not in tables
            ):  # of its own: how rare a word is must not depend on others
                tables[user] = f"entry_{len(tables)}"
                database.execute(
                    f"CREATE VIRTUAL TABLE {tables[user]} USING fts5(key, value, tokenize='unicode61')"
                )
            database.execute(f"INSERT INTO {tables[user]} VALUES (?, ?)", (key, value))

        def find(user: str, question: str, limit: int) -> list[Answer]:
            words, table = _words(question), tables.get(user)
            if not words or not table:
                return []
            match = " OR ".join(f'"{word}"' for word in words)
            ask = f"SELECT key, value FROM {table} WHERE {table} MATCH ? ORDER BY bm25({table}), rowid DESC LIMIT ?"
            return database.execute(ask, (match, limit)).fetchall()

        yield find


BASELINES = {"LIKE": like, "plain BM25": bm25}


def compared(labels: Labels) -> dict[str, SearchAnswers]:
    """What each baseline answers to a labelled set."""
    answers = {}
    for name, baseline in BASELINES.items():
        with baseline(labels.entries) as find:
            answers[name] = SearchAnswers(labels, find)
    return answers


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD.findall(text.casefold())))
