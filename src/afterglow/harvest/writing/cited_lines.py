"""What a writer points at: the episodes it cites, and those of which it cites what ended them or what was said there.

Who cites the line that ended a failure has said what to compare. It needs no search for common words then, only that
nothing in the episode says otherwise: code that the remedy brings stands in what was done or said there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from msgspec import Struct

from afterglow.harvest.writing.episode_words import words_about
from afterglow.harvest.writing.names import PLACEHOLDER, spans
from afterglow.records.problems import Dossier, DossierLine, Event, Problem
from afterglow.records.writing import WrittenAnswer

SHOWING = frozenset({"ending", "words", "person", "brief"})  # parts of an episode
MIN_SHARED_WORDS = 2  # of a remedy and an episode: one may be chance
MIN_LETTERS = 3  # of a word of code: shorter ones stand in any
NEARLY_ALL = 0.75  # of the words of a piece of code: writers shorten
MAX_REMEDY_WORDS, MAX_EPISODE_WORDS = 60, 400  # that are compared: all of them

_LETTERS = re.compile(r"\w")


class Cited(Struct, frozen=True):
    """The failing calls of the episodes that a writer cites, and of those of which it cites the end or what was said."""

    calls: frozenset[int] = frozenset()
    ends: frozenset[int] = frozenset()


NOTHING_CITED = Cited()


def cited_in(answer: WrittenAnswer, problem: Problem, dossier: Dossier) -> Cited:
    lines = [line for line in dossier.lines if line.number in answer.cites]
    showing = [line for line in lines if line.part in SHOWING]
    return Cited(
        frozenset(event.call for event in events_at(problem.events, lines)),
        frozenset(event.call for event in events_at(problem.events, showing)),
    )


def events_at(events: Iterable[Event], lines: Collection[DossierLine]) -> list[Event]:
    """The events of which lines of a dossier show something."""
    places = {(line.session, line.line) for line in lines}
    return [
        event
        for event in events
        if places.intersection((event.session, line) for line in _lines(event))
    ]


def _lines(event: Event) -> Iterable[int]:
    following = (call.line for call in event.following)
    return {event.line, event.result_line, event.person_line, *following}


def is_borne_out(remedy: str, event: Event) -> bool:
    """Some code of the remedy that the failing call had not stands in one thing that was done or said there, a single
    name also in what was printed; where the remedy brings no code, some of its words in what was said."""
    sentences = [event.because, event.person]
    commands = [call.command for call in event.following]
    if any(_is_tag_in(span, event.command, commands) for span in spans(remedy)):
        return True
    brought = [span for span in spans(remedy) if _is_new(span, event.command)]
    if not brought:
        remedy_words = words_about(remedy, MAX_REMEDY_WORDS)
        spoken = words_about(" ".join(sentences), MAX_EPISODE_WORDS)
        return len(remedy_words & spoken) >= MIN_SHARED_WORDS
    printed = [line.text for line in event.lines]
    return any(
        _stands_in(span, text)
        for span in brought
        for text in (
            *commands,
            *sentences,
            *(printed if len(span.split()) == 1 else ()),
        )
    )


def _is_tag_in(span: str, call: str, commands: Iterable[str]) -> bool:
    """`<pier>` may stand for the name of a pier; where it was written or taken out to the letter, it is itself meant."""
    is_tag = PLACEHOLDER.fullmatch(span) is not None and span.startswith("<")
    return is_tag and span not in call and any(span in command for command in commands)


def _is_new(span: str, call: str) -> bool:
    words = _words(span)
    return bool(words) and any(word not in call.lower() for word in words)


def _stands_in(span: str, text: str) -> bool:
    """Nearly all words of a piece of code are in a text."""
    words = _words(span)
    happened = text.lower()
    return sum(word in happened for word in words) >= NEARLY_ALL * len(words)


def _words(span: str) -> list[str]:
    """Those of some letters: signs stand in any text."""
    words = PLACEHOLDER.sub(" ", span).lower().split()
    return [word for word in words if len(_LETTERS.findall(word)) >= MIN_LETTERS]
