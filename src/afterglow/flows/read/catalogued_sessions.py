"""sessions: list what the catalogue holds, and open one of them."""

from __future__ import annotations

from pathlib import Path

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.records.catalog import Entry
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.session import Session
from afterglow.sessions import load
from afterglow.store.catalog import Catalog


def list_sessions(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    limit: int | None = None,
    everything: bool = False,
) -> list[Entry]:
    """Newest first."""
    with Catalog(config.catalog) as catalog:
        return catalog.entries(selection, all=everything, newest=limit)


def open_session(config: Config, name: str) -> tuple[Entry, Session]:
    """The session whose id is, or starts with, `name`, read from its source."""
    with Catalog(config.catalog) as catalog:
        entries = catalog.find(name)
    if not entries:
        raise NotFound(
            f"no session {name!r}; `afterglow sessions list` shows what there is, `afterglow scan` finds more"
        )
    if len(entries) > 1:
        same = len({entry.id for entry in entries}) < len(entries)
        examples = ", ".join(
            entry.source if same else entry.id for entry in entries[:5]
        )
        hint = "name the file" if same else "say more of the id"
        raise NotFound(
            f"{name!r} fits {len(entries)}{'+' if len(entries) == 20 else ''} sessions: {examples}; {hint}"
        )
    entry = entries[0]
    path = Path(entry.source)
    if not path.exists():
        raise NotFound(
            f"{entry.source} is gone; the catalogue still has its profile: `afterglow sessions list --all --json`"
        )
    for session in load(path, only={entry.id}):
        if session.id == entry.id:
            return entry, session
    raise NotFound(f"{entry.source} no longer holds {entry.id}; scan again")
