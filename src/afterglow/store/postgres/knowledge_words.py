"""Finding a hub's items by words, with the index of `knowledge_word_index`: how well the items fit that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log
from typing import Any

from msgspec import Struct

from afterglow.store.databases import Database
from afterglow.store.knowledge_rows import mark_of, sure_marks
from afterglow.store.search import RAREST, Asked, Ranked, Scope, score

ALL, SOME = 1, 2  # kinds of rows
# Filters that most items fit, so that looking by them costs more than it saves.
_COMMON = {mark_of("status", "active"), sure_marks(0.5)[0]}


class HubWords:
    """The index of an organisation, for one question."""

    narrow = True  # in scope its lists are shorter

    def __init__(self, db: Database, org: int, question: Asked) -> None:
        self._db = db
        self._org = org
        self._words = question.words[: 3 * RAREST]
        is_short = len(question.names) <= RAREST
        self._every = self._all_of(question) if is_short else ""
        self._answers: dict[tuple[str, str], _Answer] = {}

    def find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked:
        if any(not marks for marks in scope):
            return []
        lists = [marks for marks in scope if not _COMMON.intersection(marks)]
        within = "".join(f" & ({self._any_of(marks)})" for marks in lists)
        answer = self._answer(self._every, within, most)
        if not every and len(answer.with_all) >= most:
            answer = self._answer("", within, most)
        texts = answer.with_all if every else answer.with_some
        ranked = [(n, score(text, answer.weights)) for n, text in texts.items()]
        return sorted(ranked, key=lambda scored: -scored[1])[:most]

    def _answer(self, every: str, within: str, most: int) -> _Answer:
        if (every, within) not in self._answers:
            marks = [self._mark(word) for word in self._words]
            query = "SELECT kind, number, item_words FROM found_by_words(?::text[], ?, ?, ?)"
            rows = self._db.execute(query, [marks, every, within, most]).fetchall()
            self._answers[every, within] = _Answer.of(self._words, rows)
        return self._answers[every, within]

    def _all_of(self, question: Asked) -> str:
        parts = []
        for name in question.names:
            part = " & ".join(self._mark(piece.stem) for piece in name.pieces)
            if name.joined:
                part = f"({part}) | {self._mark(name.joined.stem)}"
            parts.append(f"({part})")
        return f"({' & '.join(parts)})"

    def _any_of(self, words: Iterable[str]) -> str:
        return " | ".join(map(self._mark, words))

    def _mark(self, word: str) -> str:
        """As it stands in the index, and quoted as a question there wants it."""
        quoted = word.replace("\\", "\\\\").replace("'", "''")
        return f"'{self._org}:{quoted}'"


class _Answer(Struct, frozen=True):
    """What the function found: how much each word tells, and the words of items by their numbers."""

    weights: dict[str, float]
    with_all: dict[int, str]
    with_some: dict[int, str]

    @classmethod
    def of(cls, words: Sequence[str], rows: Sequence[Any]) -> _Answer:
        items, *times = [number for kind, number, _ in rows if kind == 0]
        return cls(
            weights={
                word: _weight(items, have)
                for word, have in zip(words, times, strict=True)
            },
            with_all={n: text for kind, n, text in rows if kind == ALL},
            with_some={n: text for kind, n, text in rows if kind == SOME},
        )


def _weight(items: int, have: int) -> float:
    """How much a word tells, by BM25; both are guesses, so more may seem to have it than there are."""
    have = min(have, items)
    return log(1 + (items - have + 0.5) / (have + 0.5)) if have else 0.0
