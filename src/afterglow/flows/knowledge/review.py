"""knowledge: read and search what is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.session import known_repo, repo_of
from afterglow.flows.told_knowledge import own_history, told_knowledge
from afterglow.records.knowledge import (
    STATUSES,
    Category,
    Change,
    KnowledgeItem,
    Status,
)
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_counts import Counts, Hit
from afterglow.store.search import Wanted

ACTIVE: tuple[Status, ...] = ("active",)


class Listing(Struct, frozen=True, rename={"statuses": "kept"}):
    """Some items, and whether there are `more`; where there are none, how many the store holds in each status. Those of
    the repository `here` come first."""

    items: tuple[KnowledgeItem, ...]
    more: bool = False
    statuses: dict[str, int] = {}
    here: str = ""


class ItemWithHistory(Struct, frozen=True):
    """A whole item, what happened to it, oldest first, and its chain: what it `replaces`, the latest first, and what
    replaced it (`replaced_by`), the last of which is told."""

    item: KnowledgeItem
    history: tuple[Change, ...]
    replaces: tuple[KnowledgeItem, ...] = ()
    replaced_by: tuple[KnowledgeItem, ...] = ()


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
    cwd: Path | None = None,
) -> Listing:
    """What holds in the repository and for the agent selected, the strongest first; `status` None means whatever. Where
    no repository is selected, what holds in that of `cwd` comes first."""
    with told_knowledge(config) as knowledge:
        filters = Wanted(
            status=status,
            repo=repo_named(knowledge, selection.repo),
            agent=selection.agent,
            category=category,
            tag=tag,
            min_confidence=min_confidence,
        )
        items = knowledge.items(limit=limit + 1, **filters)
        here = ""
        if cwd is not None and not selection.repo:
            here = known_repo(knowledge, repo_of(cwd, config))
        of_here: list[KnowledgeItem] = []
        if here:
            filters["repo"] = here
            of_here = knowledge.items(limit=limit + 1, **filters)
        if of_here:
            items = [*of_here, *(item for item in items if item.repo != here)]
        return Listing(
            tuple(items[:limit]),
            len(items) > limit,
            {} if items else knowledge.counts().status,
            here if of_here else "",
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
    with told_knowledge(config) as knowledge:
        return knowledge.search(
            words,
            status=status or STATUSES,
            repo=repo_named(knowledge, selection.repo),
            agent=selection.agent,
            category=category,
            limit=limit,
        )


def show(config: Config, ids: Sequence[str]) -> list[ItemWithHistory]:
    with told_knowledge(config) as knowledge:
        return [
            ItemWithHistory(
                item,
                own_history(config, knowledge, item.id),
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


def named(knowledge: Knowledge, ids: Sequence[str]) -> list[KnowledgeItem]:
    """The items of some ids or beginnings of ids, each once."""
    return list({item.id: item for item in map(knowledge.get, ids)}.values())
