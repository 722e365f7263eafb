"""The ledger as a person looks through it: to whom one item was given, when, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.records.delivery import Delivery
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.ledger import Ledger
from afterglow.store.sql_limits import pieces


class LedgerPages(Ledger):
    """An open ledger, to be looked through. Placebos teach nothing, and are left out."""

    def __enter__(self) -> LedgerPages:
        return self

    def of_item(self, id: str) -> list[Delivery]:
        """Those that held an item, in time order."""
        held = "SELECT delivery FROM delivered_items WHERE item = ?"
        deliveries = self._read(f"id IN ({held}) AND placebo = 0", [storable_text(id)])
        # At a hub two people may have deliveries of one id.
        return [
            delivery
            for delivery in deliveries
            if any(entry.item == id for entry in delivery.items)
        ]

    def times_told(self, items: Iterable[str]) -> dict[str, int]:
        """How often each of these was given out; what was said again after a compaction counts once."""
        counts: dict[str, int] = {}
        for batch in pieces(sorted(set(map(storable_text, items)))):
            query = (
                "SELECT item, count(*) FROM delivered_items JOIN deliveries ON id = delivery "
                f"WHERE item IN ({', '.join('?' * len(batch))}) "
                "AND placebo = 0 AND \"when\" <> 'compaction' GROUP BY item"
            )
            with self._trouble():
                counts.update(self._db.execute(query, batch).fetchall())
        return counts
