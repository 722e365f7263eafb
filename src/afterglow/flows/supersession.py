"""Replacing items outside a harvest: a writer says so, or a person's decision takes away what had replaced another."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from afterglow.harvest.rejections import is_rejected, rejected_before
from afterglow.harvest.supersession import (
    DECIDING,
    is_replaced,
    may_replace,
    resolve,
    superseded,
)
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge


class Superseding(Struct, frozen=True):
    """Which items made place, and why others did not."""

    replaced: tuple[str, ...] = ()
    refused: dict[str, str] = {}


def supersede(
    knowledge: Knowledge, newer: str, older_ids: Iterable[str], *, by: str, now: float
) -> Superseding:
    """A writer says that the item `newer` takes the place of others; inside the caller's transaction, if there is one.

    It holds for as long as the newer one does, whatever harvest finds for the older. What a person said, wrote or
    approved, and what holds elsewhere, stays: that is refused, with the reason.
    """
    ids = dict.fromkeys(older_ids)
    items = knowledge.find({newer, *ids})
    if newer not in items:
        return Superseding(refused=dict.fromkeys(ids, f"{newer} is not there"))
    refused: dict[str, str] = {}
    replaced: list[KnowledgeItem] = []
    for id in ids:
        reason = _refusal(items[newer], items.get(id))
        if reason:
            refused[id] = reason
        else:
            replaced.append(superseded(items[id], items[newer], who=by))
    knowledge.save(replaced, by=by, now=now)
    return Superseding(tuple(item.id for item in replaced), refused)


def _refusal(newer: KnowledgeItem, older: KnowledgeItem | None) -> str:
    """Why the older one stays; empty where it may go."""
    if older is None:
        return "it is not there"
    if older.id == newer.id or newer.superseded_by == older.id:
        return "one of the two has replaced the other already"
    if newer.status != "active":
        return f"{newer.id} is {newer.status}: only what is told replaces"
    if older.status not in {"active", "candidate"}:
        return f"it is {older.status} already"
    if older.decided and not newer.decided:
        return "a person approved it"
    if not may_replace(newer, older):
        return f"{newer.id} rests on a weaker source or holds elsewhere"
    return ""


def resolve_decisions(
    knowledge: Knowledge, *, by: str, now: float, deleted: Collection[str] = ()
) -> int:
    """What decisions do to one another now, after some were taken; how many items changed. What was replaced by one
    that no longer holds comes back."""
    items = knowledge.deciding(DECIDING)
    superseded_items = knowledge.items(status=("superseded",), evidence=True)
    items |= {item.id: item for item in superseded_items if is_replaced(item)}
    keys = {item.key for item in items.values() if item.key}
    rivals = {id for ids in knowledge.of_keys(keys).values() for id in ids}
    links = {item.superseded_by for item in items.values() if item.superseded_by}
    items |= knowledge.find((rivals | links) - items.keys())
    changed = resolve(items.values(), deleted={*deleted, *(links - items.keys())})
    changed += _rejected_in_other_words(knowledge)
    return knowledge.save(changed, by=by, now=now) if changed else 0


def _rejected_in_other_words(knowledge: Knowledge) -> list[KnowledgeItem]:
    """What still holds although a person has rejected the same: saving sets it aside."""
    set_aside = knowledge.items(status=("retired",))
    rejected = [item for item in set_aside if is_rejected(item)]
    if not rejected:
        return []
    holding = knowledge.items(status=("active", "candidate"))
    return [item for item in holding if rejected_before(item, rejected)]
