"""Hermes Agent's `state.db`: SQLite, one row a session and one row a message, often while Hermes is writing to it.

Columns differ between versions, so they are looked up, never assumed. Sessions are read one by one, each query a short
transaction of its own: a reader that stays in one keeps Hermes from tidying its write-ahead log.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from afterglow.errors import BusySource, UnreadableSource
from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions.formats.hermes.rows import Header, build
from afterglow.sessions.formats.hermes.transcript import Row
from afterglow.sessions.openai_chat import ToolCall

NAME = "hermes-db"
MAGIC = b"SQLite format 3\x00"
MULTIMODAL = "\x00json:"
MAX_MESSAGES_AT_ONCE = 5000  # more are fetched one by one, so that memory stays bounded
BUSY_SECONDS = 0.5  # that SQLite waits for a writer: Hermes writes in milliseconds
MAX_TRIES = 4  # a writer that resets its log is in the way for a moment only
FIRST_PAUSE_SECONDS = 0.05  # between tries, doubled each time

_TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR}
_NO_WAL = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
_HEADER = tuple(field.name for field in msgspec.structs.fields(Header))
# Column -> field.
_ROW = {field.encode_name: field.name for field in msgspec.structs.fields(Row)}
_FIELDS = tuple(_ROW.values())
_STAMP = (
    "ended_at",
    "end_reason",
    "title",
    "input_tokens",
    "output_tokens",
    "estimated_cost_usd",
    "actual_cost_usd",
)
_calls = msgspec.json.Decoder(list[ToolCall])


def sniff(path: Path, head: bytes) -> bool:
    if not head.startswith(MAGIC):
        return False
    if b"tool_call_id" in head and b"parent_session_id" in head:
        return True
    try:
        with _opened(path) as database:
            return {"tool_call_id", "tool_calls"} <= set(database.columns["messages"])
    except BusySource:
        return True  # perhaps not ours, but to be looked at again when it is free
    except UnreadableSource:
        return False


def read(
    path: Path, since: Mark = Mark(), only: Collection[str] | None = None
) -> Iterator[Session]:
    """Every session of the database, or `only` those named. Damage is raised behind what could be read."""
    failed: list[str] = []
    with _opened(path) as database:
        for id in database.sessions(failed) if only is None else sorted(only):
            parts = database.session(id)
            while (part := _next(parts, f"session {id}", failed)) is not None:
                yield part
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise UnreadableSource(
            f"{path}: {failed[0]}{more}; what else could be read, was"
        )


def _next(parts: Iterator[Session], name: str, failed: list[str]) -> Session | None:
    try:
        return next(parts, None)
    except sqlite3.DatabaseError as error:
        failed.append(f"{name}: {error}")
        return None


def stamps(path: Path) -> dict[str, str]:
    """For each session a text that changes when the session does: cheap, from indexes and headers only."""
    with _opened(path) as database:
        active = "sum(active)" if "active" in database.columns["messages"] else "0"
        counts = f"SELECT session_id, max(id), count(*), {active} FROM messages GROUP BY session_id"
        ends = {id: end for id, *end in database.rows(counts)}
        columns = database.select("sessions", ("id", *_STAMP))
        stamps: dict[str, str] = {}
        for id, *head in database.rows(f"SELECT {columns} FROM sessions"):
            if isinstance(id, str):
                stamps[id] = "|".join(map(str, (*ends.get(id, ()), *head)))
        return stamps


@contextmanager
def _opened(path: Path) -> Iterator[_Database]:
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
            yield _Database(path, connection)
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


class _Database:
    """One open database and the columns its tables have."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection
        self.columns: dict[str, list[str]] = {}
        for table in ("sessions", "messages"):
            rows = self.rows(f"PRAGMA table_info({table})")
            self.columns[table] = [row[1] for row in rows]

    def rows(self, query: str, *values: str | int) -> list[Any]:
        return _ask(self.connection, query, *values)

    def select(self, table: str, names: Iterable[str]) -> str:
        """These columns, in order; NULL for those this version does not have."""
        columns = self.columns[table]
        return ", ".join(name if name in columns else "NULL" for name in names)

    def sessions(self, failed: list[str]) -> list[str]:
        """The ids of all sessions, as far as they can be read."""
        query = "SELECT id FROM sessions WHERE id IS NOT NULL ORDER BY rowid"
        ids: list[str] = []
        try:
            return [id for (id,) in self.rows(query) if isinstance(id, str)]
        except sqlite3.DatabaseError as error:
            failed.append(f"table of sessions: {error}")
        with suppress(sqlite3.DatabaseError):
            ids.extend(id for (id,) in self.connection.execute(query))
        return ids

    def session(self, id: str) -> Iterator[Session]:
        header_row = self._of_session(id, _HEADER)
        if header_row is None:
            return
        header = Header(**dict(zip(_HEADER, header_row, strict=True)))
        parent = header.parent_session_id or ""
        messages = _Messages(self, id)
        yield from build(
            header,
            messages.at_once() if messages.all_live() else messages,
            {"format": NAME, "source": str(self.path)},
            parent_ended=self._how_ended(parent),
            before=_Messages(self, parent),
            damage=messages.damage,
        )

    def _how_ended(self, id: str) -> str:
        row = self._of_session(id, ("end_reason",)) if id else None
        if row is None:
            return ""
        return row[0] or ""

    def _of_session(self, id: str, names: Iterable[str]) -> tuple[Any, ...] | None:
        columns = self.select("sessions", names)
        rows = self.rows(f"SELECT {columns} FROM sessions WHERE id = ?", id)
        return rows[0] if rows else None


class _Messages:
    """The messages of a session, from the database each time they are gone through: most of them may be copies that
    compactions left, far more than memory holds."""

    def __init__(self, database: _Database, session: str) -> None:
        self.database, self.session = database, session
        self.query = f"SELECT {database.select('messages', _ROW)} FROM messages"
        self.damage: list[Damage] = []

    def __iter__(self) -> Iterator[Row]:
        ids = self.database.rows(
            "SELECT id FROM messages WHERE session_id = ? ORDER BY id", self.session
        )
        for (id,) in ids:
            for values in self.database.rows(f"{self.query} WHERE id = ?", id):
                yield _row(values, self.damage)

    def at_once(self) -> list[Row]:
        """Put in order here: SQLite would copy every row to sort them."""
        rows = self.database.rows(f"{self.query} WHERE session_id = ?", self.session)
        return sorted(
            (_row(values, self.damage) for values in rows), key=lambda row: row.id
        )

    def all_live(self) -> bool:
        """True where nothing was put away or undone, so that there are no copies, and it is not too much to hold."""
        if "active" not in self.database.columns["messages"]:
            return True
        query = "SELECT count(*), sum(active = 0) FROM messages WHERE session_id = ?"
        count, put_away = self.database.rows(query, self.session)[0]
        return not put_away and count < MAX_MESSAGES_AT_ONCE


def _row(values: tuple[Any, ...], damage: list[Damage]) -> Row:
    row = Row(**dict(zip(_FIELDS, values, strict=True)))
    row.active = 1 if row.active is None else row.active
    try:
        if isinstance(row.tool_calls, str):
            calls, row.tool_calls = row.tool_calls, None
            row.tool_calls = _calls.decode(calls) if calls else None
        if isinstance(row.content, str) and row.content.startswith(MULTIMODAL):
            row.content = msgspec.json.decode(row.content[len(MULTIMODAL) :])
    except (msgspec.DecodeError, RecursionError) as error:
        damage.append(Damage(row.id, f"message not JSON: {error}"))
    return row
