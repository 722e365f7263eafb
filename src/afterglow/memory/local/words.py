"""The words of an entry and of a question: the same for both.

Names are split where people split them (`read_tree`, `read-tree` and `readTree` are `read` and `tree`, `utf8` is `utf`
and `8`) and kept whole as well (`readtree`). Case, accents and common English endings do not matter. Chinese and
Japanese are written without spaces: each character is a word, and neighbours count. A change here needs a migration.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

LONGEST = 64  # characters of a word
MOST = 20_000  # characters of a text that are looked at

_ALONE = "\u3040-\u30ff\u3400-\u9fff"
_MARKS = "".join(
    c for c in map(chr, range(0x300, 0x1D00)) if unicodedata.category(c)[0] == "M"
)  # parts of letters
_LETTERS = rf"(?:[^\W_{_ALONE}][{_MARKS}]*)+"
_NAME = re.compile(rf"[{_ALONE}]|{_LETTERS}(?:[-_.]{_LETTERS})*")
_PIECE = re.compile(r"\d+|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^A-Z\d\-_.]+|[A-Z]+")
_PLAIN = re.compile(
    r"\d+|[^\d\-_.]+"
)  # of names in other letters, where capitals are not told apart
_ENDINGS = (
    "ation",
    "ement",
    "ment",
    "ence",
    "ance",
    "able",
    "ible",
    "ness",
    "ing",
    "ed",
    "ly",
    "ion",
)
_VOWEL = re.compile(r"[aeiouy]")
_TWICE = re.compile(r"([bdfgmnprt])\1$")  # `planned` is of `plan`


class Word(NamedTuple):
    """What it is found by, and how it was spelled (lower case, no accents)."""

    stem: str
    form: str


class Words(NamedTuple):
    """The words of a text in order, and the names among them that have several pieces, as one word each."""

    told: list[Word]
    whole: list[Word]


def read(text: str) -> Words:
    told: list[Word] = []
    whole: list[Word] = []
    for name in _NAME.findall(text[:MOST]):
        parts, joined = _split(name[: 4 * LONGEST])
        told += parts
        if joined:
            whole.append(joined)
    return Words(told, whole)


@lru_cache(maxsize=65536)
def _split(name: str) -> tuple[tuple[Word, ...], Word | None]:
    parts = tuple(
        word
        for word in map(_word, (_PIECE if name.isascii() else _PLAIN).findall(name))
        if word.stem
    )
    return parts, _word(re.sub(r"[-_.]", "", name)) if len(parts) > 1 else None


def _word(text: str) -> Word:
    form = plain(text)[:LONGEST]
    return Word(_stem(form), form)


def plain(text: str) -> str:
    """Lower case without accents."""
    text = text.casefold()
    if text.isascii():
        return text
    return "".join(
        c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)
    ).casefold()


def one_off(one: str, other: str) -> bool:
    """Whether a letter is wrong, missing or too many, or two are swapped, or nothing is."""
    same = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    one, other = one[same:], other[same:]
    swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return one[1:] == other[1:] or one[1:] == other or one == other[1:] or swapped


def _stem(word: str) -> str:
    """`fails`, `failed` and `failing` are `fail`, `prefers` and `preference` are `prefer`."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word[-1] == "s" and word[-2] not in "sui":
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 1 and _VOWEL.search(rest):
            if len(rest) == 2:
                return (
                    rest if rest[1] in "aeiou" else rest + "e"
                )  # `doing` and `do`, `using` and `use`
            word = rest[:-1] if _TWICE.search(rest) else rest
            break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word
