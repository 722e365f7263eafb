"""A hub in numbers, as far as who asks may see: what is known, what waits, who belongs to it."""

from __future__ import annotations

from msgspec import Struct

from afterglow.store.databases import Database


class HubNumbers(Struct, frozen=True):
    """`items` are those the member may read, by status. `pending` waits to be merged."""

    items: dict[str, int]
    pending: int
    people: int


def hub_numbers(db: Database) -> HubNumbers:
    items = db.execute("SELECT status, count(*) FROM items GROUP BY 1 ORDER BY 1")
    (pending,) = db.execute("SELECT pending_topics()").fetchone()
    (people,) = db.execute(
        "SELECT count(*) FROM people WHERE left_at IS NULL"
    ).fetchone()
    return HubNumbers(dict(items), pending, people)


def stores_mark(db: Database) -> str:
    """Another one whenever an item changed."""
    row = db.execute("SELECT value FROM facts WHERE name = 'change'").fetchone()
    return str(row[0]) if row else ""
