"""Merging pending topics into knowledge: which topics are one item, what it says now, and what that does to others.

What comes of it depends on the findings and on what people decided, not on the order in which topics came, nor on how
they were cut into batches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec.structs import replace

from afterglow.errors import Stumbled
from afterglow.flows.harvest.merge_batch import MergeBatch
from afterglow.flows.harvest.merge_rules import NOT_HERE, STUMBLED, HomeRules
from afterglow.flows.harvest.settle_items import settled
from afterglow.flows.harvest.topic_groups import (
    TopicChange,
    TopicGroups,
)
from afterglow.flows.isolation import isolated
from afterglow.harvest.merge import in_order, item_of
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_erasing import drop_evidence, erase_items
from afterglow.store.knowledge_risk import Door

Load = Callable[[Iterable[str]], dict[str, list[Finding]]]
Readable = Callable[[set[str]], set[str]]
Items = dict[str, KnowledgeItem]


class Merging:
    """Merges topics, some at a time, and counts what came of it. `readable` says which of some sessions were mined
    and could be asked again: an item that rests on others is not judged by the few that are left. `rules` are those of
    a machine or of a team."""

    def __init__(
        self,
        store: Knowledge | Rehearsal,
        newest: Mapping[str, float],
        load: Load,
        readable: Readable = set,
        rules: HomeRules | None = None,
    ) -> None:
        self.store, self.newest = store, newest
        self.readable = readable
        self.rules = rules or HomeRules()
        self._load = load
        self.created = self.changed = 0
        self.topics: Counter[str] = Counter()
        self.items: Counter[str] = Counter()
        self.active: Counter[str] = Counter()
        self.refused: dict[str, Counter[str]] = defaultdict(Counter)
        self.troubles: list[tuple[str, str]] = []
        self._groups = TopicGroups(store, self._tell_alone)
        self._door = Door(store.fact)

    def merge(self, topics: Iterable[str], now: float) -> None:
        """One batch. The caller holds the store's turn, so that nobody else writes in between."""
        self._door = Door(self.store.fact)  # what it knows of repositories may change
        batch = MergeBatch(self, topics)
        batch.tell()
        batch.build()
        touched = settled(
            self.store, batch.touched, batch.erased, self.base_of, self.rules
        )
        self._save(touched, batch.erased, now)
        if batch.bare:
            _strip(self.store, batch.bare)

    def load(self, topics: Iterable[str]) -> dict[str, list[Finding]]:
        """The findings of each topic, in an order that is theirs and not that of their coming."""
        by_topic = self._load(topics)
        return {topic: in_order(findings) for topic, findings in by_topic.items()}

    def item(
        self, findings: list[Finding], before: KnowledgeItem | None, *, aloud: bool
    ) -> KnowledgeItem | str:
        """The item that findings add up to, or why it is not kept; counted where it is told `aloud`."""
        name = findings[0].miner
        if not self.rules.is_told(name):  # left by a session that is gone
            return NOT_HERE
        self.topics[name] += aloud
        clean = [
            finding for finding in findings if not finding.danger
        ]  # one hostile page must not take an item away
        findings = clean or findings
        if before is not None:
            before = self.rules.basis(before)
        try:
            with isolated(f"the miner {name}"):
                telling = self.rules.tell(findings)
        except Stumbled as error:
            self.troubles.append((f"topic {findings[0].topic}", str(error)))
            telling = STUMBLED
        item = (
            telling
            if isinstance(telling, str)
            else item_of(telling, findings, before, self.newest)
        )
        if isinstance(item, str):
            self.refused[name][item] += aloud
            return item
        topics = {finding.topic for finding in findings}
        judged = self.rules.judged(item, before, topics)
        return self._door.judged(judged, before)

    def base_of(self, item: KnowledgeItem) -> KnowledgeItem:
        """An item as its own findings make it, whatever others do to it; itself where they cannot say."""
        by_topic = self.load(item.topics).values()
        findings = in_order(finding for group in by_topic for finding in group)
        if not findings:
            return item
        base = self.item(findings, item, aloud=False)
        return item if isinstance(base, str) else replace(base, topics=item.topics)

    def is_readable(self, item: KnowledgeItem) -> bool:
        """Whether all the sessions it rests on can be asked again."""
        if self.rules.is_whole:
            return True
        sessions = {span.session for span in item.evidence}
        return self.readable(sessions) == sessions

    def regrouped(self, changes: Mapping[str, TopicChange]) -> dict[str, str]:
        return self._groups.regrouped(changes)

    def _tell_alone(self, topics: Iterable[str]) -> Items:
        """What topics say by themselves, those that say something."""
        items = {
            topic: self.item(findings, None, aloud=False)
            for topic, findings in self.load(topics).items()
        }
        return {
            topic: item for topic, item in items.items() if not isinstance(item, str)
        }

    def _save(self, touched: Items, erased: Collection[str], now: float) -> None:
        created = len(touched.keys() - self.store.find(touched).keys())
        if erased:
            _erase(self.store, erased)
        saved = self.store.save(touched.values(), by="harvest", now=now)
        self.created += created
        self.changed += saved - created
        for item in touched.values():
            self.items[item.miner] += 1
            self.active[item.miner] += item.status == "active"


def _erase(store: Knowledge | Rehearsal, ids: Iterable[str]) -> None:
    if isinstance(store, Knowledge):
        erase_items(store, ids)
    else:
        store.erase(ids)


def _strip(store: Knowledge | Rehearsal, items: Items) -> None:
    sessions = {span.session for item in items.values() for span in item.evidence}
    if isinstance(store, Knowledge):
        drop_evidence(store, items, sessions)
    else:
        store.strip(items)
