"""A person's own words: edit an item's, say where it holds, add a lesson.

Words are kept without secrets and judged again at the store's door. What is risky takes a second word.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.knowledge.decide import (
    Decision,
    Marks,
    after_steps,
    decide,
    needs_risky,
    save_decided,
    without_secrets,
)
from afterglow.flows.knowledge.review import repo_named
from afterglow.flows.told_knowledge import join_again
from afterglow.harvest.merge import MAX_FACT_CHARACTERS
from afterglow.harvest.screen import danger
from afterglow.records.knowledge import (
    NOWHERE,
    Category,
    KnowledgeItem,
    approval_mark,
)
from afterglow.sessions.agent_homes import AGENTS
from afterglow.store.folder.names import place_of
from afterglow.store.folder.proposals import SURE, digest_id
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_decisions import record_decision
from afterglow.store.knowledge_risk import Door

WRITTEN = "written by a person"


class Added(Struct, frozen=True):
    """A lesson of a person's own, and the number by which it can be undone."""

    item: KnowledgeItem
    number: int


def edit(
    config: Config,
    id: str,
    *,
    fact: str | None = None,
    situation: str | None = None,
    remedy: str | None = None,
    risky: bool = False,
    expected: Marks | None = None,
    now: float | None = None,
) -> list[Decision]:
    """Other words for an item; its status stays. A new sentence stands for itself, new halves make up the sentence.
    What is told to agents and would be risky in these words has to be asked for."""
    words = [
        None if text is None else _clean_words(config, text)
        for text in (fact, situation, remedy)
    ]
    if all(text is None for text in words):
        raise UsageError("say the new words: --fact, or --situation and --remedy")

    with Knowledge(config.knowledge) as knowledge:
        door = Door(knowledge.fact)

        def edited(item: KnowledgeItem) -> KnowledgeItem:
            new = replace(_reworded(item, *words), edited=True)
            if approval_mark(new) == approval_mark(item):
                return item
            if item.status != "active":
                return new
            return _told(door, new, risky)

        return decide(config, [id], edited, what="edited", expected=expected, now=now)


def _reworded(
    item: KnowledgeItem, fact: str | None, situation: str | None, remedy: str | None
) -> KnowledgeItem:
    if situation is None and remedy is None:
        sentence = _sentence(fact or "")
        if sentence == item.fact:
            return item
        # In two halves it no longer says the same.
        return replace(item, fact=sentence, situation="", remedy="")
    halves = (
        item.situation if situation is None else situation,
        item.remedy if remedy is None else remedy,
    )
    sentence = _sentence(": ".join(filter(None, halves)) if fact is None else fact)
    return replace(item, fact=sentence, situation=halves[0], remedy=halves[1])


def rescope(
    config: Config,
    ids: Sequence[str],
    *,
    repo: str = "",
    agent: str = "",
    everywhere: bool = False,
    expected: Marks | None = None,
    now: float | None = None,
) -> list[Decision]:
    """Where items hold: in a repository, for an agent wherever it works, or everywhere. A person may widen what
    sessions showed in one place only; harvest leaves it so."""
    if bool(repo.strip()) + bool(agent.strip()) + everywhere != 1:
        raise UsageError(
            "say where it holds: --repo NAME, --agent NAME or --everywhere"
        )
    if agent and agent not in AGENTS:
        raise UsageError(f"no agent {agent!r}; there are {', '.join(AGENTS)}")
    with Knowledge(config.knowledge) as knowledge:
        place = _place(knowledge, repo)

    def moved(item: KnowledgeItem) -> KnowledgeItem:
        kept_agent = item.agent if place else agent
        if (item.repo, item.agent) == (place, kept_agent):
            return item
        return replace(item, repo=place, agent=kept_agent, edited=True)

    return decide(config, ids, moved, what="moved", expected=expected, now=now)


def _place(knowledge: Knowledge, repo: str) -> str:
    name = repo_named(knowledge, repo.strip()) or ""
    if name == NOWHERE:
        raise UsageError(
            "a lesson of no repository is told to nobody; name a repository"
        )
    return name


def add(
    config: Config,
    fact: str = "",
    *,
    repo: str = "",
    agent: str = "",
    category: Category = "pattern",
    situation: str = "",
    remedy: str = "",
    fingerprints: Sequence[str] = (),
    risky: bool = False,
    now: float | None = None,
) -> Added:
    """A person's own lesson: active at once, as sure as anything, for `repo`, or everywhere if that is empty. The words
    are one sentence, or what is met and what to do. `fingerprints` are of errors on which it is told."""
    when = time.time() if now is None else now
    halves = [
        _clean_words(config, text) if text else "" for text in (situation, remedy)
    ]
    sentence = _sentence(
        _clean_words(config, fact) if fact else ": ".join(filter(None, halves))
    )
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        item = KnowledgeItem(
            id="new",
            fact=sentence,
            category=category,
            status="active",
            reason=WRITTEN,
            repo=_place(knowledge, repo),
            agent=agent,
            confidence=SURE,
            first_seen=when,
            last_confirmed=when,
            situation=halves[0],
            remedy=halves[1],
            fingerprints=tuple(fingerprints),
            trust="user",
            decided=True,
            edited=True,
        )
        item = _told(Door(knowledge.fact), item, risky)
        item = replace(item, id=_free_id(knowledge, item))
        with knowledge.recording() as steps:
            save_decided(knowledge, [], [item], by=config.person, now=when)
        number = record_decision(
            knowledge, steps, {item.id}, what="added", by=config.person, now=when
        )
    join_again(config)
    return Added(after_steps(item, steps), number)


def _free_id(knowledge: Knowledge, item: KnowledgeItem) -> str:
    """From the words and where they hold, as a bullet of the folder would get it. What was taken back comes again."""
    place = place_of(item.repo, item.agent)
    number = 0
    while True:
        again = [str(number)] if number else []
        id = digest_id(item.fact, *place, *again)
        stored = knowledge.find([id]).get(id)
        if stored is not None and stored.status != "retired":
            raise UsageError(
                f"{id} says this already, and is {stored.status}; `afterglow knowledge show {id}`"
            )
        if not knowledge.buried([id]):
            return id
        number += 1


def _told(door: Door, item: KnowledgeItem, risky: bool) -> KnowledgeItem:
    """What a person wrote and agents are told: approved in these words."""
    judged = door.judged(replace(item, approved=""))
    if needs_risky(judged) and not risky:
        raise UsageError(
            f"this is risky: {judged.risk}; nothing was changed. --risky has agents told exactly these words: "
            f"{item.fact!r}"
        )
    return replace(item, approved=approval_mark(item))


def _clean_words(config: Config, text: str) -> str:
    """Without secrets; never what reads like somebody else's order to agents, which people paste by mistake."""
    words = without_secrets(config, " ".join(text.split()))
    if threat := danger(words, "user"):
        raise UsageError(f"not taken: {threat}; say it in your own words")
    return words


def _sentence(words: str) -> str:
    if not words:
        raise UsageError("an item needs words: a sentence that holds, or what to do")
    if len(words) > MAX_FACT_CHARACTERS:
        raise UsageError(
            f"{len(words)} characters are too many to be told: at most {MAX_FACT_CHARACTERS}"
        )
    return words
