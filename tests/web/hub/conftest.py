"""A hub's app over a real database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from afterglow.store.postgres.connection import pooled
from hub_database import HubDatabase
from web.hub.members import HubSite, hub_over

CONNECTIONS = 4  # a test asks one thing after another


@pytest.fixture
def site(hub_database: HubDatabase, tmp_path: Path) -> Iterator[HubSite]:
    with pooled(hub_database.app.url, CONNECTIONS):
        yield HubSite(hub_over(hub_database, tmp_path))
