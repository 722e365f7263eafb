"""Finds entries by words (BM25, sentence by sentence, and neighbours), else by parts of words, else by the bare text.

Each telling word of a question brings the newest DEPTH entries that have it; common words only help to weigh the best
of these. A long question is asked sentence by sentence, and an entry gets from each what it has above the tenth: a
sentence that fits everything says nothing, and none drowns the others. Words that stand side by side in the question
and in an entry count once more, together.
"""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import chain, islice, pairwise
from math import inf, log

from msgspec import Struct

from afterglow.memory.local.index import TAIL, Words, fresh, known, read_words
from afterglow.memory.local.schema import Stored, storable
from afterglow.text.words import MAX_TEXT_CHARACTERS, at_most_one_letter_off

DEPTH = 300  # newest entries of a word that are looked at
FEW = 50  # entries may have a word before it is called common
TELLING = 1.4  # what a word is worth that a quarter of all entries have
WEIGHED = 50  # best entries that are weighed with all words
SENTENCES = 40
ABOVE = 10  # an entry gets what it has above the one at this place
K1, B = 1.2, 0.75
PAIR = 0.5  # what two words side by side add, as a share of what they are worth
PART = (
    0.3  # what a word is worth that only holds, or nearly is, the word of the question
)
SIMILAR = 20  # words that a part of a word stands for
MISTYPED = (
    4  # words of a question at most: where more are unknown, they are just unknown
)
NEAR = 200  # words with the same half that are compared
LONG_ENOUGH = 5  # letters of a word that may have a typing error
SCANNED = (
    5_000  # entries are few enough to look through all texts when something is missing
)
LITERAL = 1.0  # what it adds to hold the question as it stands

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+|(?<=[\u3002\uff01\uff1f])")

Scores = dict[int, float]  # by the numbers of entries


class Of(Struct, frozen=True):
    """A user: number, entries, and how long they are on average."""

    user: int
    entries: int
    average: float


class Meant(Struct, frozen=True):
    """What a word of a question stands for: words of entries, and what it is worth to have one of them."""

    words: tuple[int, ...]
    worth: float
    common: bool


