"""What a remedy brings to a call, and whether a text says it already: one answer for all who ask whether a lesson is
news, to the error it is about, to the session that found it or to who reads the instruction files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct

from afterglow.harvest.writing.failure_names import (
    spans_of,
    stand_in,
    stands_in,
    telling_words,
    tokens_of,
)

# Of the words of a remedy without code, the share that must stand in a text for it to be said there, and how many there
# must be: fewer are met by chance.
SAID_SHARE, MIN_WORDS = 0.8, 3


# Where a text begins something else: an empty line, a bullet, a heading.
_NEXT = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+#]|\d+[.)])\s)")


def brought(remedy: str, call: frozenset[str]) -> list[str]:
    """The parts of a remedy's code that do not stand in the call: flags, values, names, programs."""
    parts = dict.fromkeys(chain.from_iterable(spans_of(remedy)))
    return [part for part in parts if not stands_in(part, call)]


def says(text: str, parts: Iterable[str]) -> bool:
    """Whether a text names all of them."""
    return stand_in(parts, tokens_of(text))


def says_in_words(text: str, remedy: str, call: str) -> bool:
    """The same of a remedy without code, by the words that it has and the call has not."""
    new_words = telling_words(remedy) - telling_words(call)
    return _are_mostly_in(telling_words(text), new_words, min_words=MIN_WORDS)


def is_said(remedy: str, text: str) -> bool:
    """The text names all that the remedy does, and says most of its words."""
    return is_said_in(remedy, [Paragraph.of(text)])


def is_said_in(remedy: str, texts: Iterable[Paragraph]) -> bool:
    """One of the texts does."""
    words, parts = telling_words(remedy), brought(remedy, frozenset())
    return any(
        _are_mostly_in(each.words, words, min_words=1) and stand_in(parts, each.tokens)
        for each in texts
    )


class Paragraph(Struct, frozen=True):
    """A text by what it names and the words it says: many remedies are held against it."""

    tokens: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Paragraph:
        return cls(tokens_of(text), telling_words(text))


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Of a long text, each with the line that announces it ("Before a commit:"): the words of a remedy may stand
    anywhere in one that speaks of everything."""
    announced = ""
    for paragraph in _NEXT.split(text):
        yield Paragraph.of(f"{announced}\n{paragraph}")
        announced = paragraph if paragraph.rstrip().endswith(":") else ""


def _are_mostly_in(
    text_words: frozenset[str], words: frozenset[str], *, min_words: int
) -> bool:
    shared = words & text_words
    return len(words) >= min_words and len(shared) >= SAID_SHARE * len(words)
