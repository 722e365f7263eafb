"""Whether a failure is the situation that a lesson speaks of: a problem may hold several causes, a lesson is about one.

The same answer counts how many sessions met a lesson's situation and decides whether it is told when a call fails.
"""

from __future__ import annotations

import re

from afterglow.records.problems import Event
from afterglow.text.words import words

# Of the words by which a lesson says when it applies, the share that must stand in the failure: more than half of the
# words of another cause seldom do.
MIN_SHARED_WORDS = 0.5
MIN_WORD_LETTERS = 3  # shorter ones (`is`, `a`, `-v`) stand everywhere

SPOKEN_KINDS = frozenset({"person", "refused"})  # of events: no call failed there

_CODE = re.compile(r"`([^`]*[^`\s][^`]*)`")


def is_met(situation: str, event: Event) -> bool:
    """The failure surely is the situation."""
    happened = happened_in(event)
    is_alike = shared_words(situation, happened) >= MIN_SHARED_WORDS
    return is_alike and names_what_failed(situation, happened)


def happened_in(event: Event) -> str:
    """What failed and what it printed, as text."""
    call = (event.tool, event.program, event.command)
    return " ".join((*call, *(line.text for line in event.lines)))


def shared_words(situation: str, happened: str) -> float:
    """The share of the words of a situation that stand in what happened."""
    situation_words = telling_words(situation)
    if not situation_words:
        return 0.0
    return len(situation_words & telling_words(happened)) / len(situation_words)


def names_what_failed(situation: str, happened: str) -> bool:
    """Of the code that the situation names, the beginning of one piece (a program, a tool, a flag, a rule) is in what
    happened: errors of two programs are often worded alike."""
    spans = code_in(situation)
    beginnings = [telling_words(code.split()[0]) for code in spans]
    named = [beginning for beginning in beginnings if beginning]
    happened_words = telling_words(happened)
    return not named or any(beginning <= happened_words for beginning in named)


def code_in(text: str) -> list[str]:
    """What stands in backticks."""
    return _CODE.findall(text)


def telling_words(text: str) -> set[str]:
    return {word for word in words(text) if len(word) >= MIN_WORD_LETTERS}
