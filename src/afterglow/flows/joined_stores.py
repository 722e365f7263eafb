"""One's own knowledge joined with the team's, for as long as this machine is in one.

`knowledge.db` stays what this machine's own sessions taught and its person decided, as if there were no team: harvest
computes from what it finds there, so nothing of others may stand in it. The two are joined in `team.db`, which is made
of `knowledge.db` and what the hub gave (`hub.db`), kept up with both, and can be made again at any time.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.told_knowledge import (
    BY_HUB,
    OF_STORE,
    OWN_CHANGE,
    TEAM_NUMBER,
)
from afterglow.harvest.merge import id_of
from afterglow.harvest.shared_lessons import LESSON_MINERS, lesson_topic
from afterglow.harvest.with_team import with_team
from afterglow.records.knowledge import WITHDRAWN, KnowledgeItem
from afterglow.store.atomic_create import drop_database
from afterglow.store.folder.importing import names_of
from afterglow.store.forgotten import Forgotten
from afterglow.store.joined_knowledge import (
    all_ids,
    changed_ids,
    copy_facts,
    keep_only,
)
from afterglow.store.knowledge import Knowledge
from afterglow.store.membership import Membership
from afterglow.store.shareable_items import lessons

BY_OWN = "own"  # in the history of `team.db`: what changed in one's own store has its history there
JOINED_AT_ONCE = 1000  # items held in memory, with their evidence

IsOut = Callable[[str, str], bool]  # of an agent's session

_item = msgspec.json.Decoder(KnowledgeItem)


class _Since(Struct, frozen=True):
    """Up to which changes the two are joined."""

    own_change: int = 0
    team_number: int = 0


def bring_together(
    config: Config,
    *,
    now: float | None = None,
    most: int | None = None,
    make: bool = False,
) -> int:
    """Joins what changed on either side since the last time; how many items that changed. With `make`, the store is made
    where there is none yet. More items than `most` are left for whoever has time."""
    if not config.membership.exists() or not (make or config.team_knowledge.exists()):
        return 0
    when = time.time() if now is None else now
    with (
        Membership(config.membership) as membership,
        Knowledge(config.knowledge_file) as own_store,
        Knowledge(config.team_knowledge) as joined,
    ):
        upto = _Since(
            int(own_store.fact("change")), int(membership.fact("number") or 0)
        )
        since = _joined_since(own_store, joined, upto)
        if since == upto:
            return 0
        team = membership.team_since(since.team_number)
        ids = {*changed_ids(own_store, since.own_change), *team}
        if most is not None and len(ids) > most:
            return 0
        changed = _Joining(config, own_store, joined, membership).save(ids, when)
        # Only now: what was joined by whoever was killed before this is joined once more, which changes nothing.
        with joined.transaction():
            copy_facts(own_store, joined)
            joined.set_fact(OF_STORE, own_store.identity)
            joined.set_fact(OWN_CHANGE, str(upto.own_change))
            joined.set_fact(TEAM_NUMBER, str(upto.team_number))
    return changed


def _joined_since(own_store: Knowledge, joined: Knowledge, upto: _Since) -> _Since:
    """From the beginning where either side is another one than it was, or was put back from a copy."""
    if joined.fact(OF_STORE) != own_store.identity:
        return _Since()
    since = _Since(int(joined.fact(OWN_CHANGE)), int(joined.fact(TEAM_NUMBER)))
    is_ahead = (
        since.own_change > upto.own_change or since.team_number > upto.team_number
    )
    return _Since() if is_ahead else since


class _Joining:
    """Items of both sides, by the ids they have here. A lesson has an id of its own at the hub, made of its words: the same
    words here are the same lesson."""

    def __init__(
        self,
        config: Config,
        own_store: Knowledge,
        joined: Knowledge,
        membership: Membership,
    ) -> None:
        self._own, self._joined, self._membership = own_store, joined, membership
        self._forgotten = Forgotten(config.home).refresh()
        self._team_ids = membership.team_ids()
        self._own_names = _lessons_here(own_store)
        self._hub_names = {id: name for name, id in self._own_names.items()}
        self._hidden: set[str] = set()

    def save(self, ids: Iterable[str], now: float) -> int:
        """Joins these, and what is missing; lets go what is on neither side. How many items that changed."""
        missing = self._here(self._team_ids) - all_ids(self._joined)
        listed = sorted(missing | self._here(ids))
        changed = 0
        for start in range(0, len(listed), JOINED_AT_ONCE):
            # What is read in its turn is what holds: of two that join at once, the later one has the last word.
            with self._joined.transaction():
                changed += self._save(listed[start : start + JOINED_AT_ONCE], now)
        with self._joined.transaction():
            team_ids = self._here(self._membership.team_ids())
            remaining = (all_ids(self._own) | team_ids) - self._hidden
            return changed + keep_only(self._joined, remaining)

    def _here(self, ids: Iterable[str]) -> set[str]:
        """By the names they have here."""
        return {self._own_names.get(id, id) for id in ids}

    def _save(self, ids: Sequence[str], now: float) -> int:
        own_items, before = self._own.find(ids), self._joined.find(ids)
        team = self._of_team(ids)
        present = [id for id in ids if id in own_items or id in team]
        self._hidden.update(set(ids) - set(present))
        items = {
            id: _exactly(with_team(own_items.get(id), team.get(id)), before.get(id))
            for id in present
        }
        changing = [id for id in present if not _is_as(items[id], before.get(id))]
        ours = [items[id] for id in changing if id not in team]
        theirs = [items[id] for id in changing if id in team]
        changed = self._joined.save(ours, by=BY_OWN, now=now)
        return changed + self._joined.save(theirs, by=BY_HUB, now=now)

    def _of_team(self, ids: Sequence[str]) -> dict[str, KnowledgeItem]:
        """Without what rests on forgotten sessions, and what the person here deleted."""
        bodies = self._membership.team_items(self._hub_names.get(id, id) for id in ids)
        items = [self._as_here(_item.decode(body)) for body in bodies.values()]
        names = {item.id: names_of(item) for item in items}
        buried = self._own.buried(name for group in names.values() for name in group)
        clean = {
            item.id: without_sessions(item, self._is_forgotten)
            for item in items
            if buried.isdisjoint(names[item.id])
        }
        return {id: item for id, item in clean.items() if item is not None}

    def _as_here(self, item: KnowledgeItem) -> KnowledgeItem:
        name_here = self._own_names.get(item.id)
        return item if name_here is None else replace(item, id=name_here)

    def _is_forgotten(self, agent: str, session: str) -> bool:
        return self._forgotten.has_session(agent, session)


def _is_as(item: KnowledgeItem, before: KnowledgeItem | None) -> bool:
    """Nothing to save: to judge what an item does takes its time."""
    return before is not None and replace(item, risk=before.risk) == before


def _lessons_here(own_store: Knowledge) -> dict[str, str]:
    """The id that a hub would give a lesson -> the one it has here."""
    listed = lessons(own_store, LESSON_MINERS)
    return {id_of(lesson_topic(item)): item.id for item in listed}


def _exactly(item: KnowledgeItem, before: KnowledgeItem | None) -> KnowledgeItem:
    """A store keeps an earlier approval where an item brings none: one that was taken back has to be said."""
    had_approval = before is not None and bool(before.approved)
    if item.approved or not had_approval:
        return item
    return replace(item, approved=WITHDRAWN)


def without_sessions(item: KnowledgeItem, is_out: IsOut) -> KnowledgeItem | None:
    """The item without evidence of these; nothing where nothing is left of it."""
    evidence = tuple(
        span for span in item.evidence if not is_out(span.agent, span.session)
    )
    if len(evidence) == len(item.evidence):
        return item
    return replace(item, evidence=evidence) if evidence else None


def forget_in_team(
    config: Config, sessions: Collection[str], items: Collection[str]
) -> None:
    """What the hub gave, without what rests on these sessions and without these items; `team.db` is made anew, so that
    no word stays in it. The hub hears of it with the next sync."""
    if not config.membership.exists():
        return

    def is_out(agent: str, session: str) -> bool:
        return session in sessions

    with Membership(config.membership) as membership:
        changed = {}
        for id, body in membership.team_since(0).items():
            if not body:
                continue
            item = _item.decode(body)
            clean = None if id in items else without_sessions(item, is_out)
            if clean is not item:
                changed[id] = "" if clean is None else encoded(clean)
        if changed:
            membership.replace_bodies(changed)
    was_there = config.team_knowledge.exists()
    drop_team_knowledge(config)
    if was_there:
        bring_together(config, make=True)


def drop_team_knowledge(config: Config) -> None:
    """Only what is joined: it can be made again."""
    drop_database(config.team_knowledge)
    shutil.rmtree(config.team_knowledge.with_suffix(".index"), ignore_errors=True)


def encoded(item: KnowledgeItem) -> str:
    return msgspec.json.encode(item).decode()
