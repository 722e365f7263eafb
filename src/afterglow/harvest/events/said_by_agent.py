"""What the agent said about a failure: the sentence that names most of what failed and of what ended it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import is_speech

MAX_SENTENCE_CHARACTERS = 240
MAX_MESSAGE_READ = 2_000  # characters of a message
MAX_TURNS_READ = 6  # behind a failure, in which its cause is named
# An agent that polls for something comes back to it later; such a sentence has to name more of the failure.
MAX_TURNS_READ_FAR, MIN_NAMED_FAR = 24, 3

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)  # code that it shows or runs
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_ANNOUNCING = re.compile(
    r"(?:(?:now|next|ok|okay|good|great|so)\b[,.!]? )*(?:let me|let's|i'll|i will|i need to|i should)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z_][\w.-]{3,}|\d{3,}")


class About(Struct, frozen=True):
    """The words of a failure, and those that the call which ended it brought."""

    failure: frozenset[str]
    ending: frozenset[str]


def telling_sentence(
    trail: Trail, step: Step, reached: Step | None, about: About
) -> str:
    """Of what was said next; where nothing of it names anything, of what was said later."""
    near = _sentences_after(trail, step, reached, MAX_TURNS_READ)
    if sentence := _most_telling(near, about, least=1):
        return sentence
    far = _sentences_after(trail, step, reached, MAX_TURNS_READ_FAR)
    return _most_telling(far, about, least=MIN_NAMED_FAR)


@lru_cache(maxsize=2048)  # what was said is read behind each failure before it
def words_in(text: str) -> frozenset[str]:
    return frozenset(word.strip(".").lower() for word in _WORD.findall(text))


def _most_telling(sentences: Iterator[str], about: About, *, least: int) -> str:
    best, most = "", least - 1
    for sentence in sentences:
        words = words_in(sentence)
        named = 2 * len(words & about.ending) + len(words & about.failure)
        telling = named - _announces(sentence)
        if telling > most:
            best, most = sentence, telling
    return best


def _sentences_after(
    trail: Trail, step: Step, reached: Step | None, most_turns: int
) -> Iterator[str]:
    """What the assistant said until the goal was reached, or a person spoke."""
    end = step.turn + 1 + most_turns
    end = min(end, reached.turn + 2) if reached else end
    for turn in trail.turns[step.turn + 1 : end]:
        if turn.role == "user" and is_speech(turn):
            return
        if turn.role != "assistant":
            continue
        text = _FENCED.sub("\n", turn.text[:MAX_MESSAGE_READ])
        for sentence in map(str.strip, _SENTENCES.split(text)):
            if len(sentence) <= MAX_SENTENCE_CHARACTERS:
                yield sentence


def _announces(sentence: str) -> int:
    """How little a sentence says about what happened: "Let me fix the lint error:" only tells what comes next."""
    begins = _ANNOUNCING.match(sentence) is not None
    return begins + sentence.endswith(":")
