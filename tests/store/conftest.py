"""Where the tests of the knowledge store keep it: in a file, and at a hub as a member who reviews everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from afterglow.records.hub import HubPlace
from hub_database import HubDatabase

PLACES = ("file", pytest.param("hub", marks=pytest.mark.slow))
REPOSITORIES = ("acme/app", "acme/web", "harbor")


@pytest.fixture(params=PLACES)
def knowledge_place(request: pytest.FixtureRequest) -> Path | HubPlace:
    if request.param == "hub":
        return request.getfixturevalue("hub_place")
    return request.getfixturevalue("tmp_path") / "home" / "knowledge.db"


@pytest.fixture
def hub_place(hub_database: HubDatabase) -> Iterator[HubPlace]:
    register(hub_database, *REPOSITORIES)
    yield hub_database.ada


def register(hub: HubDatabase, *repos: str) -> None:
    """As taking in contributions of these repositories does."""
    with psycopg.connect(hub.superuser, autocommit=True) as db:
        for repo in repos:
            db.execute(
                "INSERT INTO afterglow.repositories VALUES (%s, %s) ON CONFLICT DO NOTHING",
                [hub.orgs["acme"], repo],
            )
