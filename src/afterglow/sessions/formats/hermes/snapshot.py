"""Hermes Agent's JSON snapshots: `sessions/session_<id>.json`, and what `/save` writes.

The same folder holds a mirror of the gateway's routing and dumps of failed requests; neither is a session.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.records.session import Mark, Session
from afterglow.sessions.formats.hermes.rows import Header, build
from afterglow.sessions.formats.hermes.transcript import Row
from afterglow.sessions.json_document import load
from afterglow.text.times import seconds

NAME = "hermes-json"


class _Message(Row, kw_only=True):
    """A message has no row here; an id that an API left in it is something else."""

    id: int = msgspec.field(default=0, name="_place")


class _Snapshot(Struct):
    session_id: str
    messages: list[_Message]
    model: str | None = None
    platform: str | None = None
    session_start: str | float | None = None
    last_updated: str | float | None = None
    title: str | None = None
    parent_session_id: str | None = None


def sniff(path: Path, head: bytes) -> bool:
    return (
        head.lstrip()[:1] == b"{"
        and b'"session_id"' in head
        and b'"session_start"' in head
    )


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    snapshot = load(path, _Snapshot)
    for place, message in enumerate(snapshot.messages, 1):
        message.id = place
    header = Header(
        id=snapshot.session_id,
        source=snapshot.platform,
        model=snapshot.model,
        title=snapshot.title,
        parent_session_id=snapshot.parent_session_id,
        started_at=snapshot.session_start,
    )
    facts: dict[str, str | float] = {"format": NAME, "source": str(path)}
    if (end := seconds(snapshot.last_updated)) is not None:
        facts["end"] = end
    yield from build(header, snapshot.messages, facts)
