"""What a writer points at: the episodes it cites, and those of which it cites what ended them or what was said there.

Who cites the line that ended a failure has said what to compare. It needs no search for common words then, only that
nothing in the episode says otherwise: code that the remedy brings stands in what was done or said there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from afterglow.harvest.writing.episode_words import deeds_of, words_about
from afterglow.harvest.writing.names import PLACEHOLDER, spans
from afterglow.records.problems import Dossier, DossierLine, Event, Problem
from afterglow.records.writing import WrittenAnswer

SHOWING = frozenset({"ending", "words", "person", "brief"})  # parts of an episode
MIN_SHARED_WORDS = 2  # of a remedy and an episode: one may be chance
MAX_REMEDY_WORDS, MAX_EPISODE_WORDS = 60, 400  # that are compared: all of them


class Cited(Struct, frozen=True):
    """The failing calls of the episodes that a writer cites, and of those of which it cites the end or what was said."""

    calls: frozenset[int] = frozenset()
    shown: frozenset[int] = frozenset()


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
    """Of some code of the remedy half of what the failing call had not stands in what was done, said or reported there;
    where the remedy brings no code, some words of it in what was done or said."""
    deeds = deeds_of(event).replace(event.command, " ").lower()
    brought = [words for span in spans(remedy) if (words := _brought(span, event))]
    if not brought:
        remedy_words = words_about(remedy, MAX_REMEDY_WORDS)
        shared = remedy_words & words_about(deeds, MAX_EPISODE_WORDS)
        return len(shared) >= MIN_SHARED_WORDS
    happened = f"{deeds} {' '.join(line.text for line in event.lines).lower()}"
    return any(
        2 * sum(word in happened for word in words) >= len(words) for words in brought
    )


def _brought(span: str, event: Event) -> list[str]:
    """The words of a piece of code that the failing call has not."""
    words = PLACEHOLDER.sub(" ", span).lower().split()
    failing = event.command.lower()
    return [word for word in words if word not in failing]
