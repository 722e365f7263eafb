"""What of one's own knowledge a hub may hear of beside findings: lessons that were written, and what people decided."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge

HOLDING = ("active", "candidate")


def lessons(knowledge: Knowledge, miners: Iterable[str]) -> list[KnowledgeItem]:
    """Items of these that hold or wait."""
    names = sorted(miners)
    query = (
        f"SELECT id FROM items WHERE status IN ({_marks(HOLDING)}) "
        f"AND miner IN ({_marks(names)}) ORDER BY id"
    )
    return _whole(knowledge, query, [*HOLDING, *names])


def decided(knowledge: Knowledge) -> list[KnowledgeItem]:
    """Items that a person decided about, or whose words a person wrote."""
    return _whole(knowledge, "SELECT id FROM items WHERE decided OR edited", [])


def _whole(
    knowledge: Knowledge, query: str, values: Iterable[str]
) -> list[KnowledgeItem]:
    ids = sorted(id for (id,) in knowledge.rows(query, list(values)))
    items = knowledge.find(ids)
    return [items[id] for id in ids if id in items]


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
