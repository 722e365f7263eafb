"""Where each labelled lesson is lost on its way from a failure into a session: the first stage that does not have it.

An event for its failures, a problem that they make, a dossier about it, words in the dossier that state it, an answer
that does, an item, an active one, a context. Says where work on lessons is worth it; how well they do, `judge` says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Dossier, Event, Problem
from bench.generalise.judge import JudgedCase
from bench.generalise.labels import Case, Labels, Lesson

IN_VIEW = "in view"
MOSTLY = 0.7  # of its cases in view: the rest came before anybody had shown it


class Known(Struct, frozen=True):
    """What the stages of one project hold."""

    problems: Sequence[Problem]
    dossiers: Mapping[str, Dossier]
    answers: Sequence[str]  # lessons as they were written
    items: Sequence[KnowledgeItem]


class Loss(Struct, frozen=True):
    """A lesson, how many of its cases are asked about and in view, and the stage at which the others are lost."""

    lesson: str
    cases: int
    in_view: int
    stage: str


def losses(labels: Labels, judged: Iterable[JudgedCase], known: Known) -> list[Loss]:
    """Of each lesson that is asked about, those of most cases first."""
    asked = Counter(case.lesson or "" for case in labels.cases)
    in_view = Counter(item.case.lesson or "" for item in judged if item.at_start)
    cases: dict[str, list[Case]] = defaultdict(list)
    for case in labels.every_case:
        cases[case.lesson or ""].append(case)
    return [
        Loss(id, count, in_view[id], _stage(labels.lessons[id], cases[id], known))
        if in_view[id] < MOSTLY * count
        else Loss(id, count, in_view[id], IN_VIEW)
        for id, count in asked.most_common()
    ]


def _stage(lesson: Lesson, cases: Sequence[Case], known: Known) -> str:
    stating = [item for item in known.items if lesson.is_stated_in(item.fact)]
    if any(item.status == "active" for item in stating):
        return "told too late or for want of room"
    if stating:
        return "waits"
    if any(map(lesson.is_stated_in, known.answers)):
        return "refused"
    met = [problem for problem in known.problems if _has_met(problem, cases)]
    pages = [known.dossiers[item.id] for item in met if item.id in known.dossiers]
    if any(lesson.is_stated_in(page.text) for page in known.dossiers.values()):
        return "not written"
    if pages:
        return "not in the dossier"
    return "not offered" if met else "no problem or event"


def _has_met(problem: Problem, cases: Sequence[Case]) -> bool:
    places = {place for event in problem.events for place in _places(event)}
    return any((case.session, case.line) in places for case in cases)


def _places(event: Event) -> Iterable[tuple[str, int]]:
    lines = {event.line, event.result_line, *event.batch}
    return ((event.session, line) for line in lines)


def table(found: Sequence[Loss]) -> list[str]:
    """Cases by stage, then a line a lesson."""
    lost: Counter[str] = Counter()
    for loss in found:
        lost[IN_VIEW] += loss.in_view
        lost[loss.stage] += loss.cases - loss.in_view
    rows = [f"{stage} {number}" for stage, number in lost.most_common() if number]
    lines = [f"    of {sum(lost.values())} cases: {', '.join(rows)}"]
    lines += [
        f"    {loss.lesson:24} {loss.in_view:3} of {loss.cases:3}  {loss.stage}"
        for loss in found
    ]
    return lines
