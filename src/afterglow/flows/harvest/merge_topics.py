"""Merging pending topics into knowledge: which item each belongs to, what it says now, and what that does to others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from afterglow.errors import Stumbled
from afterglow.flows.isolation import isolated
from afterglow.harvest import FORMER_MINERS, MINERS
from afterglow.harvest.duplicates import Twins
from afterglow.harvest.merge import item_of, settle
from afterglow.harvest.supersession import DECIDING, is_replaced, says_otherwise
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_risk import Door

Load = Callable[[Iterable[str]], dict[str, list[Finding]]]
Readable = Callable[[set[str]], set[str]]

STUMBLED, NOT_HERE = "the miner stumbled", "its miner is not here"
UNSAID = "read anew, its sessions no longer show it"


class Merging:
    """Merges topics, some at a time, and counts what came of it. `readable` says which of some sessions were mined
    and could be asked again: an item that rests on others is not judged by the few that are left."""

    def __init__(
        self,
        store: Knowledge | Rehearsal,
        newest: Mapping[str, float],
        load: Load,
        readable: Readable = set,
    ) -> None:
        self.store, self.newest, self.load = store, newest, load
        self.readable = readable
        self._miners = frozenset(MINERS.names())
        self.created = self.changed = 0
        self.topics: Counter[str] = Counter()
        self.items: Counter[str] = Counter()
        self.active: Counter[str] = Counter()
        self.refused: dict[str, Counter[str]] = defaultdict(Counter)
        self.troubles: list[tuple[str, str]] = []
        self._twins: dict[tuple[str, str, str], Twins] = {}

    def merge(self, topics: Iterable[str], now: float) -> None:
        """One batch. The caller holds the store's turn, so that nobody else writes in between."""
        ordered_topics = sorted(topics)
        owners = self.store.of_topics(ordered_topics)
        buried = self.store.buried(ordered_topics)
        before = self.store.find(set(owners.values()))
        findings = self.load(ordered_topics)
        touched: dict[str, KnowledgeItem] = {}
        joining: dict[str, set[str]] = defaultdict(set)
        for topic in ordered_topics:
            if topic in buried:
                self.refused[_miner(findings.get(topic))]["deleted by a person"] += 1
            elif topic in owners:
                joining[owners[topic]].add(topic)
            elif topic in findings:
                self._fresh(topic, findings[topic], touched, joining)
        for id, more in joining.items():
            self._grow(
                before.get(id) or touched.get(id) or self.store.find([id]).get(id),
                id,
                more,
                touched,
            )
        self._settle_and_save(touched, now)

    def _fresh(
        self,
        topic: str,
        findings: list[Finding],
        touched: dict[str, KnowledgeItem],
        joining: dict[str, set[str]],
    ) -> None:
        """A topic no item has yet: a new item, or more evidence for one that says the same in other words."""
        item = self._item(findings, None)
        if isinstance(item, str):
            return
        twins = self._twins_of(item)
        same = twins.find(item.fact)
        if same and not says_otherwise(item.fact, twins.fact(same)):
            joining[same].add(topic)
            return
        twins.add(item.id, item.fact)
        touched[item.id] = item

    def _grow(
        self,
        item: KnowledgeItem | None,
        id: str,
        more: set[str],
        touched: dict[str, KnowledgeItem],
    ) -> None:
        """An item some of whose topics have new findings, or that takes over another topic."""
        if item is None:
            return
        topics = dict.fromkeys([*item.topics, *sorted(more)])
        findings = [
            finding
            for topic_findings in self.load(topics).values()
            for finding in topic_findings
        ]
        if not findings:  # its sessions were mined anew and say nothing of it any more
            if may_retire(item):
                touched[id] = retired(item, FORMER_MINERS.get(item.miner, UNSAID))
            return
        grown = self._item(findings, item)
        if not isinstance(grown, str):
            touched[id] = replace(grown, topics=tuple(topics))
        elif grown in {STUMBLED, NOT_HERE}:
            return
        elif may_retire(item) and self._all_readable(item):
            touched[id] = retired(item, f"not kept any more: {grown}")

    def _all_readable(self, item: KnowledgeItem) -> bool:
        sessions = {span.session for span in item.evidence}
        return self.readable(sessions) == sessions

    def _item(
        self, findings: list[Finding], before: KnowledgeItem | None
    ) -> KnowledgeItem | str:
        """The item that findings add up to, or why it is not kept."""
        name = findings[0].miner
        if name not in self._miners:  # left by a session that is gone
            return NOT_HERE
        self.topics[name] += 1
        clean = [
            finding for finding in findings if not finding.danger
        ]  # one hostile page must not take an item away
        findings = clean or findings
        try:
            with isolated(f"the miner {name}"):
                telling = MINERS.load(name).tell(findings)
        except Stumbled as error:
            self.troubles.append((f"topic {findings[0].topic}", str(error)))
            telling = STUMBLED
        item = (
            telling
            if isinstance(telling, str)
            else item_of(telling, findings, before, self.newest)
        )
        if isinstance(item, str):
            self.refused[name][item] += 1
            return item
        return Door(self.store.fact).judged(item, before)

    def _twins_of(self, item: KnowledgeItem) -> Twins:
        """The facts a new one may repeat: those of the same miner, category and place."""
        place = (item.category, item.repo, item.miner)
        if place not in self._twins:
            facts = self.store.facts(category=item.category, repo=item.repo)
            self._twins[place] = Twins(
                (id, fact) for id, fact, miner in facts if miner == item.miner
            )
        return self._twins[place]

    def _settle_and_save(self, touched: dict[str, KnowledgeItem], now: float) -> None:
        near = {**self._related(touched), **touched}
        for item in settle(near.values()):
            touched[item.id] = item
        created = len(touched.keys() - self.store.find(touched).keys())
        saved = self.store.save(touched.values(), by="harvest", now=now)
        self.created += created
        self.changed += saved - created
        for item in touched.values():
            self.items[item.miner] += 1
            self.active[item.miner] += item.status == "active"

    def _related(
        self, touched: Mapping[str, KnowledgeItem]
    ) -> dict[str, KnowledgeItem]:
        """What the items touched may change, or be changed by."""
        items = touched.values()
        links = (
            self.store.of_keys({item.key for item in items if item.key}),
            self.store.of_fingerprints(
                {mark for item in items for mark in item.fingerprints}
            ),
            self.store.replaced_by(
                item.id for item in items if item.status != "active"
            ),
        )
        ids = {id for ids_of in links for group in ids_of.values() for id in group}
        related = self.store.find(ids - touched.keys())
        if any(item.edited or item.miner in DECIDING for item in items):
            related |= self.store.deciding(DECIDING)
        return related


def may_retire(item: KnowledgeItem) -> bool:
    """What a person approved or wrote stays, whatever harvest thinks of it now."""
    holds = item.status in {"active", "candidate"} or is_replaced(item)
    return holds and not item.decided and not item.edited


def retired(item: KnowledgeItem, reason: str) -> KnowledgeItem:
    return replace(item, status="retired", reason=reason)


def _miner(findings: list[Finding] | None) -> str:
    return findings[0].miner if findings else "unknown"
