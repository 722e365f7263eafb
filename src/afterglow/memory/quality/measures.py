"""Recall, hits and reciprocal rank of answers, question by question, with intervals."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from afterglow.records.evaluation import (
    Labelled,
    Labels,
    Quality,
    Question,
    Share,
    Times,
)
from afterglow.stats.intervals import mean_and_half, middle_of, wilson

CUTS = (1, 5, 10)  # the answer, a screen of answers, what an agent is given
DEEPEST_CUT = max(CUTS)

Answer = tuple[str, str]  # key, value
Find = Callable[
    [str, str, int], Sequence[Answer]
]  # user, question, limit -> best first


class SearchAnswers:
    """What one search answered: the ranked ids of every question, and how long each took."""

    def __init__(self, labels: Labels, find: Find) -> None:
        self.labels = labels
        self.ranked: list[list[str]] = []
        self.took: list[float] = []
        ids = _Ids(labels.entries)
        for question in labels.questions[:3]:  # warm
            find(question.user, question.text, DEEPEST_CUT)
        for question in labels.questions:
            start = time.perf_counter()
            answers = find(question.user, question.text, DEEPEST_CUT)
            self.took.append(time.perf_counter() - start)
            answer_ids = (
                ids.id_of(question.user, key, value) for key, value in answers
            )
            self.ranked.append(list(dict.fromkeys(answer_ids))[:DEEPEST_CUT])

    def recall(self, cut: int = DEEPEST_CUT) -> list[float]:
        return [
            len(set(ids[:cut]) & set(question.wanted)) / len(question.wanted)
            for question, ids in self._each()
        ]

    def hits(self, cut: int) -> list[float]:
        return [
            float(not set(ids[:cut]).isdisjoint(question.wanted))
            for question, ids in self._each()
        ]

    def ranks(self) -> list[float]:
        """One over the place of the first wanted entry; 0 where none of them was found."""
        return [_reciprocal_rank(question, ids) for question, ids in self._each()]

    def _each(self) -> list[tuple[Question, list[str]]]:
        return list(zip(self.labels.questions, self.ranked, strict=True))


def _reciprocal_rank(question: Question, ids: list[str]) -> float:
    places = (place for place, id in enumerate(ids, 1) if id in question.wanted)
    return 1 / next(places, math.inf)


def measured(
    name: str, answers: SearchAnswers, baselines: dict[str, SearchAnswers] | None = None
) -> Quality:
    """The numbers of one search, and how far it is ahead of the others."""
    labels, recall = answers.labels, answers.recall()
    kinds: dict[str, list[float]] = {}
    for question, value in zip(labels.questions, recall, strict=True):
        kinds.setdefault(question.kind, []).append(value)
    return Quality(
        name=name,
        labels=labels.name,
        entries=len(labels.entries),
        questions=len(labels.questions),
        recall={cut: share(answers.recall(cut)) for cut in CUTS},
        hit={cut: share(answers.hits(cut)) for cut in CUTS},
        mrr=share(answers.ranks()),
        kinds={kind: share(values) for kind, values in kinds.items() if kind},
        times=times(answers.took),
        ahead={
            baseline: gap(recall, baseline_answers.recall())
            for baseline, baseline_answers in (baselines or {}).items()
        },
    )


def share(values: Sequence[float]) -> Share:
    """A mean of numbers from 0 to 1. Wilson's interval holds for them all: none varies more than yes and no do."""
    n = len(values)
    value = math.fsum(values) / n
    low, high = wilson(value, n)
    return Share(value, low, high, n)


def gap(mine: Sequence[float], theirs: Sequence[float]) -> Share:
    """The mean difference over the same questions."""
    gaps = [value - baseline for value, baseline in zip(mine, theirs, strict=True)]
    n = len(gaps)
    if n < 2:
        return Share(math.fsum(gaps) / n, -1.0, 1.0, n)
    value, half = mean_and_half(gaps)
    return Share(value, max(value - half, -1.0), min(value + half, 1.0), n)


def times(seconds: Sequence[float]) -> Times:
    """Seconds of many calls, in milliseconds."""
    ordered = sorted(1000 * duration for duration in seconds)
    n = len(ordered)
    return Times(
        n,
        middle_of(ordered),
        ordered[math.ceil(0.95 * n) - 1],
    )


class _Ids:
    """Which entry an answer is. The value of an older version is that version, and no answer to what wants the newest;
    a value nobody stored (something in it was hidden) is the newest of its key."""

    def __init__(self, entries: Sequence[Labelled]) -> None:
        self._newest = {(entry.user, entry.key): entry.id for entry in entries}
        self._exact = {
            (entry.user, entry.key, entry.value): entry.id for entry in entries
        }

    def id_of(self, user: str, key: str, value: str) -> str:
        newest = self._newest.get((user, key), f"unknown {key}")
        return self._exact.get((user, key, value), newest)
