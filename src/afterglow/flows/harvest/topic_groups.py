"""The places of a store in which topics may say the same, and which topics are one item there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from afterglow.harvest.merge import id_of
from afterglow.harvest.twin_topics import ToldTopic, TwinTopics
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import PlacedFact

Place = tuple[str, str, str]  # category, repository, miner
# What each of some topics says by itself, where it says anything.
TellAlone = Callable[[Iterable[str]], Mapping[str, KnowledgeItem]]

UNDATED = float("inf")  # what says nothing of its time leads nobody who does


class TopicChange(Struct, frozen=True):
    """Where a topic stood and stands, and what it says now. `is_joined`: it is one of several of an item, of which what
    each said before is not kept."""

    before: Place | None
    place: Place | None
    topic: ToldTopic | None
    is_joined: bool


def place_of(item: KnowledgeItem) -> Place:
    return item.category, item.repo, item.miner


def anchor_of(item: KnowledgeItem | PlacedFact) -> str:
    """The topic that gave an item its id."""
    naming = (topic for topic in item.topics if id_of(topic) == item.id)
    return next(naming, item.topics[0] if item.topics else "")


def told_topic(
    name: str, alone: KnowledgeItem | None, item: KnowledgeItem | PlacedFact | None
) -> ToldTopic | None:
    """What a topic says: by itself, or by the item that has its id from it where the topic says nothing any more or a
    person wrote the words."""
    is_anchor = item is not None and name == anchor_of(item)
    is_decided = alone is not None and (alone.decided or alone.edited)
    if item is None or not is_anchor:
        if alone is None:
            return None
        return ToldTopic(name, alone.fact, since(alone.first_seen), is_decided)
    is_decided = is_decided or item.decided or item.edited
    speaker = item if alone is None or item.edited else alone
    return ToldTopic(name, speaker.fact, since(speaker.first_seen), is_decided)


def since(first_seen: float | None) -> float:
    return UNDATED if first_seen is None else first_seen


class TopicGroups:
    """Reads each place of the store once, when it is first asked about; from then on it is told what changes."""

    def __init__(self, store: Knowledge | Rehearsal, tell_alone: TellAlone) -> None:
        self._store, self._tell_alone = store, tell_alone
        self._places: dict[Place, TwinTopics] = {}

    def regrouped(self, changes: Mapping[str, TopicChange]) -> dict[str, str]:
        """Topic -> the topic that leads its item, of all whose item may be another one now."""
        reached: dict[Place, set[str]] = defaultdict(set)
        for name, change in changes.items():
            for place, names in self._reached(name, change):
                reached[place].update(names)
        for name, change in changes.items():
            if change.before is not None:
                self._at(change.before).remove(name)
            if change.place is not None and change.topic is not None:
                self._at(change.place).add(change.topic)
        leaders: dict[str, str] = {}
        for place, names in reached.items():
            twins = self._at(place)
            leaders |= twins.leaders(twins.around(names))
        return leaders

    def _reached(
        self, name: str, change: TopicChange
    ) -> Iterable[tuple[Place, Iterable[str]]]:
        """Where a change is felt: beside what the topic said, and where it stands now."""
        before = self._at(change.before).get(name) if change.before else None
        is_same = (change.before, before) == (change.place, change.topic)
        if is_same and not change.is_joined:
            return
        if change.before is not None and before is not None:
            yield change.before, self._at(change.before).alike(before)
        if change.place is not None and change.topic is not None:
            yield change.place, [name]

    def _at(self, place: Place) -> TwinTopics:
        if place not in self._places:
            self._places[place] = TwinTopics(self._read(place))
        return self._places[place]

    def _read(self, place: Place) -> list[ToldTopic]:
        category, repo, miner = place
        rows = self._store.facts(category=category, repo=repo, miner=miner)
        joined = [topic for row in rows if len(row.topics) > 1 for topic in row.topics]
        alone = self._tell_alone(joined) if joined else {}
        topics = [
            told_topic(name, _at_place(alone.get(name), place), row)
            for row in rows
            for name in row.topics
        ]
        return [topic for topic in topics if topic is not None]


def _at_place(item: KnowledgeItem | None, place: Place) -> KnowledgeItem | None:
    return item if item is not None and place_of(item) == place else None
