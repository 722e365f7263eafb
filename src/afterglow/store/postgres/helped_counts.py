"""How often items were given at a hub, and with which verdict, counted by the database as far as a member may read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any, Literal

from afterglow.records.hub import HubPlace
from afterglow.store.postgres.connection import PostgresConnection, postgres_trouble

By = Literal["person", "repo", "item"]

# Those whose person took them back are nobody's, and are not there.
_NAMES = {"person": "people.name", "repo": "repo", "item": "item"}


def verdict_counts(
    place: HubPlace, by: By, *, since: float, person: str, repo: str, item: str
) -> list[Any]:
    """(name, state, used, met, failed, how often). An empty `person`, `repo` or `item` stands for all."""
    name = _NAMES[by]
    filters = {
        "people.name = ?": person,
        "delivered_items.repo = ?": repo,
        "delivered_items.item = ?": item,
    }
    chosen = {clause: value for clause, value in filters.items() if value}
    where = " AND ".join(["counted = 1", "time >= ?", *chosen])
    query = (
        f"SELECT {name}, state, used, met, failed, count(*) FROM delivered_items "
        "JOIN people ON people.org = delivered_items.org AND people.id = delivered_items.person "
        f"WHERE {where} GROUP BY 1, 2, 3, 4, 5"
    )
    return _rows(place, query, [since, *chosen.values()])


def _rows(place: HubPlace, query: str, values: Sequence[Any]) -> list[Any]:
    with postgres_trouble(place), closing(PostgresConnection(place)) as db:
        return db.execute(query, values).fetchall()
