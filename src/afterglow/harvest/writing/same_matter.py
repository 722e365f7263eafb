"""Problems that a writer says are the same matter: one problem, with the events of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from afterglow.harvest.writing.answers import Unusable
from afterglow.records.problems import Dossier, DossierLine, Event, Problem
from afterglow.records.writing import WrittenAnswer


def same_matters(answers: Iterable[WrittenAnswer | Unusable]) -> dict[str, list[str]]:
    """By problem, those that a writer says are the same matter."""
    merged: dict[str, list[str]] = {}
    for answer in answers:
        if isinstance(answer, WrittenAnswer) and answer.answer == "merge":
            merged.setdefault(answer.item, []).append(answer.problem)
    return merged


def cited_elsewhere(answer: WrittenAnswer) -> dict[str, set[int]]:
    """The lines of other dossiers that a lesson rests on, by their problems."""
    places: dict[str, set[int]] = {}
    for place in answer.elsewhere:
        problem, _, number = place.strip("[] ").partition(":")
        if number.strip("[] ").isdigit() and problem != answer.problem:
            places.setdefault(problem, set()).add(int(number.strip("[] ")))
    return places


def read_together(
    answer: WrittenAnswer, dossier: Dossier, further: Iterable[DossierLine]
) -> tuple[WrittenAnswer, Dossier]:
    """A lesson with the lines that its writer cites of other dossiers, numbered on from its own."""
    lines, cites = list(dossier.lines), list(answer.cites)
    for line in further:
        lines.append(replace(line, number=len(lines) + 1))
        cites.append(len(lines))
    return replace(answer, cites=tuple(cites)), replace(dossier, lines=tuple(lines))


def with_events(problem: Problem, events: Iterable[Event]) -> Problem:
    """A problem with some events of others, which a lesson about it rests on too."""
    by_call = {event.call: event for event in (*problem.events, *events)}
    ordered = sorted(by_call.values(), key=lambda event: event.time or 0.0)
    return replace(problem, events=tuple(ordered))


def joined(problem: Problem, same: Sequence[Problem]) -> Problem:
    """A problem with the events of those that are the same matter."""
    if not same:
        return problem
    parts = [problem, *same]
    events = {event.call: event for part in parts for event in part.events}
    ordered = sorted(events.values(), key=lambda event: event.time or 0.0)
    times = [event.time for event in ordered if event.time is not None]
    also = [name for part in same for name in part.names]
    return replace(
        problem,
        events=tuple(ordered),
        times=len(ordered),
        sessions=tuple(dict.fromkeys(event.session for event in ordered)),
        calls=sum(event.calls for event in ordered),
        turns=sum(event.turns for event in ordered),
        first=min(times, default=problem.first),
        last=max(times, default=problem.last),
        also=tuple(dict.fromkeys((*problem.also, *also))),
    )
