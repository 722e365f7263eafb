"""Some topics on their way into knowledge: what each says by itself, which are one item, and which items go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from afterglow.flows.harvest.merge_rules import (
    NOT_HERE,
    STUMBLED,
    UNSAID,
    may_retire,
    retired,
)
from afterglow.flows.harvest.topic_groups import (
    TopicChange,
    anchor_of,
    place_of,
    told_topic,
)
from afterglow.harvest import FORMER_MINERS
from afterglow.harvest.merge import id_of, in_order
from afterglow.records.knowledge import Evidence, Finding, KnowledgeItem

if TYPE_CHECKING:
    from afterglow.flows.harvest.merge_topics import Merging

Items = dict[str, KnowledgeItem]
Stretch = tuple[str, int, str, int, int]  # session, line, part, start and length


class MergeBatch:
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
        item = self._told_item(leader, names, before)
        if isinstance(item, KnowledgeItem):
            topics = (leader, *sorted(names - {leader}))
            id = before.id if before is not None else id_of(leader)
            self.touched[id] = replace(item, id=id, topics=topics)
        elif before is not None and self._merging.rules.is_whole:
            self._trim(before, names)

    def _told_item(
        self, leader: str, names: set[str], before: KnowledgeItem | None
    ) -> KnowledgeItem | str | None:
        """What was told of a topic by itself already, where it is all that the item is and was."""
        owner = self._item_of(leader)
        was_alone = owner is None or owner.topics == (leader,)
        if names == {leader} and was_alone and before is owner:
            return self._alone.get(leader)
        return self._joined(leader, names, before)

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


def _stretch(span: Evidence) -> Stretch:
    return span.session, span.line, span.part, span.start, span.length


def _miner(findings: list[Finding] | None) -> str:
    return findings[0].miner if findings else "unknown"
