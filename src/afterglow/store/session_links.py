"""What other stores know of sessions, by their ids: what they were given, what rests on them. Opened for reading only, so
that looking through a list makes, changes and waits for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from afterglow.store.databases import open_read_only, trouble
from afterglow.store.sql_limits import pieces

_DELIVERIES = (
    "SELECT session, count(*) FROM deliveries WHERE session <> '' GROUP BY session"
)
_DELIVERIES_TO = (
    "SELECT session, count(*) FROM deliveries WHERE session <> '' AND session IN ({}) "
    "GROUP BY session"
)
# From one session to the next along the index: many pieces of evidence stand in each.
_TEACHING = """
WITH RECURSIVE teaching (session) AS (
  SELECT min(session) FROM evidence
  UNION ALL
  SELECT (SELECT min(session) FROM evidence WHERE evidence.session > teaching.session)
  FROM teaching WHERE teaching.session IS NOT NULL
)
SELECT session FROM teaching WHERE session IS NOT NULL
"""
_ITEMS = "SELECT session, count(DISTINCT item) FROM evidence WHERE session IN ({}) GROUP BY session"


def deliveries_by_session(ledger: Path) -> dict[str, int]:
    """How many contexts and hints each session was given."""
    return dict(_rows(ledger, _DELIVERIES))


def deliveries_to_sessions(ledger: Path, sessions: Sequence[str]) -> dict[str, int]:
    """How many contexts and hints each of these was given."""
    counts: dict[str, int] = {}
    for piece in pieces(sessions):
        marks = ", ".join("?" * len(piece))
        counts.update(_rows(ledger, _DELIVERIES_TO.format(marks), piece))
    return counts


def teaching_sessions(knowledge: Path) -> list[str]:
    """The sessions that something which is kept rests on."""
    return [session for (session,) in _rows(knowledge, _TEACHING)]


def items_by_session(knowledge: Path, sessions: Sequence[str]) -> dict[str, int]:
    """How many items rest on each of these sessions."""
    counts: dict[str, int] = {}
    for piece in pieces(sessions):
        marks = ", ".join("?" * len(piece))
        counts.update(_rows(knowledge, _ITEMS.format(marks), piece))
    return counts


def _rows(path: Path, query: str, values: Sequence[Any] = ()) -> list[Any]:
    if not path.exists():
        return []
    with trouble(path), closing(open_read_only(path)) as db:
        return db.execute(query, values).fetchall()
