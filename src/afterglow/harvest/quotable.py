"""Whether a program's message may be quoted in a lesson: a report of what went wrong, not somebody's sentences.

A lesson names the error it is about, and an error can say anything. Whoever can make a program print a sentence must not
get it read to later agents with the lesson. What a program says of its own work is dry: it speaks of machines, or is
short; it gives no orders and tells no stories.
"""

from __future__ import annotations

import re
from functools import lru_cache

from afterglow.harvest.human_text import is_term, speaks_to_agents
from afterglow.harvest.risk import is_merely_unknown, risk_of_words
from afterglow.harvest.screen.injection import danger

FEW_WORDS = 7  # that need not speak of machines: `no such pier` is a program's own
LONG = 10  # words of a message in which one word that speaks of machines is enough
MACHINE = (
    4  # of so many words of a longer one, one does: a story has some such word, too
)
_LABEL = re.compile(r"^(?:[\w.*\[\]()/-]+:\s+){1,3}")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = re.compile(r"(?<!\w)['\"“]([^'\"”]{12,})['\"”](?!\w)")
# Words as only code has them: they count as machine talk.
_CODE_WORD = re.compile(
    r"\S*(?:[/\\_=<>{}\[\]|#$%^~]|::|\w\(|--\w|[a-z][A-Z]|\w\.\w)\S*|`[^`]+`"
)
# Addressed to a reader: a report says what is so.
_TO_READER = re.compile(
    r"^(?:please|kindly|always|never|remember|note to)\b|\b(?:i|my|me|we|our)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def is_quotable(message: str) -> bool:
    """Whether a message reads like a report of the program that printed it."""
    text = _LABEL.sub("", message.strip())
    if speaks_to_agents(message) or danger(message, "external") or _is_risky(text):
        return False
    words = _WORD.findall(_CODE_WORD.sub(" ", text))
    code_words = len(_CODE_WORD.findall(text))
    if len(words) + code_words < FEW_WORDS:
        return True
    if _TO_READER.search(text):
        return False
    terms = {word.lower() for word in words if is_term(word.lower())}
    count = len(terms) + code_words
    return count * MACHINE >= len(words) if len(words) > LONG else count > 0


def _is_risky(text: str) -> bool:
    """Whether it tells to do what nobody should on a stranger's word."""
    risk = risk_of_words("", text)
    return risk is not None and not is_merely_unknown(risk.why)


def quotes_only_reports(situation: str) -> bool:
    """Whether all messages that a situation quotes are such."""
    return all(map(is_quotable, _QUOTED.findall(situation)))
