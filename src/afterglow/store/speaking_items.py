"""Items that a problem's names or fingerprints lead to, without their evidence, which nobody reads in a list."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import FIELDS, item_of
from afterglow.store.sql_limits import pieces

# What holds, and what waits for a person or for more sessions; the rest says nothing any more.
SPEAKING = "status IN ('active', 'candidate')"
_FIELDS = ", ".join(f'"{name}"' for name in FIELDS)


def speaking_items(
    knowledge: Knowledge, ids: Iterable[str]
) -> dict[str, KnowledgeItem]:
    """Those of `ids` that hold or wait."""
    items: dict[str, KnowledgeItem] = {}
    for piece in pieces(sorted(set(ids))):
        marks = ", ".join("?" * len(piece))
        query = f"SELECT {_FIELDS} FROM items WHERE id IN ({marks}) AND {SPEAKING}"
        for row in knowledge.rows(query, piece):
            item = item_of(row)
            items[item.id] = item
    return items
