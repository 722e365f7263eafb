"""The store's door for what a person rejected or deleted: it does not come in again in other words.

Whoever saves, the same question is asked: miners, writers, import and sync. What a person decided about or wrote
themselves passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem, Status
from afterglow.store.knowledge_rows import FIELDS, item_of

HOLDING: tuple[Status, ...] = ("active", "candidate", "superseded")
DELETED = "says what a person deleted"

_ITEM = ", ".join(f'"{name}"' for name in FIELDS)
_SET_ASIDE = f"SELECT {_ITEM} FROM items WHERE decided <> 0 AND status = 'retired'"

Rows = Callable[[str], list[Any]]
Buried = Callable[[Iterable[str]], set[str]]


def without_rejected(
    items: dict[str, KnowledgeItem], rows: Rows, buried: Buried
) -> dict[str, KnowledgeItem]:
    """The items as they may be saved: what says the same as a rejected or a deleted one is set aside. `rows` answers a
    query of the store, `buried` which marks are of what was deleted."""
    undecided = [item for item in items.values() if _is_undecided(item)]
    if not undecided:
        return items
    # A store is opened at every start of a session, and hardly ever written there.
    from afterglow.harvest.rejections import is_rejected, marks_of, rejected_before

    set_aside = map(item_of, rows(_SET_ASIDE))
    rejected = [item for item in set_aside if is_rejected(item)]
    marks = {item.id: marks_of(item) for item in undecided}
    deleted = buried({mark for group in marks.values() for mark in group})
    saved = dict(items)
    for item in undecided:
        before = rejected_before(item, rejected)
        if not marks[item.id].isdisjoint(deleted):
            saved[item.id] = _set_aside(item, DELETED)
        elif before is not None:
            reason = f"says what a person {before.reason} ({before.id})"
            saved[item.id] = _set_aside(item, reason)
    return saved


def _is_undecided(item: KnowledgeItem) -> bool:
    """What a person decided about or wrote passes."""
    return item.status in HOLDING and not item.decided and not item.edited


def _set_aside(item: KnowledgeItem, reason: str) -> KnowledgeItem:
    return replace(item, status="retired", reason=reason, superseded_by="")
