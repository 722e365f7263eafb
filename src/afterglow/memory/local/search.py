"""Finds entries by words (BM25, sentence by sentence, and neighbours), else by parts of words, else by the bare text; what
is near in meaning adds to that, where a model says it.

Each telling word of a question brings the newest entries that have it; common words only help to weigh the best of
these. A long question is asked sentence by sentence, and an entry gets from each what it has above the tenth: a
sentence that fits everything says nothing, and none drowns the others. Words that stand side by side in the question
and in an entry count once more, together.
"""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import chain, islice, pairwise
from math import inf, log

from msgspec import Struct

from afterglow.memory.local.index import (
    TAIL,
    KnownWord,
    Words,
    fresh,
    known_words,
    read_words,
)
from afterglow.memory.local.kinds import kinds_named, members
from afterglow.memory.local.schema import Stored, storable
from afterglow.text.words import MAX_TEXT_CHARACTERS, at_most_one_letter_off

# What decides quality; `python -m bench.memory` measures it.
K1, B = 1.2, 0.75  # of BM25, as everywhere
MAX_COMMON_WORTH = 1.4  # what a word is worth that a quarter of all entries have
MIN_COMMON_ENTRIES = 50  # entries may have a word before it is called common
FLOOR_PLACE = 10  # an entry gets what it has above the entry at this place
PAIR_SHARE = 0.5  # what two words side by side add, of what they are worth
PART_SHARE = 0.3  # what a word is worth that only holds, or nearly is, the word asked
KIND_SHARE = 0.5  # what a word is worth that is of the kind that was asked for
LITERAL_SCORE = 1.0  # what it adds to hold the question as it stands
TELLING_LETTERS = 5  # shorter words of letters tell less
# What keeps a search fast.
MAX_ENTRIES_OF_WORD = 300  # the newest that are looked at
MIN_WEIGHED = 50  # best entries that are weighed with all words
MAX_SENTENCES = 40  # of a question: a page of text
MAX_SIMILAR_WORDS = 20  # that a part of a word stands for
MAX_MISTYPED = 4  # words of a question: where more are unknown, they are just unknown
MIN_MISTYPED_LETTERS = 5  # of a word that may have a typing error
MAX_HALF_ALIKE = 200  # words with the same half that are compared
MAX_SCANNED_ENTRIES = 5_000  # few enough to look through all texts

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+|(?<=[\u3002\uff01\uff1f])")
_LAST_CHARACTER = "\U0010ffff"

Scores = dict[int, float]  # by the numbers of entries


class IndexedUser(Struct, frozen=True):
    """Number, entries, and how long they are on average."""

    number: int
    entries: int
    average_length: float


class Term(Struct, frozen=True):
    """What a word of a question stands for: words of entries, and what it is worth to have one of them."""

    words: tuple[int, ...]
    worth: float
    common: bool


Terms = dict[str, Term]  # by the word of the question


