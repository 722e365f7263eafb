"""hub_stores: the stores of a hub, opened for as long as it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from afterglow.flows.hub.merge_contributions import merge_pending
from afterglow.flows.hub.server_addresses import merging_places
from afterglow.records.hub import HubPlace
from afterglow.store.hub.migrations import check_layout
from afterglow.store.postgres.connection import pool_numbers, pooled

MERGING_CONNECTIONS = 2  # one that merges, one that looks what there is to merge


@contextmanager
def hub_stores(
    app_url: str, merge_url: str, connections: int
) -> Iterator[Callable[[], int]]:
    """Up to so many connections for requests are shared meanwhile. Given is a step of merging, for every organisation:
    how much it worked off."""
    check_layout(HubPlace(app_url))

    def merge() -> int:
        return sum(map(merge_pending, merging_places(merge_url)))

    with pooled(app_url, connections), pooled(merge_url, MERGING_CONNECTIONS):
        yield merge


def connection_numbers(place: HubPlace) -> dict[str, int]:
    """How many connections to the database there are, how many nobody uses, how many requests wait for one."""
    return pool_numbers(place.url)
