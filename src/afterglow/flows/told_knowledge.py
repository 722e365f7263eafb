"""Where what is told to sessions and shown to people is read: one's own store, or the one it is joined in with the team's."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError
from afterglow.records.knowledge import Change, KnowledgeItem
from afterglow.store.databases import facts_of
from afterglow.store.knowledge import Knowledge
from afterglow.store.open_store import Place

BY_HUB = "hub"  # who changed it, in the history of items
# Facts of `team.db`: the store it was made of, and up to which change of both.
OF_STORE, OWN_CHANGE, TEAM_NUMBER = "joined with", "own change", "team number"
MOST_WAITED_FOR = 200  # items joined while somebody waits: a few tenths of a second; more are left to the next sync


def told_place(config: Config, *, is_hurried: bool = False) -> Place:
    """The store to read from, with what changed since it was last joined, unless an agent waits: then as it is."""
    if config.hub is not None or not config.team_knowledge.exists():
        return config.knowledge
    if not is_hurried:
        join_again(config, most=MOST_WAITED_FOR)
    return config.team_knowledge


def told_knowledge(config: Config, *, is_hurried: bool = False) -> Knowledge:
    return Knowledge(told_place(config, is_hurried=is_hurried))


def join_again(config: Config, most: int | None = None) -> None:
    """After one's own knowledge has changed: what agents are told follows. What cannot be joined now (another writes, the
    disk is full) is told as it was."""
    is_in_team = config.hub is None and config.team_knowledge.exists()
    if not is_in_team or _is_joined(config):
        return
    # Most machines are in no team.
    from afterglow.flows.joined_stores import bring_together

    with suppress(StoreError):
        bring_together(config, most=most)


def _is_joined(config: Config) -> bool:
    """Whether nothing changed on either side since the last time."""
    own_facts = facts_of(config.knowledge_file, ["identity", "change"])
    team_facts = facts_of(config.membership, ["number"])
    joined = facts_of(config.team_knowledge, [OF_STORE, OWN_CHANGE, TEAM_NUMBER])
    return bool(own_facts) and joined == {
        OF_STORE: own_facts["identity"],
        OWN_CHANGE: own_facts["change"],
        TEAM_NUMBER: team_facts.get("number", "0"),
    }


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
    """What a decision is about."""
    words = item.fact, item.situation, item.remedy
    return *words, item.category, item.status, item.repo, item.agent
