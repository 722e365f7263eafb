"""Finds the item that says the same in other words.

Facts that share rare words are compared; words, paths, flags and numbers in code must agree, because templates make
sentences alike that differ in exactly the one name that matters.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

ALIKE = 86  # of 100
BLOCKS = 4  # rare words a fact is filed under
CROWD = 400  # facts under one word: too common to tell anything

_WORD = re.compile(r"[a-z0-9]+(?:[._:/=-][a-z0-9]+)*")
_EXACT = re.compile(r"`[^`]+`|\S*[\d/_=\\]\S*|(?<!\w)--?[a-z][\w-]+|\w+[a-z][A-Z]\w*")


class Twins:
    """Facts by their rarer words. `add` and `find` may alternate."""

    def __init__(self, facts: Iterable[tuple[str, str]] = ()) -> None:
        self._facts: dict[str, tuple[str, frozenset[str]]] = {}
        self._filed: dict[str, set[str]] = defaultdict(set)
        self._counts: Counter[str] = Counter()
        for id, fact in facts:
            self.add(id, fact)

    def add(self, id: str, fact: str) -> None:
        plain, words, exact = _parts(fact)
        self._facts[id] = (plain, exact)
        self._counts.update(words)
        for word in words:
            self._filed[word].add(id)

    def fact(self, id: str) -> str:
        """In small letters, as it is compared."""
        return self._facts[id][0]

    def find(self, fact: str) -> str | None:
        """The id of the fact most like this one, if it is alike enough."""
        plain, words, exact = _parts(fact)
        rarest = sorted(words, key=lambda word: (self._counts[word] or CROWD, word))
        near: set[str] = set()
        for word in rarest[:BLOCKS]:
            if self._counts[word] < CROWD:
                near |= self._filed[word]
        candidates = {}
        for id in sorted(near):
            candidate, candidate_exact = self._facts[id]
            if candidate_exact == exact:
                candidates[id] = candidate
        if not candidates:
            return None
        from rapidfuzz import fuzz, process

        best = process.extractOne(
            plain, candidates, scorer=fuzz.token_sort_ratio, score_cutoff=ALIKE
        )
        return best[2] if best else None


def exact_words(fact: str) -> frozenset[str]:
    """The words of a fact that must be the same in another: code, paths, flags, numbers."""
    return frozenset(word.strip("`.,;:'\"()") for word in _EXACT.findall(fact))


def _parts(fact: str) -> tuple[str, set[str], frozenset[str]]:
    small = fact.lower()
    return small, set(_WORD.findall(small)), exact_words(fact)
