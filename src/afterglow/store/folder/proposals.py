"""Items that a folder brings: what a person wrote there, and what somebody proposed.

A proposal is a candidate of the lowest trust. It has no topics, so that no session lends its weight to it, and an id of
the words it proposes, so that the same change is the same proposal at every sync.
"""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b

from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem, Status, is_approved, may_be_told
from afterglow.store.folder.authors import Author
from afterglow.store.folder.names import Place
from afterglow.store.folder.plan import (
    FOLDER,
    PROPOSED,
    PlacedBullet,
    Proposal,
    Words,
    told,
    words_of,
)

SURE = 0.9  # the confidence of what a person wrote
OPEN = 0.5  # of what nobody has judged yet


def is_shown(item: KnowledgeItem, statuses: Collection[Status]) -> bool:
    """Whether a folder of these statuses shows it: as active only what may be told anywhere."""
    if item.status == "active" and not may_be_told(item):
        return False
    return item.status in statuses


def needs_approval(item: KnowledgeItem) -> bool:
    """Held back for what it says, until a person approves exactly that."""
    is_risky = bool(item.risk) and not is_approved(item)
    return item.status == "quarantined" or is_risky


def differing(words: Words, *sides: Words) -> list[str]:
    """The parts in which words differ from every one of the others."""
    return [
        name
        for name in Words._fields
        if all(getattr(words, name) != getattr(side, name) for side in sides)
    ]


def digest_id(*parts: str) -> str:
    text = "\0".join(parts)
    return "k" + blake2b(text.encode("utf-8", "replace"), digest_size=5).hexdigest()


def proposal_id(item: str, words: Words) -> str:
    return digest_id(
        item, words.fact, words.category, told(words.tags), *map(str, words.place)
    )


def written_item(id: str, words: Words, now: float) -> KnowledgeItem:
    """What a person wrote."""
    return KnowledgeItem(
        id=id,
        fact=words.fact,
        category=words.category,
        status="active",
        reason="written in the folder",
        confidence=SURE,
        tags=words.tags,
        first_seen=now,
        last_confirmed=now,
        trust="user",
        decided=True,
        edited=True,
    )


def proposed_item(
    id: str, words: Words, now: float, item: KnowledgeItem | None
) -> KnowledgeItem:
    """What somebody proposed: new, or in the place of `item`."""
    return KnowledgeItem(
        id=id,
        fact=words.fact,
        category=words.category,
        status="candidate",
        reason=f"{PROPOSED}; it would change {item.id}" if item else PROPOSED,
        confidence=OPEN,
        tags=words.tags,
        first_seen=now,
        last_confirmed=now,
        related=(item.id,) if item else (),
        agent=item.agent if item else "",
        trust="external",
        miner=FOLDER,
    )


def taken_proposal(proposal: KnowledgeItem, item: str) -> KnowledgeItem:
    """Approved: its words are the item's now."""
    return replace(
        proposal, status="superseded", superseded_by=item, reason=f"taken into {item}"
    )


def proposal_of(
    proposal: KnowledgeItem,
    placed: PlacedBullet,
    author: Author,
    item: KnowledgeItem | None,
) -> Proposal:
    """As a person is shown it: what it says, who wrote it, and what it would change."""
    return Proposal(
        id=proposal.id,
        where=placed.where,
        by=author.who,
        sign=author.sign,
        after=_text(words_of(proposal), item),
        before=_text(words_of(item), proposal) if item else "",
        item=item.id if item else "",
    )


def _text(words: Words, counterpart: KnowledgeItem | None) -> str:
    """The words, and of the rest what differs from the other side."""
    parts = [words.fact]
    theirs = words_of(counterpart) if counterpart else words
    if words.category != theirs.category:
        parts.append(f"({words.category})")
    if words.tags != theirs.tags:
        parts.append(f"tags: {told(words.tags)}")
    if words.place != theirs.place:
        parts.append(f"in: {' '.join(filter(None, words.place))}")
    return " ".join(parts)


def stood_by(item: KnowledgeItem) -> KnowledgeItem:
    """A person stands by it: what was only proposed is theirs then."""
    decided = replace(item, status="active", reason="kept in the folder", decided=True)
    if item.miner != FOLDER:
        return decided
    return replace(decided, trust="user", confidence=SURE, edited=True)


def moved(item: KnowledgeItem, place: Place) -> KnowledgeItem:
    """The item where its bullet stands: in a repo's file it still holds for the agents it held for."""
    if place.kind == "repos":
        return replace(item, repo=place.name)
    return replace(item, repo="", agent=place.name if place.kind == "agents" else "")
