"""The two places a store may have: a file at home, and a hub's database under the app's role. Contract tests run over
both; what only a file has (damage, layouts, locks) is tested with files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterglow.records.hub import HubPlace
from afterglow.store.open_store import Place
from afterglow.store.postgres.connection import PostgresConnection

BOTH = ["file", pytest.param("hub", marks=pytest.mark.slow)]


def place_of_kind(
    kind: str, request: pytest.FixtureRequest, file: Path, repos: tuple[str, ...]
) -> Place:
    """The file, or the hub with these repositories, asked by a member who may everything."""
    if kind == "file":
        return file
    place: HubPlace = request.getfixturevalue("hub_database").ada
    db = PostgresConnection(place)
    db.executemany(
        "INSERT INTO repositories (name) VALUES (?) ON CONFLICT DO NOTHING",
        [(repo,) for repo in repos],
    )
    db.close()
    return place


def words_of(place: Place) -> list[str]:
    """By which another process finds the place."""
    if isinstance(place, HubPlace):
        return [place.url, place.token]
    return [str(place), ""]


# Begins a program that is handed `words_of` a place.
PLACE_IN_PROGRAM = """
import sys
from pathlib import Path
from afterglow.records.hub import HubPlace
address, token = sys.argv[1:3]
place = HubPlace(address, token=token) if token else Path(address)
"""
