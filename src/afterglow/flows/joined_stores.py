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
from afterglow.flows.told_knowledge import BY_HUB
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

BY_OWN = "own"  # in the history of `team.db`: what changed in one's own store has its history there
# Facts of `team.db`: the store it was made of, and up to which change of both.
OF_STORE, OWN_CHANGE, TEAM_NUMBER = "joined with", "own change", "team number"

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
        with joined.transaction():
            since = _joined_since(own_store, joined, upto)
            team = membership.team_since(since.team_number)
            ids = {*changed_ids(own_store, since.own_change), *team}
            if most is not None and len(ids) > most:
                return 0
            joining = _Joining(config, own_store, joined, membership)
            items = joining.items(ids)
            ours = [item for item in items if item.id not in joining.team]
            changed = joined.save(ours, by=BY_OWN, now=when)
            theirs = [item for item in items if item.id in joining.team]
            changed += joined.save(theirs, by=BY_HUB, now=when)
            changed += keep_only(joined, joining.remaining())
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
    """Items of both sides."""

    def __init__(
        self,
        config: Config,
        own_store: Knowledge,
        joined: Knowledge,
        membership: Membership,
    ) -> None:
        self._own, self._joined, self._membership = own_store, joined, membership
        self._forgotten = Forgotten(config.home).refresh()
        self._hidden: set[str] = set()
        self.team: set[str] = set()

    def items(self, ids: Iterable[str]) -> list[KnowledgeItem]:
        listed = sorted(ids)
        own_items, before = self._own.find(listed), self._joined.find(listed)
        team = self._of_team(listed)
        self.team = set(team)
        self._hidden = {id for id in listed if id not in own_items and id not in team}
        joined = [
            with_team(own_items.get(id), team.get(id))
            for id in listed
            if id not in self._hidden
        ]
        return [_exactly(item, before.get(item.id)) for item in joined]

    def remaining(self) -> set[str]:
        """What is to be there."""
        return (all_ids(self._own) | self._membership.team_ids()) - self._hidden

    def _of_team(self, ids: Sequence[str]) -> dict[str, KnowledgeItem]:
        """Without what rests on forgotten sessions, and what the person here deleted."""
        bodies = self._membership.team_items(ids)
        items = {id: _item.decode(body) for id, body in bodies.items()}
        names = {id: names_of(item) for id, item in items.items()}
        buried = self._own.buried(name for group in names.values() for name in group)
        clean = {
            id: without_sessions(item, self._is_forgotten)
            for id, item in items.items()
            if buried.isdisjoint(names[id])
        }
        return {id: item for id, item in clean.items() if item is not None}

    def _is_forgotten(self, agent: str, session: str) -> bool:
        return self._forgotten.has_session(agent, session)


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
