"""The words of a text as the search index knows them: the same for what is kept and for what a person asks.

Names are split where people split them (`read-tree`, `read_tree` and `readTree` are `read` and `tree`) and kept joined
as well (`readtree`). Case, accents and the commonest English endings do not matter. A change here needs a migration
that writes the table `texts` anew.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from msgspec import Struct

LONGEST = 64  # characters of a word
MOST = 20_000  # characters of a text that are looked at

_ALONE = "぀-ヿ㐀-鿿"  # Chinese and Japanese are written without spaces: each character is a word
_LETTERS = rf"[^\W_{_ALONE}]+"
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^A-Z\-_.]+|[A-Z]+")


class Name(Struct, frozen=True):
    """One name of a text: the words it is made of, and all of them as one word where they are several."""

    pieces: tuple[str, ...]
    joined: str = ""


def names(text: str) -> list[Name]:
    found = (_name(word[: 4 * LONGEST]) for word in _pattern().findall(text[:MOST]))
    return [name for name in found if name.pieces]


def words(text: str) -> list[str]:
    """Each word once, in order."""
    found: dict[str, None] = {}
    for name in names(text):
        found.update(dict.fromkeys(name.pieces))
        if name.joined:
            found[name.joined] = None
    return list(found)


@cache
def _pattern() -> re.Pattern[str]:
    """On use: classes of so many characters take milliseconds to compile, and a session may wait for the store."""
    return re.compile(rf"[{_ALONE}]|{_LETTERS}(?:[-_.]{_LETTERS})*")


@lru_cache(maxsize=65536)
def _name(word: str) -> Name:
    pieces = tuple(
        dict.fromkeys(
            filter(None, (_stem(_plain(piece)) for piece in _PIECE.findall(word)))
        )
    )
    joined = _stem(_plain(re.sub(r"[-_.]", "", word)))
    return Name(pieces, "" if joined in pieces else joined)


def _plain(word: str) -> str:
    """Lower case without accents: letters and digits only."""
    word = word.casefold()
    if not word.isascii():
        word = "".join(
            c for c in unicodedata.normalize("NFKD", word) if c.isalnum()
        ).casefold()
    return word[:LONGEST]


def _stem(word: str) -> str:
    """`fails`, `failed` and `failing` are `fail`; what is left must still be a word of four letters."""
    if not (word.isascii() and word.isalpha()):
        return word
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    if len(word) > 6 and word.endswith("ing"):
        word = word[:-3]
    elif len(word) > 5 and word.endswith("ed"):
        word = word[:-2]
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word
