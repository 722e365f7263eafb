"""Merging pending topics into knowledge: which topics are one item, what it says now, and what that does to others.

What comes of it depends on the findings and on what people decided, not on the order in which topics came, nor on how
they were cut into batches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec.structs import replace

from afterglow.errors import Stumbled
from afterglow.flows.harvest.merge_rules import HomeRules
from afterglow.flows.harvest.settle_items import settled
from afterglow.flows.harvest.topic_groups import (
    TopicChange,
    TopicGroups,
    anchor_of,
    place_of,
    told_topic,
)
from afterglow.flows.isolation import isolated
from afterglow.harvest import FORMER_MINERS
from afterglow.harvest.merge import id_of, in_order, item_of
from afterglow.harvest.supersession import is_replaced
from afterglow.records.knowledge import Evidence, Finding, KnowledgeItem
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_erasing import drop_evidence, erase_items
from afterglow.store.knowledge_risk import Door

Load = Callable[[Iterable[str]], dict[str, list[Finding]]]
Readable = Callable[[set[str]], set[str]]
Items = dict[str, KnowledgeItem]
Stretch = tuple[str, int, str, int, int]  # session, line, part, start and length

STUMBLED, NOT_HERE = "the miner stumbled", "its miner is not here"
UNSAID = "read anew, its sessions no longer show it"


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
        batch = _Batch(self, topics)
        batch.tell()
        batch.build()
        touched = settled(
            self.store,
            batch.touched,
            batch.erased,
            self.base_of,
            self.rules.may_replace,
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


class _Batch:
    """Some topics on their way: what each says by itself, then the items they are."""

    def __init__(self, merging: Merging, topics: Iterable[str]) -> None:
        self._merging, self._store = merging, merging.store
        names = sorted(set(topics))
        self._buried = self._store.buried(names)
        self._waiting = {name for name in names if name not in self._buried}
        self._owners: dict[str, str] = {}
        self._items: Items = {}
        self._take_owners(self._waiting)
        self._findings = merging.load({*names, *self._owners})
        self._alone: dict[str, KnowledgeItem | str] = {}
        self._former: Items = {}  # items of topics that no item has now
        self.touched: Items = {}
        self.erased: Items = {}
        self.bare: Items = {}  # stay without any of the evidence they had

    def _take_owners(self, topics: Iterable[str]) -> None:
        """The items that have some of the topics, and all topics of these."""
        items = self._store.find(set(self._store.of_topics(topics).values()))
        for item in items.values():
            self._items[item.id] = self._merging.rules.standing(item)
            self._owners |= dict.fromkeys(item.topics, item.id)

    def tell(self) -> None:
        """What each topic says by itself. An item whose miner cannot say what it says now stays as it is."""
        for name in sorted(self._buried):
            miner = _miner(self._findings.get(name))
            self._merging.refused[miner]["deleted by a person"] += 1
        for name in sorted({*self._waiting, *self._owners} - self._buried):
            findings = self._findings.get(name)
            if findings:
                is_aloud = name in self._waiting
                before = self._only_item_of(name)
                self._alone[name] = self._merging.item(findings, before, aloud=is_aloud)
        for name, alone in self._alone.items():
            if alone in (STUMBLED, NOT_HERE):
                self._leave_alone(name)

    def _only_item_of(self, name: str) -> KnowledgeItem | None:
        """The item that is made of this topic and no other."""
        item = self._item_of(name)
        return item if item is not None and len(item.topics) == 1 else None

    def _item_of(self, name: str) -> KnowledgeItem | None:
        return self._items.get(self._owners.get(name, ""))

    def _leave_alone(self, name: str) -> None:
        item = self._items.pop(self._owners.get(name, ""), None)
        names = item.topics if item is not None else (name,)
        self._waiting -= set(names)
        for topic in names:
            self._owners.pop(topic, None)

    def build(self) -> None:
        """The items that the topics are now, and those that go."""
        concerned = sorted({*self._waiting, *self._owners} - self._buried)
        changes = {name: self._change(name) for name in concerned}
        standing = {name: name for name in concerned if changes[name].topic is not None}
        leaders = standing | self._merging.regrouped(changes)
        further = leaders.keys() - set(concerned)
        if further:
            self._take_owners(further)
        groups: dict[str, set[str]] = defaultdict(set)
        for name, leader in leaders.items():
            groups[leader].add(name)
        for item in self._items.values():
            leader = leaders.get(anchor_of(item), "")
            if leader and len(item.topics) > 1 and not self._merging.is_readable(item):
                groups[leader] |= set(item.topics) - leaders.keys()
        self._fetch_findings(groups)
        anchors = {anchor_of(item) for item in self._items.values()}
        self._former = self._store.find(map(id_of, groups.keys() - anchors))
        for leader, names in sorted(groups.items()):
            self._build(leader, names)
        self._let_go(leaders)

    def _change(self, name: str) -> TopicChange:
        item, alone = self._item_of(name), self._alone.get(name)
        alone_item = alone if isinstance(alone, KnowledgeItem) else None
        topic = told_topic(name, alone_item, item)
        if topic is not None and alone_item is None and item and not self._stays(item):
            topic = None
        is_reworded = item is not None and item.edited and name == anchor_of(item)
        placed = item if alone_item is None or is_reworded else alone_item
        return TopicChange(
            before=place_of(item) if item else None,
            place=place_of(placed) if placed is not None and topic else None,
            topic=topic,
            is_joined=item is not None and len(item.topics) > 1,
        )

    def _stays(self, item: KnowledgeItem) -> bool:
        """Whether an item stays that its topic no longer says: a person decided so, or not all can be asked."""
        has_findings = any(topic in self._findings for topic in item.topics)
        if self._merging.rules.outlives(item, has_findings=has_findings):
            return True
        if self._merging.rules.is_whole:
            return False
        is_unclear = has_findings and not self._merging.is_readable(item)
        return is_unclear or not may_retire(item)

    def _fetch_findings(self, groups: Mapping[str, Collection[str]]) -> None:
        names = {name for group in groups.values() for name in group}
        missing = (names | self._owners.keys()) - self._findings.keys()
        missing -= {*self._alone, *self._waiting}
        if missing:
            self._findings |= self._merging.load(missing)

    def _build(self, leader: str, names: set[str]) -> None:
        owner = self._item_of(leader)
        before = owner if owner is not None and anchor_of(owner) == leader else None
        is_same = before is not None and set(before.topics) == names
        if is_same and names.isdisjoint(self._waiting):
            return
        if before is None:
            before = self._former.get(id_of(leader))
        alone = self._alone.get(leader)
        is_alone = names == {leader} and (owner is None or owner.topics == (leader,))
        if is_alone and before is owner:
            item = alone
        else:
            item = self._joined(leader, names, before)
        if item is None or isinstance(item, str):
            if before is not None and self._merging.rules.is_whole:
                self._trim(before, names)
            return
        topics = (leader, *sorted(names - {leader}))
        id = before.id if before is not None else id_of(leader)
        self.touched[id] = replace(item, id=id, topics=topics)

    def _trim(self, item: KnowledgeItem, names: Collection[str]) -> None:
        """What stays because a person decided so rests on nothing that was taken back."""
        shown_stretches = {
            _stretch(span)
            for name in names
            for finding in self._findings.get(name, ())
            for span in finding.evidence
        }
        evidence = tuple(
            span for span in item.evidence if _stretch(span) in shown_stretches
        )
        if len(evidence) == len(item.evidence):
            return
        sessions = len({span.session for span in evidence})
        self.touched[item.id] = replace(item, evidence=evidence, source_count=sessions)
        if not evidence:
            self.bare[item.id] = item

    def _joined(
        self, leader: str, names: set[str], before: KnowledgeItem | None
    ) -> KnowledgeItem | str | None:
        """What several topics say together, or the one that leads them where they say nothing together."""
        findings = in_order(
            finding for name in names for finding in self._findings.get(name, ())
        )
        if not findings:
            return None
        basis = self._basis(names, before)
        item = self._merging.item(findings, basis, aloud=False)
        if isinstance(item, str) and leader in self._findings and len(names) > 1:
            return self._merging.item(self._findings[leader], basis, aloud=False)
        return item

    def _basis(
        self, names: set[str], before: KnowledgeItem | None
    ) -> KnowledgeItem | None:
        """What was known before of these topics, with the evidence that is not of others."""
        owners = {self._owners[name] for name in names if name in self._owners}
        sources = [self._items[id] for id in sorted(owners)]
        if before is not None:
            sources = [before, *(item for item in sources if item.id != before.id)]
        if not sources:
            return None
        foreign = self._stretches_of_others(sources, names)
        spans = [span for item in sources for span in item.evidence]
        evidence = tuple(span for span in spans if _stretch(span) not in foreign)
        if before is not None:
            return replace(before, evidence=evidence)
        return replace(sources[0], evidence=evidence, approved="")

    def _stretches_of_others(
        self, sources: Iterable[KnowledgeItem], names: Collection[str]
    ) -> set[Stretch]:
        """What findings of the topics that are no longer with these point at."""
        topics = {topic for item in sources for topic in item.topics} - set(names)
        return {
            _stretch(span)
            for topic in topics
            for finding in self._findings.get(topic, ())
            for span in finding.evidence
        }

    def _let_go(self, leaders: Mapping[str, str]) -> None:
        """Items that are part of another now, and those that nothing says any more."""
        for item in self._items.values():
            anchor = anchor_of(item)
            if item.id in self.touched or leaders.get(anchor) == anchor:
                continue
            if anchor in leaders or self._merging.rules.is_whole:
                self.erased[item.id] = item
            else:
                reason = self._alone.get(anchor)
                why = f"not kept any more: {reason}" if isinstance(reason, str) else ""
                unsaid = FORMER_MINERS.get(item.miner, UNSAID)
                unsupported = replace(item, topics=(anchor,))
                self.touched[item.id] = retired(unsupported, why or unsaid)


def may_retire(item: KnowledgeItem) -> bool:
    """What a person approved or wrote stays, whatever harvest thinks of it now."""
    holds = item.status in {"active", "candidate"} or is_replaced(item)
    return holds and not item.decided and not item.edited


def retired(item: KnowledgeItem, reason: str) -> KnowledgeItem:
    return replace(item, status="retired", reason=reason)


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


def _stretch(span: Evidence) -> Stretch:
    return span.session, span.line, span.part, span.start, span.length


def _miner(findings: list[Finding] | None) -> str:
    return findings[0].miner if findings else "unknown"
