"""Problems that a writer says are the same matter: one problem, with the events of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from afterglow.harvest.writing.answers import Unusable
from afterglow.records.problems import Dossier, Problem
from afterglow.records.writing import WrittenAnswer


def same_matters(
    answers: Iterable[WrittenAnswer | Unusable],
) -> dict[str, list[WrittenAnswer]]:
    """By problem, what a writer said of those that are the same matter."""
    merged: dict[str, list[WrittenAnswer]] = {}
    for answer in answers:
        if isinstance(answer, WrittenAnswer) and answer.answer == "merge":
            merged.setdefault(answer.item, []).append(answer)
    return merged


def read_together(
    answer: WrittenAnswer,
    dossier: Dossier,
    merged: Iterable[tuple[WrittenAnswer, Dossier]],
) -> tuple[WrittenAnswer, Dossier]:
    """A lesson with the lines that its writer cites of other dossiers about the same matter, numbered on from its own."""
    lines, cites = list(dossier.lines), list(answer.cites)
    for other, page in merged:
        for line in page.lines:
            if line.number in other.cites:
                lines.append(replace(line, number=len(lines) + 1))
                cites.append(len(lines))
    return replace(answer, cites=tuple(cites)), replace(dossier, lines=tuple(lines))


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
