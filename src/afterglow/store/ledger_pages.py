"""The ledger as a person looks through it: to whom one item was given, when, and what became of it."""

from __future__ import annotations

from afterglow.records.delivery import Delivery
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.ledger import Ledger


class LedgerPages(Ledger):
    """An open ledger, to be looked through."""

    def __enter__(self) -> LedgerPages:
        return self

    def of_item(self, id: str) -> list[Delivery]:
        """Those that held an item, in time order; placebos teach nothing and are none of them."""
        return self._read(
            "instr(items, ?) AND NOT placebo", [f'["{storable_text(id)}",']
        )
