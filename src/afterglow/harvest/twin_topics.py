"""Which topics say the same in other words, and so are one item: decided by the topics there are, in whatever order
they came.

The oldest leads, and gives the item its id; a topic that says the same as one that leads joins it. What a person decided
about always leads: it keeps its id, and nothing takes its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from afterglow.harvest.duplicates import ALIKE, exact_words
from afterglow.harvest.supersession import says_otherwise


class ToldTopic(Struct, frozen=True):
    """What a topic says by itself, since when, and whether a person decided about the item that it gives its id to."""

    topic: str
    fact: str
    since: float
    is_decided: bool = False

    @property
    def order(self) -> tuple[bool, float, str]:
        """Who leads comes first."""
        return not self.is_decided, self.since, self.topic


class TwinTopics:
    """The topics of one place. Facts are compared where their paths, flags and numbers agree: templates make sentences
    alike that differ in exactly the one name that matters."""

    def __init__(self, topics: Iterable[ToldTopic] = ()) -> None:
        self._topics: dict[str, ToldTopic] = {}
        self._filed: dict[frozenset[str], dict[str, str]] = defaultdict(dict)
        for topic in topics:
            self.add(topic)

    def get(self, name: str) -> ToldTopic | None:
        return self._topics.get(name)

    def add(self, topic: ToldTopic) -> None:
        self.remove(topic.topic)
        self._topics[topic.topic] = topic
        self._filed[exact_words(topic.fact)][topic.topic] = _in_order(topic.fact)

    def remove(self, name: str) -> None:
        topic = self._topics.pop(name, None)
        if topic is not None:
            del self._filed[exact_words(topic.fact)][name]

    def alike(self, topic: ToldTopic) -> dict[str, float]:
        """The other topics that say the same, and how alike they are."""
        filed = self._filed.get(exact_words(topic.fact), {})
        if not filed.keys() - {topic.topic}:
            return {}
        from rapidfuzz import fuzz, process

        matches = process.extract(
            _in_order(topic.fact),
            filed,
            scorer=fuzz.ratio,
            score_cutoff=ALIKE,
            limit=None,
        )
        return {
            name: likeness
            for _, likeness, name in matches
            if name != topic.topic
            and not says_otherwise(topic.fact, self._topics[name].fact)
        }

    def around(self, names: Iterable[str]) -> set[str]:
        """These topics and all that are alike to them, or to one that is: nothing else can be of one item with them."""
        reached: set[str] = set()
        waiting = [name for name in names if name in self._topics]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self.alike(self._topics[name])
        return reached

    def leaders(self, names: Iterable[str]) -> dict[str, str]:
        """Topic -> the one it belongs to, of topics that `around` gave."""
        topics = sorted((self._topics[name] for name in names), key=_order)
        leader_of: dict[str, str] = {}
        leading: dict[str, int] = {}
        for topic in topics:
            alike = {} if topic.is_decided else self.alike(topic)
            choices = [
                (-alike[name], leading[name], name) for name in alike if name in leading
            ]
            if choices:
                leader_of[topic.topic] = min(choices)[2]
            else:
                leader_of[topic.topic] = topic.topic
                leading[topic.topic] = len(leading)
        return leader_of


def _order(topic: ToldTopic) -> tuple[bool, float, str]:
    return topic.order


def _in_order(fact: str) -> str:
    return " ".join(sorted(fact.lower().split()))
