"""knowledge: read, search and review what is kept. Decisions are a person's: harvest leaves them alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.supersession import resolve_decisions
from afterglow.records.knowledge import (
    STATUSES,
    Category,
    Change,
    KnowledgeItem,
    Status,
    approval_mark,
    waits_for_approval,
)
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_counts import Counts, Hit

PERSON = "person"
CONFIDENCE_OF_APPROVAL = (
    0.8  # at least, by a person's word: surer than any single session
)
ACTIVE: tuple[Status, ...] = ("active",)


class Listing(Struct, frozen=True, rename={"statuses": "kept"}):
    """Some items, and whether there are `more`; where there are none, how many the store holds in each status."""

    items: tuple[KnowledgeItem, ...]
    more: bool = False
    statuses: dict[str, int] = {}


class ItemWithHistory(Struct, frozen=True):
    """A whole item, what happened to it, oldest first, and its chain: what it `replaces`, the latest first, and what
    replaced it (`replaced_by`), the last of which is told."""

    item: KnowledgeItem
    history: tuple[Change, ...]
    replaces: tuple[KnowledgeItem, ...] = ()
    replaced_by: tuple[KnowledgeItem, ...] = ()


class Decision(Struct, frozen=True):
    """An item before and after a person decided about it; nothing after it was deleted."""

    before: KnowledgeItem
    after: KnowledgeItem | None

    @property
    def changed(self) -> bool:
        return self.before != self.after


class Stats(Struct, frozen=True, kw_only=True):
    """What the store holds. `covered` of the `sessions` in the catalogue taught something; `problems` is what the
    integrity check says."""

    counts: Counts
    covered: int
    sessions: int
    problems: tuple[str, ...] = ()


def list_items(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    status: Collection[Status] | None = ACTIVE,
    category: Category | None = None,
    tag: str | None = None,
    min_confidence: float | None = None,
    limit: int = 20,
) -> Listing:
    """What holds in the repository and for the agent selected, the strongest first; `status` None means whatever."""
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(
            status=status,
            repo=repo_named(knowledge, selection.repo),
            agent=selection.agent,
            category=category,
            tag=tag,
            min_confidence=min_confidence,
            limit=limit + 1,
        )
        return Listing(
            tuple(items[:limit]),
            len(items) > limit,
            {} if items else knowledge.counts().status,
        )


def search(
    config: Config,
    words: str,
    selection: Selection = EVERYTHING,
    *,
    status: Collection[Status] | None = ACTIVE,
    category: Category | None = None,
    limit: int = 20,
) -> list[Hit]:
    """The most relevant first."""
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.search(
            words,
            status=status or STATUSES,
            repo=repo_named(knowledge, selection.repo),
            agent=selection.agent,
            category=category,
            limit=limit,
        )


def show(config: Config, ids: Sequence[str]) -> list[ItemWithHistory]:
    with Knowledge(config.knowledge) as knowledge:
        return [
            ItemWithHistory(
                item,
                tuple(knowledge.history(item.id)),
                tuple(_replaced_before(knowledge, item)),
                tuple(_replaced_later(knowledge, item)),
            )
            for item in named(knowledge, ids)
        ]


def _replaced_before(knowledge: Knowledge, item: KnowledgeItem) -> list[KnowledgeItem]:
    """What made place for an item, and for that in turn."""
    chain: dict[str, KnowledgeItem] = {}
    level = [item.id]
    while level:
        links = knowledge.replaced_by(level)
        ids = {id for group in links.values() for id in group} - {item.id}
        earlier = knowledge.find(ids - chain.keys())
        level = list(earlier)
        chain |= earlier
    latest_first = sorted(
        chain.values(), key=lambda link: -(link.last_confirmed or 0.0)
    )
    return [replace(link, evidence=()) for link in latest_first]


def _replaced_later(knowledge: Knowledge, item: KnowledgeItem) -> list[KnowledgeItem]:
    """What took an item's place, and that one's."""
    chain: dict[str, KnowledgeItem] = {}
    link = item
    while link.superseded_by and link.superseded_by not in {item.id, *chain}:
        following = knowledge.find([link.superseded_by])
        if not following:
            break
        chain |= following
        link = following[link.superseded_by]
    return [replace(link, evidence=()) for link in chain.values()]


def approve(
    config: Config,
    ids: Sequence[str],
    *,
    note: str = "",
    even_quarantined: bool = False,
    risky: bool = False,
    now: float | None = None,
) -> list[Decision]:
    """Makes items active for good and confirms them as of now. What a screen held back, and what is risky, has to be
    asked for by name. What is approved are the words as they stand: other words have to be approved again."""
    now = time.time() if now is None else now
    words = _clean(config, note)

    def approved(item: KnowledgeItem) -> KnowledgeItem:
        if item.status == "quarantined" and not even_quarantined:
            raise UsageError(
                f"{item.id} is quarantined: {item.reason or 'no reason kept'}; nothing was changed. "
                f"Read `afterglow knowledge explain {item.id}`; --even-quarantined approves it all the same"
            )
        if needs_risky(item) and not risky:
            raise UsageError(
                f"{item.id} is risky: {item.risk}; nothing was changed. Its words are: {item.fact!r}. "
                f"Read `afterglow knowledge explain {item.id}`; --risky approves exactly these words"
            )
        holds = (
            None if item.expires is not None and item.expires <= now else item.expires
        )
        sure = max(item.confidence, CONFIDENCE_OF_APPROVAL)
        return replace(
            _decided(item, "active", "approved", words),
            confidence=sure,
            last_confirmed=now,
            expires=holds,
            approved=approval_mark(item),
        )

    return _decide(config, ids, approved, now)


def needs_risky(item: KnowledgeItem) -> bool:
    """Whether to approve an item takes more than a word: its remedy is risky, and not merely unknown."""
    from afterglow.harvest.risk import is_merely_unknown

    return waits_for_approval(item) and not is_merely_unknown(item.risk)


def reject(
    config: Config, ids: Sequence[str], *, why: str, now: float | None = None
) -> list[Decision]:
    """Wrong or useless from the start: it is not offered again, however often harvest meets it."""
    words = _reason(config, why)
    return _decide(
        config, ids, lambda item: _decided(item, "retired", "rejected", words), now
    )


def retire(
    config: Config, ids: Sequence[str], *, why: str, now: float | None = None
) -> list[Decision]:
    """True once, no longer."""
    words = _reason(config, why)
    return _decide(
        config, ids, lambda item: _decided(item, "retired", "retired", words), now
    )


def delete(
    config: Config, ids: Sequence[str], *, why: str, now: float | None = None
) -> list[Decision]:
    """Takes items out of every store with all their words; what stays are hashes that keep them from coming back."""
    from afterglow.flows.forget import forget_items

    words = _reason(config, why)
    with Knowledge(config.knowledge) as knowledge:
        items = named(knowledge, ids)
    forget_items(config, items, why=words, now=now)
    return [Decision(item, None) for item in items]


def stats(config: Config) -> Stats:
    with Catalog(config.catalog) as catalog:
        sessions = {entry.id for entry in catalog.entries()}
    with Knowledge(config.knowledge) as knowledge:
        return Stats(
            counts=knowledge.counts(),
            covered=len(knowledge.of_sessions(sessions)),
            sessions=len(sessions),
            problems=tuple(knowledge.check()),
        )


def repo_named(knowledge: Knowledge, repo: str | None) -> str | None:
    """The repo of that name, or of that name under whichever owner."""
    if not repo or "/" in repo or knowledge.items(repo=repo, limit=1):
        return repo
    repos = knowledge.counts().repo
    owned = sorted(name for name in repos if name.rpartition("/")[2] == repo)
    if len(owned) > 1:
        raise UsageError(
            f"{repo!r} fits {', '.join(owned)}; name one of them with its owner"
        )
    return owned[0] if owned else repo


def _decide(
    config: Config,
    ids: Sequence[str],
    change: Callable[[KnowledgeItem], KnowledgeItem],
    now: float | None,
) -> list[Decision]:
    """All of them or none."""
    when = time.time() if now is None else now
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        decisions = [Decision(item, change(item)) for item in named(knowledge, ids)]
        changed = [
            decision.after
            for decision in decisions
            if decision.after is not None and decision.changed
        ]
        if changed:
            knowledge.save(changed, by=PERSON, now=when)
            resolve_decisions(knowledge, by=PERSON, now=when)
    return decisions


def _decided(
    item: KnowledgeItem, status: Status, verdict: str, words: str
) -> KnowledgeItem:
    if item.status == status and item.decided:
        return item
    later = (
        item.superseded_by if status != "active" else ""
    )  # a person who approves it says that it holds
    reason = f"{verdict}: {words}" if words else f"{verdict} by a person"
    return replace(
        item, status=status, reason=reason, superseded_by=later, decided=True
    )


def _reason(config: Config, why: str) -> str:
    if not why.strip():
        raise UsageError("say why, in a few words: --why 'the flag is back since 2.0'")
    return _clean(config, why)


def _clean(config: Config, words: str) -> str:
    """A person's reason, kept like everything that is kept: without secrets."""
    if not words.strip():
        return ""
    from afterglow.flows.redactor import redactor_of

    return redactor_of(config).redact(words.strip()).text


def named(knowledge: Knowledge, ids: Sequence[str]) -> list[KnowledgeItem]:
    """The items of some ids or beginnings of ids, each once."""
    return list({item.id: item for item in map(knowledge.get, ids)}.values())
