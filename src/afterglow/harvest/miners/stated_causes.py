"""What an assistant gives as the cause of a failure, and whether a stranger could use the sentence."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from afterglow.harvest.miners.cause_patterns import (
    CAUSE,
    CUT,
    DOUBT,
    DULL,
    IDENTIFIER,
    LASTING,
    LEAD,
    LOCAL,
    WORD,
)
from afterglow.records.session import Turn

MAX_TEXT_READ = 4000  # characters: a cause is stated near the beginning
MIN_STATEMENT, MAX_STATEMENT = 20, 280  # characters: less says nothing, more is a story
MAX_TOPIC = 400  # characters of the words that tell one cause from another


class Statement(Struct):
    """A cause as it was stated: the index of its turn, its words, and where they stand in the turn's text."""

    turn: int
    what: str
    start: int
    end: int


def statements(at: int, turn: Turn) -> Iterator[Statement]:
    """What an assistant's text gives as the cause, the last one of it; a doubtful one takes an earlier one back."""
    if turn.role != "assistant" or turn.kind != "said" or not turn.text:
        return
    for cause in list(CAUSE.finditer(turn.text, 0, MAX_TEXT_READ))[-1:]:
        sentence = cause["what"]
        what = LEAD.sub("", CUT.split(sentence, maxsplit=1)[0])
        start = cause.start("what") + sentence.find(what)
        words = what.replace("**", "").rstrip(" :;,*")
        yield Statement(at, words, start, start + len(what))


def is_vague(what: str) -> bool:
    """Too short, too long, in doubt, or only clear to somebody who was there."""
    if not MIN_STATEMENT <= len(what) <= MAX_STATEMENT:
        return True
    return bool(DOUBT.search(what) or LOCAL.search(what))


def holds_always(what: str) -> bool:
    """Whether it says how something behaves, not only what happened."""
    return bool(LASTING.search(what))


def identifiers(what: str) -> set[str]:
    """What a statement names: code, flags, paths, files."""
    return {name.strip("`") for name in IDENTIFIER.findall(what)}


def words_of(text: str) -> set[str]:
    """The words that tell what a text is about."""
    return {word for word in map(str.lower, WORD.findall(text)) if word not in DULL}


def topic_of(what: str) -> str:
    return " ".join(sorted(words_of(what)))[:MAX_TOPIC]
