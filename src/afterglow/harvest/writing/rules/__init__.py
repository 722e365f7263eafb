"""Rules as writers: lessons that need no understanding, because sessions did the same and the error names it.

pairs           of two lines, the two commands that belong together
moves           what was changed between them, typed
general_form    what several calls have in common
agreement       all sessions that made one change, and what they have in common
changed_calls   the same change of a call in two sessions; change_sentences puts it in words
steps           the same call fails, one step (of its own, or in front in the same line), the same call works
paths           what sessions keep asking for where it is not

What a person says is not among them: the miners of rules and corrections tell it, and which sentence replaces which.
Each rule is a function from a problem to what it has to tell; what they tell passes the same checks as every lesson.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from afterglow.harvest.writing.rules import (
    changed_calls,
    paths,
    steps,
)
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.records.problems import Dossier, DossierLine, Problem
from afterglow.records.writing import WrittenAnswer

VERSION = 12  # raised when rules would say something else about the same events
# A lesson is read at every start; what does not fit a line of it, somebody else has to put in words.
MAX_SITUATION_CHARACTERS, MAX_REMEDY_CHARACTERS = 200, 200

Rule = Callable[[Problem], Iterator[RuleLesson]]
RULES: tuple[Rule, ...] = (
    changed_calls.lessons,
    steps.lessons,
    paths.lessons,
)


def written_by_rules(problem: Problem) -> list[WrittenAnswer]:
    """What rules have to say about a problem; nothing, mostly. They cite lines of `dossier_of_rules`."""
    answers: dict[str, WrittenAnswer] = {}
    if problem.kind == "person":  # nothing failed: what is meant, somebody has to read
        return []
    for rule in RULES:
        for lesson in rule(problem):
            if _can_be_told(lesson):
                answers.setdefault(lesson.remedy, _answer(problem, lesson))
    return list(answers.values())


def written_once(problems: Iterable[Problem]) -> list[WrittenAnswer]:
    """What rules have to say about many problems. An event may be of several: what is said of it is said once, where
    most events show it, and there of the narrowest problem."""
    narrow_first = sorted(problems, key=lambda problem: (problem.times, problem.id))
    answers = [
        (each.repo, answer)
        for each in narrow_first
        for answer in written_by_rules(each)
    ]
    answers.sort(key=lambda pair: -len(pair[1].cites))
    by_words: dict[tuple[str, str, str], WrittenAnswer] = {}
    for repo, answer in answers:
        by_words.setdefault((repo, answer.situation, answer.remedy), answer)
    return list(by_words.values())


def dossier_of_rules(problem: Problem) -> Dossier:
    """What rules read: every event of a problem, a line each."""
    lines = tuple(
        DossierLine(
            number,
            f"[{number}] {event.command}",
            event.session,
            event.line,
            "assistant",
        )
        for number, event in enumerate(problem.events, 1)
    )
    text = "\n".join(line.text for line in lines)
    return Dossier(problem=problem.id, text=text, tokens=0, lines=lines)


def _can_be_told(lesson: RuleLesson) -> bool:
    return (
        len(lesson.situation) <= MAX_SITUATION_CHARACTERS
        and len(lesson.remedy) <= MAX_REMEDY_CHARACTERS
    )


def _answer(problem: Problem, lesson: RuleLesson) -> WrittenAnswer:
    calls = {event.call for event in lesson.events}
    return WrittenAnswer(
        problem=problem.id,
        answer="lesson",
        situation=lesson.situation,
        remedy=lesson.remedy,
        scope=lesson.scope,
        cites=tuple(
            number
            for number, event in enumerate(problem.events, 1)
            if event.call in calls
        ),
        why=f"{lesson.sessions} sessions show the same",
    )
