"""What a remedy brings to a call, and whether a text says it already: one answer for all who ask whether a lesson is
news, to the error it is about or to the session that found it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

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


def brought(remedy: str, call: frozenset[str]) -> list[str]:
    """The parts of a remedy's code that do not stand in the call: flags, values, names, programs."""
    parts = dict.fromkeys(chain.from_iterable(spans_of(remedy)))
    return [part for part in parts if not stands_in(part, call)]


def says(text: str, parts: Iterable[str]) -> bool:
    """Whether a text names all of them."""
    return stand_in(parts, tokens_of(text))


def says_in_words(
    text: str, remedy: str, call: str, *, min_words: int = MIN_WORDS
) -> bool:
    """The same of a remedy without code, by the words that it has and the call has not."""
    new_words = telling_words(remedy) - telling_words(call)
    shared = new_words & telling_words(text)
    return len(new_words) >= min_words and len(shared) >= SAID_SHARE * len(new_words)
