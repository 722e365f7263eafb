"""Whether a person's own words name what a remedy names: then nobody else has to show it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from afterglow.harvest.writing.names import spans
from afterglow.records.knowledge import Evidence
from afterglow.records.problems import Event

MIN_LETTERS = 4  # of a name: shorter ones stand in any sentence

# A word with a digit or a sign in it, or a capital within: `10.0.0.7`, `apps/api`, `DB_HOST`.
_NAME = re.compile(r"[\w@~.:/-]*[\d./_:-][\w@~./:-]*\w|\w+[a-z][A-Z]\w*")


def is_named_by_person(remedy: str, event: Event) -> bool:
    """A person named there what the remedy names, and the failing call does not."""
    return _holds_name(remedy, event.person, event.command)


def rests_on_own_words(
    remedy: str, situation: str, evidence: Iterable[Evidence]
) -> bool:
    """A person's words among the evidence name what the remedy brings."""
    return any(
        span.trust == "user" and _holds_name(remedy, span.quote, situation)
        for span in evidence
    )


def _holds_name(remedy: str, words: str, context: str) -> bool:
    """Words hold a name of the remedy that is not in `context`."""
    names = {*_NAME.findall(remedy), *spans(remedy)}
    return any(
        len(name) >= MIN_LETTERS and name in words and name not in context
        for name in names
    )
