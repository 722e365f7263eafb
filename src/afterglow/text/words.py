"""The words of a text as every search here knows them: the same for what is kept and for what a person asks.

Names are split where people split them (`read_tree`, `read-tree` and `readTree` are `read` and `tree`, `utf8` is `utf`
and `8`) and kept whole as well (`readtree`). Case, accents and common English endings do not matter. Chinese and
Japanese are written without spaces: each character is a word. A change here needs another VERSION: indexes that were
written with an older one are then made anew when they are opened.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

VERSION = "2"
MAX_WORD_CHARACTERS = 64  # hashes and encoded blobs are longer; nobody asks for those
MAX_TEXT_CHARACTERS = (
    20_000  # some milliseconds of reading; items and entries are far shorter
)

# What sentences are built with: they say nothing of what a question is about. `no` and `not` are among them, `found` is
# not: it is what an error says.
SENTENCE_WORDS = frozenset(
    """a about am an and any are as at be been but by can could did do does for from had has have he her here his how i if
    in into is it its me my no not of on or our please should so some than that the their them then there these they this
    those to too us was we were what when where which who why will with would you your""".split()
)

_ALONE = "\u3040-\u30ff\u3400-\u9fff"  # Chinese and Japanese
_ASCII_NAME = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
_PIECE = re.compile(r"\d+|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^A-Z\d\-_.]+|[A-Z]+")
_PIECE_WITHOUT_CASE = re.compile(r"\d+|[^\d\-_.]+")
_JOINT = re.compile(r"[-_.]")
_ENDINGS = ("ing", "ed")  # more of them (-ation, -ment, -ly) found less, measured
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")  # `planned` is of `plan`


class Word(NamedTuple):
    """What it is found by, and how it was spelled (lower case, no accents)."""

    stem: str
    form: str


class Name(NamedTuple):
    """One name of a text: the words it is made of, and all of them as one word where they are several."""

    pieces: tuple[Word, ...]
    joined: Word | None


def names(text: str) -> list[Name]:
    """In order, as often as they stand there."""
    text = text[:MAX_TEXT_CHARACTERS]
    pattern = _ASCII_NAME if text.isascii() else _any_name()
    spelled = pattern.findall(text)
    split = (_name(name[: 4 * MAX_WORD_CHARACTERS]) for name in spelled)
    return [name for name in split if name.pieces]


def words(text: str) -> list[str]:
    """The stem of each word once, in order; names of several words as one word too."""
    stems: dict[str, None] = {}
    for name in names(text):
        stems.update((piece.stem, None) for piece in name.pieces)
        if name.joined:
            stems[name.joined.stem] = None
    return list(stems)


def topical_words(text: str) -> list[str]:
    """The words without those that every sentence is built with; all of them where there are no others."""
    every = words(text)
    return [word for word in every if word not in SENTENCE_WORDS] or every


def at_most_one_letter_off(word: str, other: str) -> bool:
    """Whether a letter is wrong, missing or too many, or two are swapped, or nothing is."""
    same = 0
    while same < min(len(word), len(other)) and word[same] == other[same]:
        same += 1
    word, other = word[same:], other[same:]
    wrong, missing, too_many = (
        word[1:] == other[1:],
        word == other[1:],
        word[1:] == other,
    )
    swapped = word[:2] == other[1::-1] and word[2:] == other[2:]
    return wrong or missing or too_many or swapped


@cache
def _any_name() -> re.Pattern[str]:
    """On use: classes of so many characters take milliseconds to compile, and a session may wait for the store."""
    marks = "".join(filter(_is_mark, map(chr, range(0x300, 0x1D00))))
    letters = rf"(?:[^\W_{_ALONE}][{marks}]*)+"
    return re.compile(rf"[{_ALONE}]|{letters}(?:[-_.]{letters})*")


@lru_cache(maxsize=65536)
def _name(name: str) -> Name:
    pattern = _PIECE if name.isascii() else _PIECE_WITHOUT_CASE
    pieces = tuple(piece for piece in map(_word, pattern.findall(name)) if piece.stem)
    joined = _word(_JOINT.sub("", name)) if len(pieces) > 1 else None
    return Name(pieces, joined)


def _word(text: str) -> Word:
    form = _plain(text)[:MAX_WORD_CHARACTERS]
    return Word(_stem(form), form)


def _plain(text: str) -> str:
    """Lower case without accents; no character of it parts words."""
    text = text.casefold()
    if text.isascii():
        return text
    return "".join(filter(_is_plain, unicodedata.normalize("NFKD", text))).casefold()


def _is_plain(character: str) -> bool:
    if character.isascii():
        return character.isalnum()
    return not (unicodedata.combining(character) or character.isspace())


def _is_mark(character: str) -> bool:
    """Parts of letters, like the vowel signs of Hindi."""
    return unicodedata.category(character)[0] == "M"


def _stem(word: str) -> str:
    """`fails`, `failed` and `failing` are `fail`, `policy` and `policies` are `polici`."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_ending(_singular(word))
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


def _singular(word: str) -> str:
    if word[-1] != "s" or word[-2] in "sui":
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < 2 or not _VOWEL.search(rest):
            continue
        if len(rest) == 2:  # `doing` and `do`, `using` and `use`
            return rest if rest[1] in "aeiou" else rest + "e"
        return rest[:-1] if _DOUBLED.search(rest) else rest
    return word
