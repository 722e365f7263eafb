"""Which sessions show a problem and this remedy for it, whether the writer named them or not."""

from __future__ import annotations

from afterglow.records.problems import Dossier, Event, Problem
from afterglow.records.writing import Witness, Witnesses, WrittenAnswer


def witnesses_of(
    answer: WrittenAnswer, problem: Problem, dossier: Dossier
) -> Witnesses:
    """Every session that speaks for the lesson or against it."""
    cited = {dossier.lines[number - 1].session for number in answer.cites if number}
    confirming = [event for event in problem.events if event.session in cited]
    return Witnesses(tuple(map(_witness, confirming)))


def _witness(event: Event) -> Witness:
    remedy_line = event.remedy.line if event.remedy else 0
    return Witness(event.session, event.line, remedy_line, event.time)
