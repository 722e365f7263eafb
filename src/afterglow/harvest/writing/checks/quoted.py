"""The error that a lesson quotes was printed by the call that it names."""

from __future__ import annotations

import re

from afterglow.harvest.writing.names import SPAN, spans
from afterglow.records.writing import Objection, WrittenCase
from afterglow.text.clip import clip

NAME = "quoted"
# Words that make a text in quotes a message: two may be the name of something.
MIN_WORDS = 3
# Of its words, the share that one line of an output must hold: writers leave out what varies.
SAME_WORDS = 0.5
MAX_QUOTE_CHARACTERS = 80

_QUOTED = re.compile(r"(?<!\w)'([^'\n]{8,200})'(?!\w)|\"([^\"\n]{8,200})\"")
_WORD = re.compile(r"[A-Za-z]{2,}")


def check(case: WrittenCase) -> Objection | None:
    """None of the quoted texts was printed in any episode of the problem."""
    quotes = [
        words for text in _quotes(case) if len(words := _words(text)) >= MIN_WORDS
    ]
    if not quotes:
        return None
    texts = [_words(text) for text in _printed(case)]
    if any(_is_said(quote, text) for quote in quotes for text in texts):
        return None
    text = clip(_quotes(case)[0], MAX_QUOTE_CHARACTERS)
    reason = f"no call of this problem printed '{text}': quote what the dossier shows"
    return Objection(NAME, "wait", reason)


def _quotes(case: WrittenCase) -> list[str]:
    situation = case.answer.situation
    outside = SPAN.sub(" ", situation)  # what a call in backticks quotes is its own
    texts = [first or second for first, second in _QUOTED.findall(outside)]
    return texts + [span for span in spans(situation) if ": " in span]


def _printed(case: WrittenCase) -> list[str]:
    """All that episodes show: lines of outputs, calls, words; and the dossier itself."""
    texts = [line.text for event in case.problem.events for line in event.lines]
    texts += [event.command for event in case.problem.events]
    texts += [event.person for event in case.problem.events if event.person]
    return [*texts, *(line.text for line in case.dossier.lines)]


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _is_said(quote: frozenset[str], text: frozenset[str]) -> bool:
    return len(quote & text) >= SAME_WORDS * len(quote)
