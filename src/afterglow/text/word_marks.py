"""Recognising words again without keeping them: a mark is how many words there are, a little of the first one, and a
hash of all.

Whatever stands around the words, and however lines are broken, they are found by their mark. The little of the first
word (16 bits) spares hashing at nearly every place of a long text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from hashlib import blake2b
from zlib import crc32

# Agents put text between tags without a space; so tags end a word, here as there.
_WORD = re.compile(r"[^\s<>]+")
_MARK = re.compile(r"(\d+)-([0-9a-f]{4})-[0-9a-f]{16}")


def words_mark(text: str) -> str:
    """The mark of all the words of a text; a text without any has none."""
    words = _WORD.findall(text)
    return _mark(words) if words else ""


def marks_in(text: str, marks: Collection[str]) -> set[str]:
    """Those of the marks whose words stand in a text, one behind the other."""
    lengths_by_beginning: dict[str, set[int]] = defaultdict(set)
    for mark in marks:
        if match := _MARK.fullmatch(mark):
            lengths_by_beginning[match[2]].add(int(match[1]))
    if not lengths_by_beginning:
        return set()
    words = _WORD.findall(text)
    places = [
        (place, lengths_by_beginning[beginning])
        for place, beginning in enumerate(map(_beginning, words))
        if beginning in lengths_by_beginning
    ]
    standing = {
        _mark(words[place : place + length])
        for place, lengths in places
        for length in lengths
    }
    return standing & set(marks)


def _mark(words: list[str]) -> str:
    digest = blake2b(_encoded(" ".join(words)), digest_size=8).hexdigest()
    return f"{len(words)}-{_beginning(words[0])}-{digest}"


def _beginning(word: str) -> str:
    return f"{crc32(_encoded(word)) & 0xFFFF:04x}"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
