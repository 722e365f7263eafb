"""Rules as writers: lessons that need no understanding, because sessions did the same and the error names it.

pairs           of two lines, the two commands that belong together
moves           what was changed between them, typed
general_form    what several calls have in common
changed_calls   the same change of a call in two sessions

Each rule is a function from a problem to what it has to tell; what they tell passes the same checks as every lesson.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from afterglow.harvest.writing.rules import changed_calls
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.records.problems import Problem
from afterglow.records.writing import WrittenAnswer

Rule = Callable[[Problem], Iterator[RuleLesson]]
RULES: tuple[Rule, ...] = (changed_calls.lessons,)


def written_by_rules(problem: Problem) -> list[WrittenAnswer]:
    """What rules have to say about a problem; nothing, mostly."""
    answers: dict[str, WrittenAnswer] = {}
    for rule in RULES:
        for lesson in rule(problem):
            answers.setdefault(lesson.remedy, _answer(problem, lesson))
    return list(answers.values())


def _answer(problem: Problem, lesson: RuleLesson) -> WrittenAnswer:
    return WrittenAnswer(
        problem=problem.id,
        answer="lesson",
        situation=lesson.situation,
        remedy=lesson.remedy,
        scope=lesson.scope,
        why=f"{len(lesson.sessions)} sessions ended it in the same way",
    )