class Search:
    """One question of one user."""

    def __init__(
        self,
        db: sqlite3.Connection,
        user: IndexedUser,
        near_in_meaning: Scores | None = None,
    ) -> None:
        self._db = db
        self._user = user
        self._near_in_meaning = near_in_meaning or {}
        # Of fresh entries, by word: entry, hits, length.
        self._fresh: dict[int, list[tuple[int, int, int]]] = {}
        self._scores_of: dict[Term, Scores] = {}

    def ranked(self, question: str, limit: int) -> list[int]:
        """Numbers of entries, best first, newest first among equals. Nothing is about an empty question."""
        if not question.strip():
            return []
        sentences = _sentences(question)
        stems: dict[str, str] = {}
        for sentence in sentences:
            for word in (*sentence.pieces, *sentence.joined):
                stems[word.form] = word.stem
        scores = self._best(sentences, self._terms(stems), limit)
        if len(scores) < limit:
            rough = self._best(sentences, self._rough_terms(stems), limit)
            for entry, score in rough.items():
                scores.setdefault(entry, PART_SHARE * score)
        may_scan = self._user.entries <= MAX_SCANNED_ENTRIES
        if not stems or (len(scores) < limit and may_scan):
            for entry in self._holding(question.strip(), limit):
                scores[entry] = scores.get(entry, 0.0) + LITERAL_SCORE
        for entry, score in self._near_in_meaning.items():
            scores[entry] = scores.get(entry, 0.0) + score
        for entry in self._where('"key" = ?', [storable(question)], 1):
            scores[entry] = inf
        best_first = sorted(
            scores, key=lambda entry: (-round(scores[entry], 6), -entry)
        )
        return best_first[:limit]

    def _where(self, condition: str, values: Sequence[Stored], limit: int) -> list[int]:
        query = f"SELECT n FROM entries WHERE user = ? AND {condition} ORDER BY n DESC LIMIT ?"
        rows = self._db.execute(query, [self._user.number, *values, limit])
        return [entry for (entry,) in rows]

    def _holding(self, text: str, limit: int) -> list[int]:
        """Entries that hold the text; case does not matter where SQLite knows it, in ASCII."""
        lower = storable("".join(c.lower() if c.isascii() else c for c in text))
        condition = '(instr(lower("key"), ?) OR instr(lower(value), ?))'
        return self._where(condition, [lower, lower], limit)

    def _terms(self, stems: dict[str, str]) -> Terms:
        """Each word of the question, or what it is a typing error of."""
        numbers = known_words(self._db, self._user.number, set(stems.values()))
        exact: dict[str, list[KnownWord]] = {}
        unknown: list[str] = []
        for form, stem in stems.items():
            if stem in numbers:
                exact[form] = [numbers[stem]]
            elif len(form) >= MIN_MISTYPED_LETTERS:
                unknown.append(form)
        near = {}
        if len(unknown) <= MAX_MISTYPED:
            near = {form: self._near(form) for form in unknown}
        return (
            self._weighted(exact, 1.0)
            | self._weighted(near, PART_SHARE)
            | self._kind_terms(stems.values())
        )

    def _kind_terms(self, stems: Collection[str]) -> Terms:
        """What is of a kind that the question names."""
        of_kind: dict[str, list[KnownWord]] = {}
        for kind in kinds_named(stems):
            words = known_words(self._db, self._user.number, members(kind))
            of_kind[_kind_form(kind)] = list(words.values())
        return self._weighted(of_kind, KIND_SHARE)

    def _rough_terms(self, forms: Iterable[str]) -> Terms:
        """Words that hold a word of the question."""
        holding = {form: self._starting(form[:TAIL]) for form in forms}
        return self._weighted(holding, 1.0)

    def _starting(self, tail: str) -> list[KnownWord]:
        query = """SELECT DISTINCT n, entries FROM tails JOIN words ON n = tails.word
                   WHERE tails.user = ? AND tail >= ? AND tail < ? LIMIT ?"""
        last = f"{tail}{_LAST_CHARACTER}"
        values = [self._user.number, tail, last, MAX_SIMILAR_WORDS]
        return list(map(KnownWord._make, self._db.execute(query, values)))

    def _near(self, form: str) -> list[KnownWord]:
        """One letter off, but not the first: then one half of the word is as it should be."""
        half = len(form) // 2
        start, end = form[:half], form[half:][:TAIL]
        query = """SELECT n, entries, form FROM tails JOIN words ON n = tails.word JOIN forms ON forms.word = n
                   WHERE tails.user = ? AND tail BETWEEN ? AND ? LIMIT ?"""
        near: dict[KnownWord, None] = {}
        for low, high in ((start, f"{start}{_LAST_CHARACTER}"), (end, end)):
            values = [self._user.number, low, high, MAX_HALF_ALIKE]
            for number, entries, spelling in self._db.execute(query, values):
                if spelling[0] == form[0] and at_most_one_letter_off(form, spelling):
                    near[KnownWord(number, entries)] = None
        return list(near)

    def _weighted(self, words: dict[str, list[KnownWord]], share: float) -> Terms:
        """A term for each word of the question that stands for one; worth `share` of what it would be."""
        groups = chain.from_iterable(words.values())
        self._look_at_fresh({word.number for word in groups})
        terms: Terms = {}
        for form, group in words.items():
            if group:
                terms[form] = self._term(group, share * _telling(form))
        return terms

    def _look_at_fresh(self, numbers: set[int]) -> None:
        new = numbers - self._fresh.keys()
        if not new:
            return
        self._fresh |= {number: [] for number in new}
        for entry in fresh(self._db, self._user.number):
            hits = entry.hits()
            for number in new & hits.keys():
                row = (entry.entry, hits[number], entry.length)
                self._fresh[number].append(row)

    def _term(self, words: Sequence[KnownWord], share: float) -> Term:
        total = self._user.entries
        having = sum(word.entries + len(self._fresh[word.number]) for word in words)
        having = min(total, having)
        worth = share * log(1 + (total - having + 0.5) / (having + 0.5))
        common = having > MIN_COMMON_ENTRIES and worth < MAX_COMMON_WORTH
        return Term(tuple(word.number for word in words), worth, common)

    def _best(self, sentences: Sequence[Words], terms: Terms, limit: int) -> Scores:
        if len(sentences) == 1:
            total = self._sentence_scores(sentences[0], terms)
        else:
            total = defaultdict(float)
            for sentence in sentences:
                scores = self._sentence_scores(sentence, terms)
                for entry, score in _above_floor(scores).items():
                    total[entry] += score
        chosen = nlargest(max(MIN_WEIGHED, 2 * limit), total, key=total.__getitem__)
        best = {entry: total[entry] for entry in chosen}
        self._add_common_words_and_pairs(best, sentences, terms)
        return best

    def _sentence_scores(self, sentence: Words, terms: Terms) -> Scores:
        """By the telling words of a sentence; by the common ones where it has no other."""
        words = (*sentence.pieces, *sentence.joined)
        forms = [word.form for word in words]
        forms += map(_kind_form, kinds_named([word.stem for word in words]))
        asked_terms = {terms[form] for form in forms if form in terms}
        telling = [term for term in asked_terms if not term.common]
        scores: Scores = defaultdict(float)
        for term in telling or asked_terms:
            for entry, score in self._term_scores(term).items():
                scores[entry] += score
        return scores

    def _term_scores(self, term: Term) -> Scores:
        if term not in self._scores_of:
            self._scores_of[term] = self._bm25(term)
        return self._scores_of[term]

    def _bm25(self, term: Term) -> Scores:
        """Of the newest entries that have the term."""
        query = "SELECT entry, hits, length FROM postings WHERE word = ? ORDER BY entry DESC LIMIT ?"
        # Newest first: among equals these stay.
        rows = [row for number in term.words for row in self._fresh[number]]
        for number in term.words:
            rows += self._db.execute(query, [number, MAX_ENTRIES_OF_WORD])
        most = term.worth * (K1 + 1)
        plain, per_word = K1 * (1 - B), K1 * B / self._user.average_length
        return {
            entry: most * hits / (hits + plain + per_word * length)
            for entry, hits, length in rows
        }

    def _add_common_words_and_pairs(
        self, scores: Scores, sentences: Sequence[Words], terms: Terms
    ) -> None:
        common: list[Term] = []
        if len(sentences) == 1:
            common = [term for term in terms.values() if term.common]
        pairs = _pairs(sentences, terms)
        if not pairs and not common:
            return
        numbers = ", ".join(map(str, scores))
        query = f"SELECT n, words FROM entries WHERE n IN ({numbers})"
        for entry, order in self._db.execute(query):
            if common:
                scores[entry] += _worth_in(array("I", order), common)
            side_by_side = pairs.keys() & _neighbours(order)
            scores[entry] += sum(pairs[pair] for pair in side_by_side)


