"""Entries in one SQLite file on this machine, found by words and, where a model is installed, by meaning."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

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
from afterglow.memory.local.search import IndexedUser, Search
from afterglow.memory.local.vectors import (
    complete_vectors,
    drop_vector,
    similar_entries,
)
from afterglow.memory.meaning import Model, installed_model
from afterglow.records.memory import MemoryEntry
from afterglow.store.databases import transaction, trouble
from afterglow.text.redact import Redactor

__all__ = ["LocalBackend", "open_backend"]

_COLUMNS = '"key", value, created, updated, metadata'
# Of a process this one was forked from: not ours to close.
_left_behind: list[sqlite3.Connection] = []


class _Open(NamedTuple):
    """A connection, the process that opened it, and the file it is of (device, number)."""

    process: int
    file: tuple[int, int]
    db: sqlite3.Connection


def open_backend(settings: Config) -> LocalBackend:
    return LocalBackend(
        settings.memory,
        redactor=Redactor(settings.names, cache=settings.cache),
        model=installed_model(),
    )


class LocalBackend(MemoryBackend):
    """Threads may share one; so may a process and those it forks. The file is made by the first `store`. Without a
    `model` entries are found by words alone."""

    def __init__(
        self,
        db_path: str | Path | None = None,
        *,
        redactor: Redactor | None = None,
        model: Model | None = None,
    ) -> None:
        if db_path is None or redactor is None:
            settings = config.load()
            redactor = redactor or Redactor(settings.names, cache=settings.cache)
            db_path = db_path or settings.memory
        self.path = Path(db_path)
        self._redactor = redactor
        self._model = model
        self._lock = threading.RLock()
        self._open: _Open | None = None
        # File and log may still hold the words of what was deleted or replaced.
        self._to_erase = False

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
        folders = self.path.absolute().parents
        nearest = next(folder for folder in folders if folder.exists())
        return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)

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
        now = time.time()
        with self._using(make=True) as db, transaction(db):
            user = _user(db, user_id)
            query = 'SELECT n, created, updated, words, length FROM entries WHERE user = ? AND "key" = ?'
            before = db.execute(query, [user, storable(key)]).fetchone()
            number, created, updated, words, length = before or (0, now, now, b"", 0)
            had: set[int] = set()
            if before:
                had = withdraw(db, user, number, words)
                db.execute("DELETE FROM entries WHERE n = ?", [number])
                drop_vector(db, user, number)
            new_words, new_length = learn(db, user, key, entry.value)
            row = [
                user,
                created,
                max(now, updated),
                new_length,
                new_words,
                msgspec.json.encode(entry.metadata),
                storable(key),
                storable(entry.value),
            ]
            insert = "INSERT INTO entries VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)"
            add(db, user, db.execute(insert, row).lastrowid or 0)
            forget(db, user, had)
            count = "UPDATE users SET entries = entries + ?, length = length + ? WHERE n = ?"
            db.execute(count, [0 if before else 1, new_length - length, user])
            self._to_erase = self._to_erase or bool(before)
        return True

    def retrieve(self, user_id: str, key: str) -> MemoryEntry | None:
        screening.check_names(user_id, key)
        query = f'SELECT {_COLUMNS} FROM entries WHERE user = (SELECT n FROM users WHERE name = ?) AND "key" = ?'
        with self._using(make=False) as db:
            if db is None:
                return None
            row = db.execute(query, [storable(user_id), storable(key)]).fetchone()
        return _entry(user_id, row) if row else None

    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        screening.check_question(user_id, query, limit)
        with self._using(make=False) as db:
            if db is None or not limit:
                return []
            self._learn_meanings(db, user_id)
            with snapshot(db):
                user = _indexed_user(db, user_id)
                if user is None:
                    return []
                near = self._near_in_meaning(db, user, query)
                ranked = Search(db, user, near).ranked(query, min(limit, user.entries))
                numbers = ", ".join(map(str, ranked))
                select = f"SELECT n, {_COLUMNS} FROM entries WHERE n IN ({numbers})"
                rows = {number: row for number, *row in db.execute(select)}
            return [_entry(user_id, rows[number]) for number in ranked]

    def _learn_meanings(self, db: sqlite3.Connection, user_id: str) -> None:
        user = _indexed_user(db, user_id)
        if self._model is not None and user is not None:
            complete_vectors(db, user.number, self._model)

    def _near_in_meaning(
        self, db: sqlite3.Connection, user: IndexedUser, question: str
    ) -> dict[int, float]:
        if self._model is None:
            return {}
        return similar_entries(db, user.number, question, self._model)

    def list_keys(self, user_id: str) -> list[str]:
        screening.check_user(user_id)
        query = 'SELECT "key" FROM entries WHERE user = (SELECT n FROM users WHERE name = ?)'
        with self._using(make=False) as db:
            if db is None:
                return []
            rows = db.execute(query, [storable(user_id)])
            return sorted(original(key) for (key,) in rows)

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
                drop_vector(db, user, number)
                forget(db, user, had)
                count = "UPDATE users SET entries = entries - 1, length = length - ? WHERE n = ?"
                db.execute(count, [length, user])
                db.execute("DELETE FROM users WHERE n = ? AND entries = 0", [user])
            self._to_erase = True
        return True

    def close(self) -> None:
        with self._lock:
            if self._open and self._open.process == os.getpid():
                if self._to_erase:
                    erase(self._open.db)
                self._open.db.close()
            elif self._open:
                _left_behind.append(self._open.db)
            self._open, self._to_erase = None, False

    @contextmanager
    def _using(self, make: bool) -> Iterator[Any]:
        """The connection, for one thread at a time; None where there is no file and none is to be made."""
        # After a fork another thread's hold on the lock never ends.
        if self._open and self._open.process != os.getpid():
            _left_behind.append(self._open.db)
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
            if self._open and self._open.file == (is_now.st_dev, is_now.st_ino):
                return self._open.db
            self.close()  # another file lies there now
        db = open_memory(self.path)
        try:
            bring_words_up_to_date(db)
        except sqlite3.Error:
            db.close()
            raise
        is_now = self.path.stat()
        self._open = _Open(os.getpid(), (is_now.st_dev, is_now.st_ino), db)
        return db


def _user(db: sqlite3.Connection, name: str) -> int:
    """The number of a user, who gets one if there is none."""
    query = "SELECT n FROM users WHERE name = ?"
    row: tuple[int] | None = db.execute(query, [storable(name)]).fetchone()
    if row:
        return row[0]
    insert = "INSERT INTO users VALUES (NULL, ?, 0, 0)"
    return db.execute(insert, [storable(name)]).lastrowid or 0


def _indexed_user(db: sqlite3.Connection, name: str) -> IndexedUser | None:
    """None where a user has no entries."""
    query = "SELECT n, entries, length FROM users WHERE name = ?"
    row = db.execute(query, [storable(name)]).fetchone()
    if not row or not row[1]:
        return None
    number, entries, length = row
    return IndexedUser(number, entries, max(1.0, length / entries))


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
