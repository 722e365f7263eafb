"""sessions: list what the catalogue holds, and open one of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.records.catalog import Entry
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.session import Session
from afterglow.sessions import load
from afterglow.store.catalog import Catalog

MAX_MATCHES = 20  # that the catalogue gives for a name
MAX_EXAMPLES = 5  # of sessions a name fits: enough to see how they differ


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
    entry = find_session(config, name)
    return entry, read_session(entry.source, entry.id)


def find_session(config: Config, name: str) -> Entry:
    """What the catalogue knows of the session whose id is, or starts with, `name`."""
    with Catalog(config.catalog) as catalog:
        entries = catalog.find(name)
    if not entries:
        raise NotFound(
            f"no session {name!r}; `afterglow sessions list` shows what there is, `afterglow scan` finds more"
        )
    if len(entries) > 1:
        raise NotFound(_several(name, entries))
    return entries[0]


def read_session(source: str, id: str) -> Session:
    try:
        sessions = load(Path(source), only={id})
    except FileNotFoundError as error:
        raise NotFound(
            f"{source} is gone; the catalogue still has its profile: `afterglow sessions list --all --json`"
        ) from error
    for session in sessions:
        if session.id == id:
            return session
    raise NotFound(f"{source} no longer holds {id}; scan again")


def _several(name: str, entries: Sequence[Entry]) -> str:
    """Sessions of one id are told apart by their files."""
    same_id = len({entry.id for entry in entries}) < len(entries)
    if same_id:
        examples, hint = [entry.source for entry in entries], "name the file"
    else:
        examples, hint = [entry.id for entry in entries], "say more of the id"
    more = "+" if len(entries) == MAX_MATCHES else ""
    listed = ", ".join(examples[:MAX_EXAMPLES])
    return f"{name!r} fits {len(entries)}{more} sessions: {listed}; {hint}"
