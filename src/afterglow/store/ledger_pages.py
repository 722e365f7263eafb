"""The ledger as a person looks through it: to whom one item was given, when, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.records.delivery import Delivery
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.ledger import Ledger
from afterglow.store.sql_limits import pieces


class LedgerPages(Ledger):
    """An open ledger, to be looked through."""

    def __enter__(self) -> LedgerPages:
        return self

    def of_item(self, id: str) -> list[Delivery]:
        """Those that held an item, in time order; placebos teach nothing and are none of them."""
        return self._read(
            "id IN (SELECT delivery FROM delivered_items WHERE item = ?) AND NOT placebo",
            [storable_text(id)],
        )

    def times_told(self, items: Iterable[str]) -> dict[str, int]:
        """How many deliveries held each of these items; those that none held are left out."""
        counts: dict[str, int] = {}
        for piece in pieces([storable_text(id) for id in items]):
            marks = ", ".join("?" * len(piece))
            query = f"SELECT item, count(*) FROM delivered_items WHERE item IN ({marks}) GROUP BY item"
            with self._trouble():
                counts.update(self._db.execute(query, piece).fetchall())
        return counts
