"""SQLite databases of other programs: read while they are written to, and left exactly as they are.

Each query is a short transaction of its own: a reader that stays in one keeps the program from tidying its write-ahead
log. Columns differ between versions, so they are looked up, never assumed.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from afterglow.errors import BusySource, UnreadableSource

MAGIC = b"SQLite format 3\x00"
BUSY_SECONDS = 0.5  # that SQLite waits for a writer: agents write in milliseconds
MAX_TRIES = 4  # a writer that resets its log is in the way for a moment only
FIRST_PAUSE_SECONDS = 0.05  # between tries, doubled each time

_TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR}
_NO_WAL = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


class Source:
    """One open database."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection
        self._columns: dict[str, list[str]] = {}

    def rows(self, query: str, *values: str | int) -> list[Any]:
        return _ask(self.connection, query, *values)

    def columns(self, table: str) -> list[str]:
        """Of a table; none where there is no such table."""
        if table not in self._columns:
            rows = self.rows(f"PRAGMA table_info({table})")
            self._columns[table] = [row[1] for row in rows]
        return self._columns[table]

    def select(self, table: str, names: Iterable[str]) -> str:
        """These columns, in order; NULL for those this version does not have."""
        columns = self.columns(table)
        return ", ".join(name if name in columns else "NULL" for name in names)


def holds(path: Path, head: bytes, tables: dict[str, set[str]]) -> bool:
    """Whether a file is a database with these tables and columns."""
    if not head.startswith(MAGIC):
        return False
    try:
        with opened(path) as source:
            return all(
                names <= set(source.columns(table)) for table, names in tables.items()
            )
    except BusySource:
        return True  # perhaps not ours, but to be looked at again when it is free
    except (UnreadableSource, OSError):
        return False


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """The database for reading; whatever SQLite cannot do with it comes out as `UnreadableSource`.

    Opening a database with a write-ahead log creates that log where there is none. To leave nothing behind, one that
    nobody has open is read as it lies, and checked afterwards for not having been written to in the meantime.
    """
    uri = path.absolute().as_uri()
    try:
        resting = _resting(path)
        before = path.stat().st_mtime_ns
        opened = _checked(f"{uri}?immutable=1") if resting else _connect(path, uri)
        with closing(opened) as connection:
            yield Source(path, connection)
        if resting and path.stat().st_mtime_ns != before:
            raise BusySource(f"{path}: was written to while it was read; scan again")
    except sqlite3.DatabaseError as error:
        kind = BusySource if _code(error) in _TRANSIENT else UnreadableSource
        raise kind(f"{path}: {error}") from error


def _resting(path: Path) -> bool:
    """A database that uses a write-ahead log and has none: its last user closed it."""
    with open(path, "rb") as file:
        versions = file.read(20)[18:20]
    return versions == b"\x02\x02" and not path.with_name(path.name + "-wal").exists()


def _connect(path: Path, uri: str) -> sqlite3.Connection:
    """Read-only. Where the folder does not even allow the lock file of a write-ahead log, taken as it lies, unless that
    log has something to say."""
    try:
        return _checked(f"{uri}?mode=ro")
    except sqlite3.OperationalError as error:
        if _code(error) not in _NO_WAL or not path.exists():
            raise
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        return _checked(f"{uri}?mode=ro&immutable=1")


def _checked(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        _ask(connection, "SELECT name FROM sqlite_schema LIMIT 1")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _lenient(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _code(error: sqlite3.Error) -> int:
    """The primary result code; the extended ones have it in their low byte. Zero for errors SQLite did not raise."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _ask(connection: sqlite3.Connection, query: str, *values: str | int) -> list[Any]:
    """All rows of a query. A writer that resets its log can make a reader fail for a moment."""
    for attempt in range(MAX_TRIES):
        try:
            return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            if "decode to UTF-8" in str(error) and connection.text_factory is str:
                connection.text_factory = _lenient  # slow, so only where it is needed
                continue
            if _code(error) not in _TRANSIENT or attempt == MAX_TRIES - 1:
                raise
            time.sleep(FIRST_PAUSE_SECONDS * 2**attempt)
    raise AssertionError("unreachable")
