"""Hermes Agent's `state.db`: SQLite, one row a session and one row a message, often while Hermes is writing to it.
Sessions are read one by one."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from afterglow.errors import UnreadableSource
from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions.formats.hermes.rows import Header, build
from afterglow.sessions.formats.hermes.transcript import Row
from afterglow.sessions.openai_chat import ToolCall
from afterglow.sessions.sqlite_source import MAGIC, Source, holds, opened

NAME = "hermes-db"
MULTIMODAL = "\x00json:"
MAX_MESSAGES_AT_ONCE = 5000  # more are fetched one by one, so that memory stays bounded

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
    return holds(path, head, {"messages": {"tool_call_id", "tool_calls"}})


def read(
    path: Path, since: Mark = Mark(), only: Collection[str] | None = None
) -> Iterator[Session]:
    """Every session of the database, or `only` those named. Damage is raised behind what could be read."""
    failed: list[str] = []
    with opened(path) as source:
        database = _Database(source)
        for id in database.sessions(failed) if only is None else sorted(only):
            parts = database.session(id, since.copied)
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
    with opened(path) as database:
        active = "sum(active)" if "active" in database.columns("messages") else "0"
        counts = f"SELECT session_id, max(id), count(*), {active} FROM messages GROUP BY session_id"
        ends = {id: end for id, *end in database.rows(counts)}
        columns = database.select("sessions", ("id", *_STAMP))
        stamps: dict[str, str] = {}
        for id, *head in database.rows(f"SELECT {columns} FROM sessions"):
            if isinstance(id, str):
                stamps[id] = "|".join(map(str, (*ends.get(id, ()), *head)))
        return stamps


class _Database:
    """One open database and the sessions in it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows, self.select = source.rows, source.select

    def sessions(self, failed: list[str]) -> list[str]:
        """The ids of all sessions, as far as they can be read."""
        query = "SELECT id FROM sessions WHERE id IS NOT NULL ORDER BY rowid"
        ids: list[str] = []
        try:
            return [id for (id,) in self.rows(query) if isinstance(id, str)]
        except sqlite3.DatabaseError as error:
            failed.append(f"table of sessions: {error}")
        with suppress(sqlite3.DatabaseError):
            ids.extend(id for (id,) in self.source.connection.execute(query))
        return ids

    def session(self, id: str, copied: int = 0) -> Iterator[Session]:
        header_row = self._of_session(id, _HEADER)
        if header_row is None:
            return
        header = Header(**dict(zip(_HEADER, header_row, strict=True)))
        parent = header.parent_session_id or ""
        messages = _Messages(self, id)
        yield from build(
            header,
            messages.at_once() if messages.all_live() else messages,
            {"format": NAME, "source": str(self.source.path)},
            parent_ended=self._how_ended(parent),
            before=_Messages(self, parent),
            damage=messages.damage,
            copied=copied,
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
        if "active" not in self.database.source.columns("messages"):
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
