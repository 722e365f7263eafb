"""Where what is told to sessions and shown to people is read: one's own store, or the one it is joined in with the team's."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError
from afterglow.records.knowledge import Change, KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.open_store import Place

BY_HUB = "hub"  # who changed it, in the history of items
MOST_WAITED_FOR = 200  # items joined while somebody waits: a few tenths of a second; more are left to the next sync


def told_place(config: Config) -> Place:
    """The store to read from, with what changed since it was last joined. What cannot be joined now (another writes, the
    disk is full) is told as it was."""
    if config.hub is not None or not config.team_knowledge.exists():
        return config.knowledge
    # Most machines are in no team, and a hook is waited for.
    from afterglow.flows.joined_stores import bring_together

    with suppress(StoreError):
        bring_together(config, most=MOST_WAITED_FOR)
    return config.team_knowledge


def told_knowledge(config: Config) -> Knowledge:
    return Knowledge(told_place(config))


def own_history(config: Config, joined: Knowledge, id: str) -> tuple[Change, ...]:
    """What happened to an item here, and what the team did to it, oldest first."""
    if joined.place == config.knowledge:
        return tuple(joined.history(id))
    with Knowledge(config.knowledge) as own_store:
        changes = own_store.history(id)
    changes += [change for change in joined.history(id) if change.by == BY_HUB]
    return tuple(sorted(changes, key=lambda change: change.time))


def adopt_shown(config: Config, own_store: Knowledge, ids: Sequence[str]) -> None:
    """Before a person decides: what they decide about is what they were shown. An item of the team's, or one that the team
    says otherwise, becomes one of this machine's own, as it is told here."""
    place = told_place(config)
    if place == config.knowledge:
        return
    with Knowledge(place) as joined:
        for name in ids:
            with suppress(NotFound):  # whoever asked says so
                item = joined.get(name)
                before = own_store.find([item.id]).get(item.id)
                if before is None or _shown(before) != _shown(item):
                    own_store.save([item], by=BY_HUB, now=time.time())


def _shown(item: KnowledgeItem) -> tuple[str, ...]:
    return item.fact, item.situation, item.remedy, item.category, item.status
