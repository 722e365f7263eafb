"""A knowledge store that keeps nothing: what a dry run would write, and what was known at some time in the past."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable

from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge_risk import Door
from afterglow.store.knowledge_rows import PlacedFact


class Rehearsal:
    """As much of `store.knowledge.Knowledge` as merging needs, in memory."""

    def __init__(self, fact: Callable[[str], str] = lambda name: "") -> None:
        """`fact` looks up what is noted of a repository, as the store that is rehearsed would."""
        self.fact = fact
        self.kept: dict[str, KnowledgeItem] = {}
        self._topics: dict[str, str] = {}
        self._keys: dict[str, set[str]] = defaultdict(set)
        self._marks: dict[str, set[str]] = defaultdict(set)

    def of_topics(self, topics: Iterable[str]) -> dict[str, str]:
        return {topic: self._topics[topic] for topic in topics if topic in self._topics}

    def buried(self, names: Iterable[str]) -> set[str]:
        return set()

    def find(self, ids: Iterable[str]) -> dict[str, KnowledgeItem]:
        return {id: self.kept[id] for id in ids if id in self.kept}

    def facts(self, *, category: str, repo: str, miner: str) -> list[PlacedFact]:
        return [
            PlacedFact(
                item.id,
                item.fact,
                item.topics,
                item.first_seen,
                item.decided,
                item.edited,
            )
            for item in self.kept.values()
            if (item.category, item.repo, item.miner) == (category, repo, miner)
            and (item.status != "retired" or item.decided)
        ]

    def of_keys(self, keys: Iterable[str]) -> dict[str, list[str]]:
        return {key: sorted(self._keys[key]) for key in keys if key in self._keys}

    def replaced_by(self, ids: Iterable[str]) -> dict[str, list[str]]:
        replaced: dict[str, list[str]] = defaultdict(list)
        wanted_ids = set(ids)
        for item in self.kept.values():
            if item.superseded_by in wanted_ids:
                replaced[item.superseded_by].append(item.id)
        return replaced

    def deciding(
        self, miners: Iterable[str], repos: Collection[str] | None = None
    ) -> dict[str, KnowledgeItem]:
        names = set(miners)
        return {
            item.id: item
            for item in self.kept.values()
            if (item.edited or item.miner in names)
            and item.status in {"active", "candidate", "superseded"}
            and (repos is None or item.repo in repos)
        }

    def of_fingerprints(self, fingerprints: Iterable[str]) -> dict[str, list[str]]:
        return {
            mark: sorted(self._marks[mark])
            for mark in fingerprints
            if mark in self._marks
        }

    def save(self, items: Iterable[KnowledgeItem], *, by: str, now: float) -> int:
        changed = 0
        door = Door(self.fact)
        for unjudged in items:
            before = self.kept.get(unjudged.id)
            item = door.judged(unjudged, before)
            changed += before != item
            if before is not None:
                self._forget_labels(before)
            self.kept[item.id] = item
            self._topics.update(dict.fromkeys(item.topics, item.id))
            if item.key:
                self._keys[item.key].add(item.id)
            for mark in item.fingerprints:
                self._marks[mark].add(item.id)
        return changed

    def erase(self, ids: Iterable[str]) -> None:
        for id in ids:
            item = self.kept.pop(id)
            self._forget_labels(item)

    def strip(self, ids: Iterable[str]) -> None:
        """Items lose all their evidence."""
        for id in ids:
            self.kept[id] = replace(self.kept[id], evidence=())

    def _forget_labels(self, item: KnowledgeItem) -> None:
        for topic in item.topics:
            if self._topics.get(topic) == item.id:
                del self._topics[topic]
        self._keys[item.key].discard(item.id)
        for mark in item.fingerprints:
            self._marks[mark].discard(item.id)

    def statuses(self) -> dict[str, int]:
        return dict(Counter(item.status for item in self.kept.values()))
