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
from afterglow.records.knowledge import KnowledgeItem, Status
from afterglow.store.knowledge import Knowledge

HOLDING: tuple[Status, ...] = ("active", "candidate")


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
    knowledge: Knowledge,
    *,
    by: str,
    now: float,
    deleted: Collection[str] = (),
    around: Collection[KnowledgeItem] | None = None,
) -> int:
    """What decisions do to one another now, after some were taken; how many items changed. What was replaced by one
    that no longer holds comes back. `around`: only these were decided about, before and after, so that nothing
    elsewhere can change."""
    changed = _resolved(knowledge, deleted, around)
    changed += _rejected_in_other_words(knowledge, around)
    return knowledge.save(changed, by=by, now=now) if changed else 0


def _resolved(
    knowledge: Knowledge,
    deleted: Collection[str],
    around: Collection[KnowledgeItem] | None,
) -> list[KnowledgeItem]:
    if around is not None and not _take_part(knowledge, around):
        return []
    repos = None if around is None else _places(around)
    items = knowledge.deciding(DECIDING, repos)
    places: list[str | None] = [None] if repos is None else [*repos]
    for repo in places:
        replaced = knowledge.items(status=("superseded",), repo=repo, evidence=True)
        items |= {item.id: item for item in replaced if is_replaced(item)}
    keys = {item.key for item in items.values() if item.key}
    rivals = {id for ids in knowledge.of_keys(keys).values() for id in ids}
    links = {item.superseded_by for item in items.values() if item.superseded_by}
    items |= knowledge.find((rivals | links) - items.keys())
    return resolve(items.values(), deleted={*deleted, *(links - items.keys())})


def _take_part(knowledge: Knowledge, around: Collection[KnowledgeItem]) -> bool:
    """Whether any of them can replace, or has: by its words, by its key, or by a writer's word."""
    ids = {item.id for item in around}
    return bool(knowledge.replaced_by(ids)) or any(
        item.miner in DECIDING or item.edited or item.key or item.superseded_by
        for item in around
    )


def _places(around: Collection[KnowledgeItem]) -> set[str] | None:
    """Where their words weigh: in their repositories, against what holds everywhere; None for everywhere."""
    repos = {item.repo for item in around}
    return None if "" in repos else repos | {""}


def _rejected_in_other_words(
    knowledge: Knowledge, around: Collection[KnowledgeItem] | None
) -> list[KnowledgeItem]:
    """What still holds although a person has rejected the same: saving sets it aside."""
    decided = knowledge.items(status=("retired",)) if around is None else around
    rejected = [item for item in decided if is_rejected(item)]
    if not rejected:
        return []
    repos = {item.repo for item in rejected}
    places: list[str | None] = [None] if "" in repos else [*repos]
    return [
        item
        for repo in places
        for item in knowledge.items(status=HOLDING, repo=repo)
        if rejected_before(item, rejected)
    ]
