"""What people said, grouped by what they ask for and by the action they said it after.

Which words matter is learned: a word that stands in many sentences of a repository says little, a rare one much. A
sentence joins the theme it is nearest to on the average, so that themes do not grow into each other by chains.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log, sqrt

from afterglow.harvest.user_speech import about
from afterglow.records.problems import Event

MAX_WORDS = 20  # of a sentence that are compared
MIN_SHARED_WORDS = 2  # of a sentence and a theme: one word is chance
# Mean cosine to a theme's sentences, set by reading the themes of two projects. Of two sentences of different sessions
# 99.6 % are further apart where people talk much (entire-cli), 93 % where they keep asking for the same (mise). Whole
# themes may be somewhat further apart: what is by chance in each sentence evens out.
NEAR_ENOUGH = 0.25
NEAR_ENOUGH_THEMES = 0.2

Weights = dict[str, float]


def themes(events: Sequence[Event]) -> list[list[Event]]:
    """The events by what was asked for, each in one theme, the oldest first."""
    words = [_words(event) for event in events]
    occurrences = Counter(word for sentence in words for word in sentence)
    collected = _Themes()
    for event, sentence in zip(events, words, strict=True):
        collected.add(event, _weights(sentence, occurrences, len(events)))
    return collected.joined()


def _words(event: Event) -> frozenset[str]:
    """What it is about, after which action, and in which file it was done over: the same words mean the same thing more
    often there."""
    words = about(event.person, most=MAX_WORDS).split()
    actions = [f"@{name}" for name in (event.program, event.target) if name]
    return frozenset([*words, *actions])


def _weights(words: Iterable[str], occurrences: Counter[str], count: int) -> Weights:
    weights = {word: log((count + 1) / occurrences[word]) for word in words}
    length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


class _Theme:
    """Some sentences, and the sum of their weights: its product with those of another is the mean cosine."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.weights: Weights = defaultdict(float)

    def nearness(self, weights: Weights, sentences: int = 1) -> float:
        shared = [word for word in weights if word in self.weights]
        if sum(not word.startswith("@") for word in shared) < MIN_SHARED_WORDS:
            return 0.0
        product = sum(weights[word] * self.weights[word] for word in shared)
        return product / (len(self.events) * sentences)

    def take(self, events: Iterable[Event], weights: Weights) -> None:
        self.events += events
        for word, weight in weights.items():
            self.weights[word] += weight


class _Themes:
    """All themes so far, and in which of them each word stands."""

    def __init__(self) -> None:
        self.themes: list[_Theme] = []
        self.places: dict[str, set[int]] = defaultdict(set)

    def add(self, event: Event, weights: Weights) -> None:
        """To the nearest theme, or to a new one."""
        shared_words = Counter(
            place
            for word in weights
            if not word.startswith("@")
            for place in self.places[word]
        )
        candidates = sorted(
            place for place, count in shared_words.items() if count >= MIN_SHARED_WORDS
        )
        nearness = {place: self.themes[place].nearness(weights) for place in candidates}
        place = max(nearness, key=lambda each: nearness[each], default=-1)
        if place < 0 or nearness[place] < NEAR_ENOUGH:
            place = len(self.themes)
            self.themes.append(_Theme())
        self.themes[place].take([event], weights)
        for word in weights:
            self.places[word].add(place)

    def joined(self) -> list[list[Event]]:
        """The themes, those that turned out near to an older one as part of it; one sentence stays by itself."""
        older: list[_Theme] = []
        single = [theme for theme in self.themes if len(theme.events) == 1]
        larger = [theme for theme in self.themes if len(theme.events) > 1]
        for theme in sorted(larger, key=lambda each: -len(each.events)):
            size = len(theme.events)
            nearness = [each.nearness(theme.weights, size) for each in older]
            best = max(range(len(older)), key=lambda each: nearness[each], default=-1)
            if best >= 0 and nearness[best] >= NEAR_ENOUGH_THEMES:
                older[best].take(theme.events, theme.weights)
            else:
                older.append(theme)
        return [theme.events for theme in (*older, *single)]
