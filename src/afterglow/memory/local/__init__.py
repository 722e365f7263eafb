"""Entries in one SQLite file on this machine, found by words."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from afterglow import config
from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.memory import screening
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.local.index import (
    add,
    bring_words_up_to_date,
    forget,
    learn,
    withdraw,
)
from afterglow.memory.local.schema import (
    erase,
    open_memory,
    original,
    snapshot,
    storable,
)
from afterglow.memory.local.search import Of, Search
from afterglow.records.memory import MemoryEntry
from afterglow.store.databases import transaction, trouble
from afterglow.text.redact import Redactor

__all__ = ["LocalBackend", "open_backend"]

_COLUMNS = '"key", value, created, updated, metadata'
_left_behind: list[
    sqlite3.Connection
] = []  # of a process this one was forked from: not ours to close


def open_backend(settings: Config) -> LocalBackend:
    return LocalBackend(
        settings.memory, redactor=Redactor(settings.names, cache=settings.cache)
    )


class LocalBackend(MemoryBackend):
    """Threads may share one; so may a process and those it forks. The file is made by the first `store`."""

    def __init__(
        self, db_path: str | Path | None = None, *, redactor: Redactor | None = None
    ) -> None:
        if db_path is None or redactor is None:
            settings = config.load()
            redactor = redactor or Redactor(settings.names, cache=settings.cache)
            db_path = db_path or settings.memory
        self.path = Path(db_path)
        self._redactor = redactor
        self._lock = threading.RLock()
        self._open: tuple[int, tuple[int, int], sqlite3.Connection] | None = (
            None  # process, file, connection
        )
        self._to_erase = False  # file and log may still hold the words of what was deleted or replaced

    @property
    def backend_name(self) -> str:
        return "local"

    @property
    def is_cloud(self) -> bool:
        return False

    def is_available(self) -> bool:
        try:
            with self._using(make=False) as db:
                if db is not None:
                    return True
        except StoreError:
            return False
        there = next(
            folder for folder in self.path.absolute().parents if folder.exists()
        )
        return there.is_dir() and os.access(there, os.W_OK | os.X_OK)

    def store(
        self,
        user_id: str,
        key: str,
        value: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        redact: bool = True,
    ) -> bool:
        redactor = self._redactor if redact else None
        screening.check_names(user_id, key, redactor)
        entry = screening.entry(key, value, metadata, redactor)
        told = msgspec.json.encode(entry.metadata)
        now = time.time()
        with self._using(make=True) as db, transaction(db):
            user = _user(db, user_id)
            before = db.execute(
                'SELECT n, created, updated, words, length FROM entries WHERE user = ? AND "key" = ?',
                [user, storable(key)],
            ).fetchone()
            number, created, updated, words, length = before or (0, now, now, b"", 0)
            had = withdraw(db, user, number, words) if before else set()
            if before:
                db.execute("DELETE FROM entries WHERE n = ?", [number])
            words, longer = learn(db, user, key, entry.value)
            row = [
                user,
                created,
                max(now, updated),
                longer,
                words,
                told,
                storable(key),
                storable(entry.value),
            ]
            add(
                db,
                user,
                db.execute(
                    "INSERT INTO entries VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row
                ).lastrowid
                or 0,
            )
            forget(db, user, had)
            count = "UPDATE users SET entries = entries + ?, length = length + ? WHERE n = ?"
            db.execute(count, [0 if before else 1, longer - length, user])
            self._to_erase = self._to_erase or bool(before)
        return True

    def retrieve(self, user_id: str, key: str) -> MemoryEntry | None:
        screening.check_names(user_id, key)
        query = f'SELECT {_COLUMNS} FROM entries WHERE user = (SELECT n FROM users WHERE name = ?) AND "key" = ?'
        with self._using(make=False) as db:
            row = (
                db.execute(query, [storable(user_id), storable(key)]).fetchone()
                if db
                else None
            )
        return _entry(user_id, row) if row else None

    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        screening.check_question(user_id, query, limit)
        with self._using(make=False) as db:
            if db is None or not limit:
                return []
            with snapshot(db):
                of = _of(db, user_id)
                if of is None:
                    return []
                found = Search(db, of).ranked(query, min(limit, of.entries))
                chosen = f"SELECT n, {_COLUMNS} FROM entries WHERE n IN ({', '.join(map(str, found))})"
                rows = {number: row for number, *row in db.execute(chosen)}
            return [_entry(user_id, rows[number]) for number in found]

    def list_keys(self, user_id: str) -> list[str]:
        screening.check_user(user_id)
        query = 'SELECT "key" FROM entries WHERE user = (SELECT n FROM users WHERE name = ?)'
        with self._using(make=False) as db:
            return (
                sorted(
                    original(key) for (key,) in db.execute(query, [storable(user_id)])
                )
                if db
                else []
            )

    def delete(self, user_id: str, key: str) -> bool:
        screening.check_names(user_id, key)
        with self._using(make=False) as db:
            if db is None:
                return False
            with transaction(db):
                query = 'SELECT n, user, words, length FROM entries WHERE "key" = ? AND user = '
                query += "(SELECT n FROM users WHERE name = ?)"
                row = db.execute(query, [storable(key), storable(user_id)]).fetchone()
                if not row:
                    return False
                number, user, words, length = row
                had = withdraw(db, user, number, words)
                db.execute("DELETE FROM entries WHERE n = ?", [number])
                forget(db, user, had)
                count = "UPDATE users SET entries = entries - 1, length = length - ? WHERE n = ?"
                db.execute(count, [length, user])
                db.execute("DELETE FROM users WHERE n = ? AND entries = 0", [user])
            self._to_erase = True
        return True

    def close(self) -> None:
        with self._lock:
            if self._open and self._open[0] == os.getpid():
                if self._to_erase:
                    erase(self._open[2])
                self._open[2].close()
            elif self._open:
                _left_behind.append(self._open[2])
            self._open, self._to_erase = None, False

    @contextmanager
    def _using(self, make: bool) -> Iterator[Any]:
        """The connection, for one thread at a time; None where there is no file and none is to be made."""
        if (
            self._open and self._open[0] != os.getpid()
        ):  # after a fork another thread's hold on the lock never ends
            _left_behind.append(self._open[2])
            self._open, self._lock = None, threading.RLock()
        with self._lock, trouble(self.path):
            yield self._connection(make)

    def _connection(self, make: bool) -> sqlite3.Connection | None:
        try:
            is_now = self.path.stat()
        except FileNotFoundError:
            self.close()
            if not make:
                return None
        else:
            if self._open and self._open[1] == (is_now.st_dev, is_now.st_ino):
                return self._open[2]
            self.close()  # another file lies there now
        db = open_memory(self.path)
        try:
            bring_words_up_to_date(db)
        except sqlite3.Error:
            db.close()
            raise
        is_now = self.path.stat()
        self._open = (os.getpid(), (is_now.st_dev, is_now.st_ino), db)
        return db


def _user(db: sqlite3.Connection, name: str) -> int:
    found = db.execute(
        "SELECT n FROM users WHERE name = ?", [storable(name)]
    ).fetchone()
    return (
        found[0]
        if found
        else db.execute(
            "INSERT INTO users VALUES (NULL, ?, 0, 0)", [storable(name)]
        ).lastrowid
        or 0
    )


def _of(db: sqlite3.Connection, name: str) -> Of | None:
    row = db.execute(
        "SELECT n, entries, length FROM users WHERE name = ?", [storable(name)]
    ).fetchone()
    return Of(row[0], row[1], max(1.0, row[2] / row[1])) if row and row[1] else None


def _entry(user_id: str, row: Sequence[Any]) -> MemoryEntry:
    key, value, created, updated, metadata = row
    return MemoryEntry(
        original(key),
        original(value),
        user_id,
        created,
        updated,
        msgspec.json.decode(metadata),
    )
