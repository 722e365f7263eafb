"""OpenCode 1.2 and later: `opencode.db`, SQLite, a row a session, a message, a part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions.formats.opencode.messages import (
    Info,
    Part,
    Placed,
    Revert,
    Span,
    assembled,
    message_decoder,
    part_decoder,
)
from afterglow.sessions.sqlite_source import Source, holds, opened

NAME = "opencode-db"
T = TypeVar("T")
_TABLES = {
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "data"},
}
_INFO = ("directory", "title", "parent_id", "time_created", "revert")
_revert_decoder = msgspec.json.Decoder(Revert)


def sniff(path: Path, head: bytes) -> bool:
    return holds(path, head, _TABLES)


def read(
    path: Path, since: Mark = Mark(), only: Collection[str] | None = None
) -> Iterator[Session]:
    with opened(path) as source:
        for id in _sessions(source) if only is None else sorted(only):
            yield _session(source, id)


def stamps(path: Path) -> dict[str, str]:
    """For each session a text that changes when it does: how much it holds, and when that was last written."""
    with opened(path) as source:
        updated = source.select("part", ("time_updated",))
        query = (
            f"SELECT m.session_id, count(*), max({_last(updated)}), max(p.rowid) "
            "FROM message m LEFT JOIN part p ON p.message_id = m.id GROUP BY m.session_id"
        )
        parts = {id: "|".join(map(str, rest)) for id, *rest in source.rows(query)}
        columns = source.select("session", ("time_updated", "revert", "title"))
        heads: dict[str, str] = {}
        if source.columns("session"):
            for id, *head in source.rows(f"SELECT id, {columns} FROM session"):
                heads[id] = "|".join(map(str, head))
        return {
            id: f"{parts.get(id, '')}|{heads.get(id, '')}"
            for id in (*parts, *heads)
            if isinstance(id, str)
        }


def _last(column: str) -> str:
    """When a part was last written; its number where that is not kept."""
    return "p.rowid" if column == "NULL" else f"p.{column}"


def _sessions(source: Source) -> list[str]:
    """Also those whose own row is gone."""
    ids = [id for (id,) in source.rows("SELECT DISTINCT session_id FROM message")]
    if source.columns("session"):
        ids += [id for (id,) in source.rows("SELECT id FROM session ORDER BY rowid")]
    return [id for id in dict.fromkeys(ids) if isinstance(id, str)]


def _session(source: Source, id: str) -> Session:
    damage: list[Damage] = []
    placed = _placed(source, id, damage)
    session = assembled(_header(source, id), placed, NAME, str(source.path))
    session.hurt(damage)
    return session.part(Mark())


def _header(source: Source, id: str) -> Info:
    header = Info(id=id)
    if not source.columns("session"):
        return header
    columns = source.select("session", _INFO)
    rows = source.rows(f"SELECT {columns} FROM session WHERE id = ?", id)
    if rows:
        header.directory, header.title, header.parentID, created, revert = rows[0]
        header.time = Span(created=created)
        header.revert = _revert(revert)
    return header


def _revert(text: str | None) -> Revert | None:
    try:
        return _revert_decoder.decode(text) if text else None
    except (msgspec.DecodeError, RecursionError):
        return None


def _placed(source: Source, session: str, damage: list[Damage]) -> Iterator[Placed]:
    """Places are row numbers of parts; of a message that of its first part. Ids grow with time."""
    parts: dict[str, list[tuple[int, Part]]] = defaultdict(list)
    query = (
        "SELECT p.rowid, p.id, p.message_id, p.data FROM part p "
        "JOIN message m ON m.id = p.message_id WHERE m.session_id = ? ORDER BY p.id"
    )
    for place, id, message_id, content in source.rows(query, session):
        part = _decoded(part_decoder, content, place, damage)
        if part is not None:
            part.id = id
            parts[message_id].append((place, part))
    order = "time_created, id" if "time_created" in source.columns("message") else "id"
    query = f"SELECT rowid, id, data FROM message WHERE session_id = ? ORDER BY {order}"
    for row, id, content in source.rows(query, session):
        message = _decoded(message_decoder, content, row, damage)
        if message is not None:
            message.id = id
            placed = parts.get(id, [])
            yield min((place for place, _ in placed), default=row), message, placed


def _decoded(
    decoder: msgspec.json.Decoder[T], content: str, place: int, damage: list[Damage]
) -> T | None:
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, RecursionError, TypeError) as error:
        damage.append(Damage(place, f"not JSON of OpenCode: {error}"))
        return None