class Search:
    """One question of one user."""

    def __init__(self, db: sqlite3.Connection, of: Of) -> None:
        self._db = db
        self._of = of
        self._fresh: dict[
            int, list[tuple[int, int, int]]
        ] = {}  # word -> entry, hits, length

    def ranked(self, question: str, limit: int) -> list[int]:
        """Numbers of entries, best first, newest first among equals. Nothing is about an empty question."""
        if not question.strip():
            return []
        parts = dict.fromkeys(
            part
            for part in _SENTENCE.split(question[:MAX_TEXT_CHARACTERS])
            if part.strip()
        )
        sentences = [read_words(part) for part in islice(parts, SENTENCES)]
        forms = {
            word.form: word.stem
            for words in sentences
            for word in (*words.pieces, *words.joined)
        }
        found = self._best(sentences, self._exactly(forms), limit)
        if len(found) < limit:
            for entry, score in self._best(
                sentences, self._roughly(forms), limit
            ).items():
                found.setdefault(entry, PART * score)
        if not forms or (len(found) < limit and self._of.entries <= SCANNED):
            for entry in self._literally(question.strip(), limit):
                found[entry] = found.get(entry, 0.0) + LITERAL
        for entry in self._where('"key" = ?', [storable(question)], 1):
            found[entry] = inf
        return sorted(found, key=lambda entry: (-round(found[entry], 6), -entry))[
            :limit
        ]

    def _where(self, condition: str, values: Sequence[Stored], limit: int) -> list[int]:
        query = f"SELECT n FROM entries WHERE user = ? AND {condition} ORDER BY n DESC LIMIT ?"
        return [
            entry
            for (entry,) in self._db.execute(query, [self._of.user, *values, limit])
        ]

    def _literally(self, text: str, limit: int) -> list[int]:
        lower = storable(
            "".join(c.lower() if c.isascii() else c for c in text)
        )  # as SQLite does it
        return self._where(
            '(instr(lower("key"), ?) OR instr(lower(value), ?))', [lower, lower], limit
        )

    def _exactly(self, forms: dict[str, str]) -> dict[str, Meant]:
        """Each word of the question, or what it is a typing error of."""
        numbers = known(self._db, self._of.user, set(forms.values()))
        found = {
            form: [numbers[stem]] for form, stem in forms.items() if stem in numbers
        }
        unknown = [
            form for form in forms if form not in found and len(form) >= LONG_ENOUGH
        ]
        near = (
            {form: self._near(form) for form in unknown}
            if len(unknown) <= MISTYPED
            else {}
        )
        return self._meant(found) | self._meant(
            {form: words for form, words in near.items() if words}, PART
        )

    def _roughly(self, forms: Iterable[str]) -> dict[str, Meant]:
        """Words that hold a word of the question."""
        found = {form: self._starting(form[:TAIL]) for form in forms}
        return self._meant({form: words for form, words in found.items() if words})

    def _starting(self, tail: str) -> list[tuple[int, int]]:
        query = """SELECT DISTINCT n, entries FROM tails JOIN words ON n = tails.word
                   WHERE tails.user = ? AND tail >= ? AND tail < ? LIMIT ?"""
        return self._db.execute(
            query, [self._of.user, tail, f"{tail}\U0010ffff", SIMILAR]
        ).fetchall()

    def _near(self, form: str) -> list[tuple[int, int]]:
        """One letter off, but not the first: then one half of the word is as it should be."""
        half = len(form) // 2
        found: dict[tuple[int, int], None] = {}
        for start, end in (
            (form[:half], f"{form[:half]}\U0010ffff"),
            (form[half:][:TAIL],) * 2,
        ):
            query = """SELECT n, entries, form FROM tails JOIN words ON n = tails.word JOIN forms ON forms.word = n
                       WHERE tails.user = ? AND tail BETWEEN ? AND ? LIMIT ?"""
            for number, entries, other in self._db.execute(
                query, [self._of.user, start, end, NEAR]
            ):
                if other[0] == form[0] and at_most_one_letter_off(form, other):
                    found[number, entries] = None
        return list(found)

    def _meant(
        self, found: dict[str, list[tuple[int, int]]], share: float = 1.0
    ) -> dict[str, Meant]:
        asked = {
            number for words in found.values() for number, _ in words
        } - self._fresh.keys()
        self._fresh |= {number: [] for number in asked}
        for one in fresh(self._db, self._of.user) if asked else ():
            hits = one.hits()
            for number in asked & hits.keys():
                self._fresh[number].append((one.entry, hits[number], one.length))
        return {
            form: self._weight(words, share * _telling(form))
            for form, words in found.items()
        }

    def _weight(self, words: Sequence[tuple[int, int]], share: float) -> Meant:
        have = min(
            self._of.entries,
            sum(entries + len(self._fresh[number]) for number, entries in words),
        )
        worth = share * log(1 + (self._of.entries - have + 0.5) / (have + 0.5))
        return Meant(
            tuple(number for number, _ in words), worth, have > FEW and worth < TELLING
        )

    def _best(
        self, sentences: Sequence[Words], words: dict[str, Meant], limit: int
    ) -> Scores:
        total: Scores = {}
        scores = _cached(self._scores)
        for sentence in sentences:
            asked = {
                words[word.form]
                for word in (*sentence.pieces, *sentence.joined)
                if word.form in words
            }
            one: Scores = {}
            for word in [word for word in asked if not word.common] or asked:
                for entry, score in scores(word).items():
                    one[entry] = one.get(entry, 0.0) + score
            if len(sentences) == 1:
                total = one
                break
            best = nlargest(ABOVE, one, key=one.__getitem__)
            floor = one[best[-1]] if len(best) == ABOVE else 0.0
            for entry in best:
                total[entry] = total.get(entry, 0.0) + one[entry] - floor
        chosen = nlargest(max(WEIGHED, 2 * limit), total, key=total.__getitem__)
        return self._weighed(
            {entry: total[entry] for entry in chosen}, sentences, words
        )

    def _scores(self, word: Meant) -> Scores:
        """BM25 of the newest entries that have the word."""
        top, bare, each = word.worth * (K1 + 1), K1 * (1 - B), K1 * B / self._of.average
        query = "SELECT entry, hits, length FROM postings WHERE word = ? ORDER BY entry DESC LIMIT ?"
        rows = [
            row for number in word.words for row in self._fresh[number]
        ]  # newest first: among equals these stay
        for number in word.words:
            rows += self._db.execute(query, [number, DEPTH])
        return {
            entry: top * hits / (hits + bare + each * length)
            for entry, hits, length in rows
        }

    def _weighed(
        self, scores: Scores, sentences: Sequence[Words], words: dict[str, Meant]
    ) -> Scores:
        """With what common words and neighbours add."""
        common = (
            [word for word in words.values() if word.common]
            if len(sentences) == 1
            else []
        )
        pairs: dict[int, float] = {}
        for sentence in sentences:
            asked = [words.get(word.form) for word in sentence.pieces]
            for one, other in pairwise(asked):
                if one and other:
                    pair = _pair(one.words[0], other.words[0])
                    pairs[pair] = pairs.get(pair, 0.0) + PAIR * (
                        one.worth + other.worth
                    )
        query = (
            f"SELECT n, words FROM entries WHERE n IN ({', '.join(map(str, scores))})"
        )
        for entry, order in self._db.execute(query) if pairs or common else ():
            if common:
                has = frozenset(array("I", order))
                scores[entry] += sum(
                    word.worth for word in common if not has.isdisjoint(word.words)
                )
            scores[entry] += sum(
                pairs[pair] for pair in pairs.keys() & _neighbours(order)
            )
        return scores


def _cached(work: Callable[[Meant], Scores]) -> Callable[[Meant], Scores]:
    known: dict[Meant, Scores] = {}

    def cached(word: Meant) -> Scores:
        if word not in known:
            known[word] = work(word)
        return known[word]

    return cached


def _telling(form: str) -> float:
    """Short words tell little in all languages that have letters: they are what sentences are held together by."""
    return min(1.0, len(form) / 5) if form.isascii() and form.isalpha() else 1.0


def _pair(one: int, other: int) -> int:
    return array("Q", array("I", [one, other]).tobytes())[0]


def _neighbours(order: bytes) -> Iterator[int]:
    """All pairs of words side by side, each as one number."""
    even, odd = len(order) // 8 * 8, (len(order) - 4) // 8 * 8
    return chain(array("Q", order[:even]), array("Q", order[4 : 4 + odd]))
