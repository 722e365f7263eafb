"""A hub's app over a real database: one for a test, or one for all tests of a module that only look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from afterglow.store.postgres.connection import pooled
from hub_database import HubDatabase, HubTemplate, copied_hub
from web.hub.members import HubSite, bring_items, hub_over

CONNECTIONS = 4  # a test asks one thing after another


@pytest.fixture
def site(hub_database: HubDatabase, tmp_path: Path) -> Iterator[HubSite]:
    with pooled(hub_database.app.url, CONNECTIONS):
        yield HubSite(hub_over(hub_database, tmp_path))


@pytest.fixture(scope="module")
def shared_database(hub_template: HubTemplate) -> Iterator[HubDatabase]:
    """With a few items. Nothing that others look at may be changed in it."""
    with copied_hub(hub_template) as hub:
        bring_items(hub)
        yield hub


@pytest.fixture
def shared_site(shared_database: HubDatabase, tmp_path: Path) -> Iterator[HubSite]:
    with pooled(shared_database.app.url, CONNECTIONS):
        yield HubSite(hub_over(shared_database, tmp_path))
