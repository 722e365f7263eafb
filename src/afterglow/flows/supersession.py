"""Replacing items outside a harvest: a writer says so, or a person's decision takes away what had replaced another."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from afterglow.harvest.rejections import is_rejected, rejected_before
from afterglow.harvest.replaced_items import is_replaced, superseded
from afterglow.harvest.supersession import DECIDING, may_replace, resolve
from afterglow.records.knowledge import KnowledgeItem, Status
from afterglow.store.knowledge import Knowledge

HOLDING: tuple[Status, ...] = ("active", "candidate")
DECIDED_ABOUT: tuple[Status, ...] = (*HOLDING, "superseded")
MANY = 500  # items that decide: to compare more takes seconds, and a person waits
MAX_NEAR = 100  # of these, the ones most alike: what contradicts another has nearly all its words


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
    items = _deciding(knowledge) if around is None else _near(knowledge, around)
    keys = {item.key for item in items.values() if item.key}
    rivals = {id for ids in knowledge.of_keys(keys).values() for id in ids}
    links = {item.superseded_by for item in items.values() if item.superseded_by}
    items |= knowledge.find((rivals | links) - items.keys())
    return resolve(items.values(), deleted={*deleted, *(links - items.keys())})


def _deciding(knowledge: Knowledge) -> dict[str, KnowledgeItem]:
    items = knowledge.deciding(DECIDING)
    replaced = knowledge.items(status=("superseded",), evidence=True)
    return items | {item.id: item for item in replaced if is_replaced(item)}


def _near(
    knowledge: Knowledge, around: Collection[KnowledgeItem]
) -> dict[str, KnowledgeItem]:
    """What could replace some items or be replaced by them: all that decides, and of many only what shares their words.
    What has replaced another is linked to it."""
    decided = {item.id for item in around}
    deciding = knowledge.deciding_ids(DECIDING, limit=MANY + 1)
    if len(deciding) > MANY:
        deciding = _sharing_words(knowledge, around)
    links = knowledge.replaced_by(decided).values()
    linked = {id for group in links for id in group}
    return knowledge.find({*decided, *deciding, *linked})


def _sharing_words(
    knowledge: Knowledge, around: Collection[KnowledgeItem]
) -> list[str]:
    texts = {item.remedy or item.fact for item in around}
    hits = [
        hit.item
        for text in texts
        for hit in knowledge.search(text, status=DECIDED_ABOUT, limit=MAX_NEAR)
    ]
    return [item.id for item in hits if item.edited or item.miner in DECIDING]


def _take_part(knowledge: Knowledge, around: Collection[KnowledgeItem]) -> bool:
    """Whether any of them can replace, or has: by its words, by its key, or by a writer's word."""
    ids = {item.id for item in around}
    return bool(knowledge.replaced_by(ids)) or any(
        item.miner in DECIDING or item.edited or item.key or item.superseded_by
        for item in around
    )


def _rejected_in_other_words(
    knowledge: Knowledge, around: Collection[KnowledgeItem] | None
) -> list[KnowledgeItem]:
    """What still holds although a person has rejected the same: saving sets it aside."""
    decided = knowledge.items(status=("retired",)) if around is None else around
    rejected = [item for item in decided if is_rejected(item)]
    if not rejected:
        return []
    holding = (
        knowledge.items(status=HOLDING)
        if around is None
        else _holding_near(knowledge, rejected)
    )
    return [item for item in holding if rejected_before(item, rejected)]


def _holding_near(
    knowledge: Knowledge, rejected: Collection[KnowledgeItem]
) -> list[KnowledgeItem]:
    """What holds where some items were rejected; of many only what shares their words or names the same problem."""
    holding: dict[str, KnowledgeItem] = {}
    for item in rejected:
        repo = item.repo or None
        everything = knowledge.items(status=HOLDING, repo=repo, limit=MANY + 1)
        if len(everything) > MANY:
            hits = knowledge.search(
                f"{item.fact} {item.remedy}", status=HOLDING, repo=repo, limit=MAX_NEAR
            )
            everything = [*(hit.item for hit in hits), *_anchored(knowledge, item)]
        holding |= {each.id: each for each in everything}
    return list(holding.values())


def _anchored(knowledge: Knowledge, item: KnowledgeItem) -> list[KnowledgeItem]:
    """What is about the same error, topic or matter."""
    links = (
        knowledge.of_fingerprints(item.fingerprints),
        knowledge.all_of_topics(item.topics),
        knowledge.of_keys(filter(None, [item.key])),
    )
    ids = {id for link in links for group in link.values() for id in group}
    return [each for each in knowledge.find(ids).values() if each.status in HOLDING]
