"""Goose since 1.10: `~/.local/share/goose/sessions/sessions.db`, SQLite, a row a session and a row a message."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.goose.messages import AGENT, Part, Visibility, hear
from afterglow.sessions.sqlite_source import Source, holds, opened
from afterglow.text.times import seconds

NAME = "goose-db"
_TABLES = {
    "sessions": {"id", "working_dir"},
    "messages": {"session_id", "role", "content_json"},
}
_INFO = ("description", "name", "working_dir", "created_at", "session_type")
_MESSAGE = ("id", "role", "content_json", "created_timestamp", "metadata_json")
_HELPERS = {"sub_agent": "subagent", "scheduled": "cron", "hidden": "tool"}

_parts = msgspec.json.Decoder(list[Part])
_visibility = msgspec.json.Decoder(Visibility)


def sniff(path: Path, head: bytes) -> bool:
    return holds(path, head, _TABLES)


def read(
    path: Path, since: Mark = Mark(), only: Collection[str] | None = None
) -> Iterator[Session]:
    with opened(path) as source:
        rows = source.rows("SELECT id FROM sessions ORDER BY rowid")
        ids = [id for (id,) in rows if isinstance(id, str)]
        for id in ids if only is None else sorted(only):
            yield _session(source, id)


def stamps(path: Path) -> dict[str, str]:
    with opened(path) as source:
        counts = (
            "SELECT session_id, max(id), count(*) FROM messages GROUP BY session_id"
        )
        ends = {id: rest for id, *rest in source.rows(counts)}
        columns = source.select("sessions", ("updated_at", "description", "name"))
        return {
            id: "|".join(map(str, (*ends.get(id, ()), *head)))
            for id, *head in source.rows(f"SELECT id, {columns} FROM sessions")
            if isinstance(id, str)
        }


def _session(source: Source, id: str) -> Session:
    session = Assembly(id=id, agent=AGENT, format=NAME, source=str(source.path))
    columns = source.select("sessions", _INFO)
    for row in source.rows(f"SELECT {columns} FROM sessions WHERE id = ?", id):
        description, name, folder, created, kind = row
        session.learn(cwd=folder, title=description or name)
        session.learn(origin=_HELPERS.get(kind or "", ""))
        session.tick(seconds(created))
        if kind in _HELPERS:
            session.voice = "outside"
    columns = source.select("messages", _MESSAGE)
    query = f"SELECT {columns} FROM messages WHERE session_id = ? ORDER BY id"
    for line, role, content, created, metadata in source.rows(query, id):
        try:
            parts = _parts.decode(content)
            visibility = _visibility.decode(metadata) if metadata else Visibility()
        except (msgspec.DecodeError, TypeError, RecursionError) as error:
            session.hurt([Damage(line, f"message not JSON of Goose: {error}")])
            continue
        hear(session, role, parts, line, seconds(created), visibility)
    return session.part(Mark())
