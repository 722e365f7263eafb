"""Which entries of a memory came from some sessions, by what stands beside them; for forgetting those sessions."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from pathlib import Path

import msgspec

from afterglow.memory.local.schema import open_memory, original
from afterglow.store.databases import trouble

SESSION = "session"  # under which an entry's metadata names the session it came from


def entries_of_sessions(path: Path, sessions: Collection[str]) -> list[tuple[str, str]]:
    """User and key of each."""
    return [(user, key) for user, key, session in _rows(path) if session in sessions]


def sessions_named(path: Path) -> set[str]:
    return {session for _, _, session in _rows(path) if session}


def _rows(path: Path) -> list[tuple[str, str, str]]:
    """User, key and session of every entry."""
    if not path.exists():
        return []
    query = (
        'SELECT name, "key", metadata FROM entries JOIN users ON users.n = entries.user'
    )
    with trouble(path), closing(open_memory(path)) as db:
        rows = db.execute(query).fetchall()
    return [
        (original(user), original(key), _session(metadata))
        for user, key, metadata in rows
    ]


def _session(metadata: bytes) -> str:
    """Metadata may hold anything that a person or agent put there."""
    session = msgspec.json.decode(metadata, type=dict).get(SESSION)
    return session if isinstance(session, str) else ""
