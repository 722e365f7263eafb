"""Whether what an agent wants remembered is what the person said: their words of the session, held against the value.

An agent puts things its own way ("user prefers tabs"), so words are compared and not sentences: nearly all that say
something stand in what the person typed, every name does, and both say yes or both say no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

MIN_SHARE = 0.75  # of a value's words that the person must have typed: the rest tells who said it
MAX_KEY_WORDS = 4  # of a key that is only a name: `commit_message_style`
MIN_SHARED = 1  # of them in a sentence that counts as being about it

_NAME = re.compile(r"[\d_/.:@=<>$%#~-]|[a-z][A-Z]")  # in a word that is no plain one
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|without|avoid|stop|instead|cannot|\w+n['’]?t)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\s\"'`,;()\[\]{}]+")
# How an agent says whose wish it is.
_REPORTING = frozenset(
    "user users person people client customer preference preferences prefers preferred likes liked wanted wishes"
    " asked asks requested requests stated states told mentioned always default".split()
)


class Spoken(Struct, frozen=True):
    """What a person typed in the session that is under way, as far as it is known."""

    session: str = ""
    turns: tuple[str, ...] = ()


NOBODY_HEARD = Spoken()


def is_said(value: str, spoken: Spoken) -> bool:
    """Whether the person said this in the session."""
    from afterglow.harvest import user_speech

    words = _stems(user_speech.content(value)) - _REPORTING
    if not words:
        return False
    related = [
        sentence
        for sentence in _sentences(spoken.turns)
        if len(words & _stems(user_speech.content(sentence))) >= MIN_SHARED
    ]
    typed = " ".join(related)
    shared = words & _stems(user_speech.content(typed))
    if len(shared) < MIN_SHARE * len(words) or not _names(value) <= _names(typed):
        return False
    return bool(_NEGATION.search(value)) == bool(_NEGATION.search(typed))


def is_label(key: str, spoken: Spoken) -> bool:
    """Whether a key only names what the value is about. A longer one says something itself, and must have been said."""
    words = _WORD.findall(key)
    return len(words) <= MAX_KEY_WORDS or is_said(" ".join(words), spoken)


def _sentences(turns: Sequence[str]) -> Iterator[str]:
    from afterglow.harvest import user_speech

    for turn in turns:
        for start, end in user_speech.sentences(turn):
            yield turn[start:end]


def _stems(words: Sequence[str]) -> set[str]:
    """Endings do not matter: `prefers tabs` and `I prefer tab`."""
    return {re.sub(r"(?:ing|ed|es|s)$", "", word) or word for word in words}


def _names(text: str) -> set[str]:
    """Versions, paths, flags, addresses: what must stand there letter by letter."""
    tokens = (token.strip(".:!?") for token in _TOKEN.findall(text))
    return {token for token in tokens if _NAME.search(token)}
