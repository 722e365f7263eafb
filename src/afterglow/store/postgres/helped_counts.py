"""How often items were given at a hub, and with which verdict, counted by the database as far as a member may read."""

from __future__ import annotations

from contextlib import closing
from typing import Any, Literal

from afterglow.records.hub import HubPlace
from afterglow.store.postgres.connection import PostgresConnection, postgres_trouble

By = Literal["person", "repo", "item"]


def verdict_counts(
    place: HubPlace, *, since: float, person: str, repo: str, item: str
) -> dict[By, list[Any]]:
    """By member, repository and item: (name, state, used, met, failed, how often). An empty `person`, `repo` or `item`
    stands for all. Rows are read once for the three."""
    filters = {
        "person = (SELECT id FROM people WHERE name = ?)": person,
        "repo = ?": repo,
        "item = ?": item,
    }
    chosen = {clause: value for clause, value in filters.items() if value}
    where = " AND ".join(["counted = 1", "time >= ?", *chosen])
    verdict = "state, used, met, failed"
    query = (
        f"SELECT person, repo, item, {verdict}, count(*) FROM delivered_items WHERE {where} "
        f"GROUP BY GROUPING SETS ((person, {verdict}), (repo, {verdict}), (item, {verdict}))"
    )
    counts: dict[By, list[Any]] = {"person": [], "repo": [], "item": []}
    with postgres_trouble(place), closing(PostgresConnection(place)) as db:
        names = dict(db.execute("SELECT id, name FROM people").fetchall())
        for member, place_name, item_id, *row in db.execute(
            query, [since, *chosen.values()]
        ):
            if member is not None:
                counts["person"].append((names[member], *row))
            elif place_name is not None:
                counts["repo"].append((place_name, *row))
            else:
                counts["item"].append((item_id, *row))
    return counts
