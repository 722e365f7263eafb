"""The error that a lesson speaks of: words of its situation that the cited calls printed.

A problem holds errors that came at one place, or had one remedy. Which of them a lesson is about its writer's citations
say best; an episode in which most of those words do not stand is about another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from afterglow.harvest.writing.failure_names import failure_of, telling_words
from afterglow.harvest.writing.situation import (
    MIN_SHARED_WORDS,
    SPOKEN_KINDS,
    names_another_check,
    names_linter,
)
from afterglow.records.problems import Event


class PrintedSituation(Struct, frozen=True):
    """Of a situation the words that cited calls printed."""

    situation: str
    cited: frozenset[int]
    printed: frozenset[str]

    def is_in(self, event: Event) -> bool:
        """Most of them stand in the event; of linters, the one that the situation names reports. What is cited the writer
        has read: of that only a linter's report can be about something else. What people said, and what printed nothing
        of the situation, is not told apart so."""
        if event.kind in SPOKEN_KINDS or not self.printed:
            return True
        if event.call in self.cited and not event.rules:
            return True
        failure = failure_of(event)
        if names_linter(self.situation, failure):
            return not names_another_check(self.situation, event.rules)
        happened = failure.call_words | _printed_by(event)
        return len(self.printed & happened) >= MIN_SHARED_WORDS * len(self.printed)


def printed_situation_of(
    situation: str, events: Iterable[Event], cited: Collection[int]
) -> PrintedSituation:
    printed = (_printed_by(event) for event in events if event.call in cited)
    words = telling_words(situation) & frozenset().union(*printed)
    return PrintedSituation(situation, frozenset(cited), words)


def _printed_by(event: Event) -> frozenset[str]:
    """By the call, and by what was tried behind it in vain."""
    tries = (call.printed for call in event.tried if not call.worked)
    return telling_words(" ".join([*(line.text for line in event.lines), *tries]))
