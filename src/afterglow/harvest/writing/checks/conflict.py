"""Another active lesson tells to do what this one says fails, or the other way round."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.harvest.writing.episode_words import calls_of
from afterglow.harvest.writing.lesson_names import Calls, is_command
from afterglow.harvest.writing.names import forms_in, spans
from afterglow.harvest.writing.reading import lesson_in
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.writing import Objection, WrittenCase
from afterglow.text.clip import clip

NAME = "conflict"
MAX_FACT_CHARACTERS = 120


def check(case: WrittenCase) -> Objection | None:
    calls = calls_of(case.problem.events)
    lesson_sides = _Sides(case.answer.situation, lesson_in(case).names.commands, calls)
    for item in case.items:
        is_lesson = item.category in {"pitfall", "tool-quirk"}
        if not is_lesson or item.id == case.answer.item:
            continue
        told_spans = [span for span in spans(item.remedy) if is_command(span, calls)]
        item_sides = _Sides(item.situation, told_spans, calls)
        if (
            lesson_sides.warns & item_sides.tells
            or lesson_sides.tells & item_sides.warns
        ):
            return _objection(item)
    return None


class _Sides:
    """The forms that a lesson tells to run, and those it warns of: the same commands with flags that are to go. One
    without flags is not warned of: its operands are what is wrong with it."""

    def __init__(self, situation: str, commands: Iterable[str], calls: Calls) -> None:
        self.tells = _forms(commands)
        tasks = {_task(form) for form in self.tells}
        failing = (span for span in spans(situation) if is_command(span, calls))
        self.warns = {
            form
            for form in _forms(failing) - self.tells
            if _task(form) in tasks and form != _task(form)
        }


def _forms(commands: Iterable[str]) -> frozenset[str]:
    return frozenset(form for span in commands for form in forms_in(span))


def _task(form: str) -> str:
    return " ".join(word for word in form.split() if word[0] != "-")


def _objection(item: KnowledgeItem) -> Objection:
    fact = clip(item.fact, MAX_FACT_CHARACTERS)
    reason = (
        f"{item.id} tells the opposite ({fact}): say that this replaces it, "
        "or in which case each holds"
    )
    return Objection(NAME, "wait", reason, item.fact)
