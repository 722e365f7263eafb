"""Where tests of the knowledge store keep it: in a file, and at a hub as a member who reviews everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from afterglow.config import Config
from afterglow.records.hub import HubPlace
from hub_database import HubDatabase

PLACES = ("file", pytest.param("hub", marks=pytest.mark.slow))
REPOSITORIES = ("acme/app", "acme/pier", "acme/web", "harbor", "pier", "x")


@pytest.fixture(params=PLACES)
def knowledge_place(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Path | HubPlace]:
    if request.param == "file":
        yield tmp_path / "kept" / "knowledge.db"
        return
    hub = request.getfixturevalue("hub_database")
    register(hub, *REPOSITORIES)
    yield hub.ada


@pytest.fixture
def stores_config(knowledge_place: Path | HubPlace, tmp_path: Path) -> Config:
    """Of Ada, whose stores are at home or at a hub."""
    hub = knowledge_place if isinstance(knowledge_place, HubPlace) else None
    return Config(
        home=tmp_path / "kept", user_home=tmp_path / "home", person="Ada", hub=hub
    )


def register(hub: HubDatabase, *repos: str) -> None:
    """As taking in contributions of these repositories does."""
    with psycopg.connect(hub.superuser, autocommit=True) as db:
        for repo in repos:
            db.execute(
                "INSERT INTO afterglow.repositories VALUES (%s, %s) ON CONFLICT DO NOTHING",
                [hub.orgs["acme"], repo],
            )