def _worth_in(order: Iterable[int], terms: Iterable[Term]) -> float:
    """Of those of the terms that an entry with these words has."""
    words = frozenset(order)
    present = [term for term in terms if not words.isdisjoint(term.words)]
    return sum(term.worth for term in present)


def _sentences(question: str) -> list[Words]:
    """Each sentence once."""
    parts = _SENTENCE.split(question[:MAX_TEXT_CHARACTERS])
    distinct = dict.fromkeys(part for part in parts if part.strip())
    return [read_words(part) for part in islice(distinct, MAX_SENTENCES)]


def _above_floor(scores: Scores) -> Scores:
    """What the best entries of a sentence have above the last of them."""
    best = nlargest(FLOOR_PLACE, scores, key=scores.__getitem__)
    floor = scores[best[-1]] if len(best) == FLOOR_PLACE else 0.0
    return {entry: scores[entry] - floor for entry in best}


def _kind_form(kind: str) -> str:
    """What stands for a kind among the words of a question; no word has a colon."""
    return f"kind: {kind}"


def _telling(form: str) -> float:
    """Short words tell little in all languages that have letters: they are what sentences are held together by."""
    if not form.isascii() or not form.isalpha():
        return 1.0
    return min(1.0, len(form) / TELLING_LETTERS)


def _pairs(sentences: Sequence[Words], terms: Terms) -> dict[int, float]:
    """Words that stand side by side in the question, and what it adds to have them so."""
    pairs: dict[int, float] = defaultdict(float)
    for sentence in sentences:
        in_order = [terms.get(word.form) for word in sentence.pieces]
        for first, second in pairwise(in_order):
            if first is None or second is None:
                continue
            pair = _pair(first.words[0], second.words[0])
            pairs[pair] += PAIR_SHARE * (first.worth + second.worth)
    return pairs


def _pair(first: int, second: int) -> int:
    return array("Q", array("I", [first, second]).tobytes())[0]


def _neighbours(order: bytes) -> Iterator[int]:
    """All pairs of words side by side, each as one number."""
    even, odd = len(order) // 8 * 8, (len(order) - 4) // 8 * 8
    return chain(array("Q", order[:even]), array("Q", order[4 : 4 + odd]))
