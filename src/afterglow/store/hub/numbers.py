"""A hub in numbers, as far as who asks may see: what is known, what waits, who belongs to it."""

from __future__ import annotations

from msgspec import Struct

from afterglow.store.databases import Database


class HubNumbers(Struct, frozen=True):
    """`pending` waits to be merged."""

    pending: int
    people: int


def hub_numbers(db: Database) -> HubNumbers:
    (pending,) = db.execute("SELECT pending_topics()").fetchone()
    (people,) = db.execute(
        "SELECT count(*) FROM people WHERE left_at IS NULL"
    ).fetchone()
    return HubNumbers(pending, people)


def item_counts(db: Database) -> dict[str, int]:
    """By status, of those that the member may read. All of them are looked at."""
    return dict(db.execute("SELECT status, count(*) FROM items GROUP BY 1 ORDER BY 1"))


def stores_mark(db: Database) -> str:
    """Another one whenever an item changed."""
    row = db.execute("SELECT value FROM facts WHERE name = 'change'").fetchone()
    return str(row[0]) if row else ""
