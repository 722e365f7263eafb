"""What a machine pulls: items in the order of their changes, and ids of those it is to let go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge

# What a team says to its machines. One person's findings that wait for a second one are on that person's machine
# already; what the hub let go for want of support is nobody else's business.
GIVEN = (
    "(status IN ('active', 'superseded', 'quarantined') OR decided <> 0 OR edited <> 0)"
)


class PulledItems(Struct, frozen=True):
    """Up to `change`; where `last` is said, of that change only those up to this id."""

    items: tuple[KnowledgeItem, ...]
    gone_ids: tuple[str, ...]
    change: int
    last: str
    more: bool


def pulled_items(
    knowledge: Knowledge, after: int, last: str, limit: int
) -> PulledItems:
    """Those that changed after `after`, or in it where they come behind `last`. Changes are numbered in the order of
    commits, so none up to the one that is read first can still appear."""
    now = int(knowledge.fact("change"))
    behind, values = _behind(after, last)
    query = (
        f"SELECT id, change FROM items WHERE {behind} AND change <= ? AND {GIVEN} "
        "ORDER BY change, id LIMIT ?"
    )
    rows = knowledge.rows(query, [*values, now, limit + 1])
    more = len(rows) > limit
    ids = [id for id, _ in rows[:limit]]
    upto, behind_id = (rows[limit - 1][1], ids[-1]) if more else (now, "")
    items = knowledge.find(ids)
    return PulledItems(
        items=tuple(items[id] for id in ids if id in items),
        gone_ids=_gone(knowledge, after, upto),
        change=upto,
        last=behind_id,
        more=more,
    )


def _behind(after: int, last: str) -> tuple[str, Sequence[Any]]:
    if not last:
        return "change > ?", [after]
    return "(change > ? OR (change = ? AND id > ?))", [after, after, last]


def _gone(knowledge: Knowledge, after: int, upto: int) -> tuple[str, ...]:
    """What was taken out or moved, and what is not given any more; not what is there again."""
    query = (
        f"SELECT id FROM items WHERE change >= ? AND change <= ? AND NOT {GIVEN} UNION "
        "SELECT id FROM gone_items g WHERE g.change >= ? AND g.change <= ? AND NOT EXISTS ("
        f"SELECT 1 FROM items i WHERE i.org = g.org AND i.id = g.id AND {GIVEN}) ORDER BY 1"
    )
    return tuple(id for (id,) in knowledge.rows(query, [after, upto, after, upto]))
