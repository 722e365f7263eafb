"""A list of problems that is counted anew: of the sessions that a selection means."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.flows.harvest.count_problems import kind_of
from afterglow.flows.harvest.index_problems import has_lesson, problem_index
from afterglow.flows.harvest.last_answers import is_open, with_answers
from afterglow.flows.harvest.lessons_about import taught_by
from afterglow.harvest.writable import worth_asking
from afterglow.records.problems import Problem, ProblemFilter, ProblemList
from afterglow.records.selection import Selection
from afterglow.store.answers import Answers
from afterglow.store.problem_rows import TAUGHT, WAITING


def counted_anew(
    config: Config, selection: Selection, chosen: ProblemFilter, limit: int
) -> ProblemList:
    index = problem_index(config, selection, chosen.least)
    listed = [each for each in index.problems if _fits(each, chosen)]
    taught = sum(map(has_lesson, listed))
    recurring = [each for each in listed if each.comes_back]
    answers = Answers(config.answers)
    return ProblemList(
        problems=tuple(with_answers(config, listed[:limit])),
        total=len(listed),
        without_lesson=len(listed) - taught,
        waiting=sum(is_open(each, answers) for each in worth_asking(recurring)),
        unread=index.unread,
    )


def _fits(each: Problem, chosen: ProblemFilter) -> bool:
    if chosen.kind and kind_of(each) != chosen.kind:
        return False
    taught = taught_by(each.lessons)
    fits = {
        None: True,
        "with": taught >= TAUGHT,
        "waiting": taught == WAITING,
        "without": taught < TAUGHT,
    }
    return fits[chosen.lesson]
