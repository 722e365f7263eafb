"""A hub's app over a real database."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub_database import HubDatabase
from web.hub.members import HubSite, hub_over


@pytest.fixture
def site(hub_database: HubDatabase, tmp_path: Path) -> HubSite:
    return HubSite(hub_over(hub_database, tmp_path))
