"""A store by its place: a file at home, or a hub's database. The same statements work in both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from afterglow.records.hub import HubPlace
from afterglow.store.databases import (
    Database,
    Migration,
    move_away,
    open_database,
    trouble,
)
from afterglow.store.postgres.connection import PostgresConnection, postgres_trouble

Place = Path | HubPlace


def open_store(
    place: Place,
    what: str,
    application: int,
    migrations: Sequence[Migration],
    *,
    patience: float = 30.0,
    decides: bool = False,
) -> Database:
    """As `open_database`. The layout of a hub is made and upgraded by its admin, not by whoever opens it."""
    if isinstance(place, HubPlace):
        return PostgresConnection(place, patience=patience)
    return open_database(
        place, what, application, migrations, patience=patience, decides=decides
    )


def store_trouble(
    place: Place, way_back: Callable[[Path], str] = move_away
) -> AbstractContextManager[None]:
    """What the database says, in words that help."""
    if isinstance(place, HubPlace):
        return postgres_trouble(place)
    return trouble(place, way_back)
