"""Whether a program's message may be quoted in a lesson: a report of what went wrong, not somebody's sentences.

A lesson names the error it is about, and an error can say anything. Whoever can make a program print a sentence must not
get it read to later agents with the lesson. What a program says of its own work is dry: it speaks of machines, or is
short; it gives no orders and tells no stories. One sentence says what failed: what stands behind it is not quoted. A name
of many words (of a test, a branch, a file) is a sentence, too.
"""

from __future__ import annotations

import re
from functools import lru_cache

from afterglow.harvest.human_text import is_term, speaks_to_agents
from afterglow.harvest.risk import is_merely_unknown, risk_of_words
from afterglow.harvest.screen.injection import danger

FEW_WORDS = 7  # that need not speak of machines: `no such pier` is a program's own
MACHINE = 4  # of so many words one speaks of machines: a story has some such word, too
MIN_SENTENCE_WORDS = 2  # fewer are a label: `Error!`, `FAILED.`
MAX_SHORT_CHARACTERS = 80  # of a report that stands in a sentence beside a call
MANY_WORDS = 4  # of a name that is more than a name
# Not within a name, a number or an abbreviation: a space follows, and no small beginning of a file.
_SENTENCE_END = re.compile(r"(?:[.!?]+(?<!\be\.g\.)(?<!\bi\.e\.)|;)(?=\s)")
_NAME = re.compile(r"[A-Za-z]\w*(?:[-_]\w+)*")
_ORDERING = frozenset({"must", "should", "shall", "never", "always", "please"})
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_LABEL = re.compile(r"^(?:[\w.*\[\]()/-]+:\s+){1,3}")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = re.compile(r"(?<!\w)['\"“]([^'\"”]{12,})['\"”](?!\w)")
# Words as only code has them: they count as machine talk.
_CODE_WORD = re.compile(
    r"\S*(?:[/\\_=<>{}\[\]|#$%^~]|::|\w\(|--\w|[a-z][A-Z]|\w\w\.\w)\S*|`[^`]+`"
)
# Addressed to a reader: a report says what is so.
_TO_READER = re.compile(
    r"^(?:please|kindly|always|never|remember|note to)\b|\b(?:i|my|me|we|our)\b",
    re.IGNORECASE,
)


def report_in(message: str) -> str:
    """What of a message a lesson may quote: of a report its first sentence; empty where it is none. A story may begin
    with a short sentence, so all of it is read."""
    first = _first_sentence(message)
    return first if is_quotable(message) and is_quotable(first) else ""


def short_report_in(message: str) -> str:
    """The same, if it is short enough to stand beside a call; else empty."""
    report = report_in(message)
    return report if len(report) <= MAX_SHORT_CHARACTERS else ""


def linter_report_in(message: str) -> str:
    """The same of a linter, whose words are of its rule and of code: it may say more of them, but to nobody."""
    spelled_out = _NAME.sub(_spelled_out, message)
    is_told = _TO_READER.search(spelled_out) or _gives_orders(spelled_out)
    return "" if is_told else _first_sentence(message)


def _first_sentence(message: str) -> str:
    """Up to a sign that ends one, where at least two words have been said."""
    for end in _SENTENCE_END.finditer(message):
        if len(_WORD.findall(message[: end.start()])) >= MIN_SENTENCE_WORDS:
            return message[: end.end()].rstrip(";")
    return message


@lru_cache(maxsize=4096)
def is_quotable(message: str) -> bool:
    """Whether a message reads like a report of the program that printed it."""
    message = _NAME.sub(_spelled_out, message)
    text = _LABEL.sub("", message.strip())
    if _gives_orders(message):
        return False
    words = _WORD.findall(_CODE_WORD.sub(" ", text))
    code_words = len(_CODE_WORD.findall(text))
    if len(words) + code_words < FEW_WORDS:
        return True
    if _TO_READER.search(text):
        return False
    terms = {word.lower() for word in words if is_term(word.lower())}
    count = len(terms) + code_words
    return count * MACHINE >= len(words)


def _spelled_out(name: re.Match[str]) -> str:
    """`test_agents_should_skip_auth` says something, and so does `AgentsShouldSkipAuth`; `PlainOpenWithOptions` is a
    name."""
    words = _PIECE.findall(name[0])
    is_joined = "_" in name[0] or "-" in name[0]
    is_said = is_joined or not _ORDERING.isdisjoint(map(str.casefold, words))
    return " ".join(words) if len(words) >= MANY_WORDS and is_said else name[0]


def _gives_orders(message: str) -> bool:
    """To agents, or to do what nobody should on a stranger's word."""
    if speaks_to_agents(message) or danger(message, "external"):
        return True
    risk = risk_of_words("", _LABEL.sub("", message.strip()))
    return risk is not None and not is_merely_unknown(risk.why)


def quotes_only_reports(situation: str) -> bool:
    """Whether all messages that a situation quotes are such, and each is one sentence."""
    quotes: list[str] = _QUOTED.findall(situation)
    return all(report_in(quote) == quote.rstrip(";") for quote in quotes)
