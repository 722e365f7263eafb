"""Recognising words again without keeping them: a mark is how many words there are and a hash of them.

Whatever stands around the words, and however lines are broken, they are found by their mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from hashlib import blake2b

# Agents put text between tags without a space; so tags end a word, here as there.
_WORD = re.compile(r"[^\s<>]+")


def words_mark(text: str) -> str:
    """The mark of all the words of a text; a text without any has none."""
    words = _WORD.findall(text)
    return f"{len(words)}-{_hash(words)}" if words else ""


def marks_in(text: str, marks: Collection[str]) -> set[str]:
    """Those of the marks whose words stand in a text, one behind the other."""
    lengths = {_length(mark) for mark in marks} - {0}
    if not lengths:
        return set()
    words = _WORD.findall(text)
    return {
        mark
        for length in lengths
        for mark in _marks_of_length(words, length)
        if mark in marks
    }


def _marks_of_length(words: list[str], length: int) -> Iterator[str]:
    for start in range(len(words) - length + 1):
        yield f"{length}-{_hash(words[start : start + length])}"


def _length(mark: str) -> int:
    length, _, _ = mark.partition("-")
    return int(length) if length.isdecimal() else 0


def _hash(words: list[str]) -> str:
    text = " ".join(words).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8).hexdigest()
