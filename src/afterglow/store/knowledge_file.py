"""A knowledge store in a file of its own, `knowledge.db`, with a derived word index beside it when it is large."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from afterglow.store import search as searching
from afterglow.store.databases import Migration, back_up, trouble
from afterglow.store.forgotten import Forgotten
from afterglow.store.knowledge_schema import open_knowledge, way_back
from afterglow.store.search import Asked, Texts, Wanted
from afterglow.store.tantivy_index import TROUBLE, WordIndex


class KnowledgeFile:
    """An open SQLite database."""

    may_repair = True
    elements = "json_each({}) AS elements"

    def __init__(self, path: Path, migrations: Sequence[Migration], large: int) -> None:
        self.path = path
        self._most = large
        with self.trouble():
            self.db, self.identity = open_knowledge(path, migrations)
        self.forgotten = Forgotten(path.parent)
        self.index = WordIndex(path.with_suffix(".index"), self.db, self.identity)

    @property
    def in_transaction(self) -> bool:
        return self.db.in_transaction

    def execute(self, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self.db.execute(query, values)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        self.db.executemany(query, rows)

    def trouble(self) -> AbstractContextManager[None]:
        return trouble(self.path, way_back)

    def new_numbers(self, count: int) -> list[int]:
        query = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'items'"
        last = self.db.execute(query).fetchone()[0]
        return list(range(last + 1, last + 1 + count))

    def note_change(self, change: int) -> None:
        self.db.execute(
            "UPDATE facts SET value = ? WHERE name = 'change'", [str(change)]
        )

    def view(self) -> str:
        """Who has the file sees all of it."""
        return ""

    def hurry(self) -> None:
        self.db.execute("PRAGMA busy_timeout = 0")

    def search(
        self, question: Asked, limit: int, filters: Wanted
    ) -> list[tuple[Any, ...]]:
        if self._is_large() and self.index.ready():
            try:
                return searching.search(self.db, self.index, question, limit, filters)
            except TROUBLE:
                self.index.forget()
        texts = Texts(self.db, self._most)
        return searching.search(self.db, texts, question, limit, filters)

    def _is_large(self) -> bool:
        query = "SELECT coalesce(max(n), 0) > ? FROM items"
        return bool(self.db.execute(query, [self._most]).fetchone()[0])

    def damage(self) -> list[str]:
        integrity = self.db.execute("PRAGMA integrity_check")
        problems = [problem for (problem,) in integrity if problem != "ok"]
        orphans = self.db.execute("PRAGMA foreign_key_check").fetchall()
        self.db.execute("INSERT INTO texts (texts) VALUES ('integrity-check')")
        return problems + [
            f"{table}: row {row} belongs to no row of {parent}"
            for table, row, parent, _ in orphans
        ]

    def backup(self, to: Path) -> None:
        """A whole copy in one file, also while others write."""
        back_up(self.db, to)

    def close(self, wrote: bool) -> None:
        """Whoever wrote leaves a large store's word index up to date."""
        try:
            if wrote and self._is_large():
                self.index.ready(most=1 << 60)
        finally:
            self.db.close()
