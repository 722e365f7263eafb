"""A lesson says more than the error itself, than the instruction files, and than what is known already."""

from __future__ import annotations

from afterglow.harvest.problem_topics import topics_of
from afterglow.harvest.user_speech import content
from afterglow.harvest.writing.brought import is_said, is_said_in, paragraphs
from afterglow.harvest.writing.names import SPAN, spans
from afterglow.harvest.writing.reading import lesson_in
from afterglow.records.knowledge import LINT, KnowledgeItem
from afterglow.records.writing import Objection, WrittenAnswer, WrittenCase

NAME = "news"
MAX_WORDS_BESIDE = 1  # "run `x`"; "wait, and run `x` again" says something


def check(case: WrittenCase) -> Objection | None:
    answer = case.answer
    if _is_situation_again(answer, case):
        reason = "it tells to run what it says fails: say what is done otherwise"
        return Objection(NAME, "refuse", reason)
    for item in case.items:
        if item.id != answer.item and _is_known(answer.remedy, item, case):
            reason = f"known as {item.id}: it says no more than that"
            return Objection(NAME, "refuse", reason, item.fact)
    if is_said_in(answer.remedy, paragraphs(case.instructions)):
        reason = "the repository's instruction files say so already"
        return Objection(NAME, "refuse", reason)
    errors = [
        " ".join(line.text for line in event.lines) for event in case.problem.events
    ]
    if errors and all(is_said(answer.remedy, error) for error in errors):
        reason = "the error itself says so: tell what it does not"
        return Objection(NAME, "refuse", reason)
    return None


def _is_situation_again(answer: WrittenAnswer, case: WrittenCase) -> bool:
    """The remedy names nothing but calls of the situation, however quoted, and has hardly a word beside them."""
    told_spans = {_unquoted(span) for span in spans(answer.remedy)}
    if not told_spans or lesson_in(case).names.is_quoting:
        return False
    if not told_spans <= {_unquoted(span) for span in spans(answer.situation)}:
        return False
    beside = SPAN.sub(" ", answer.remedy)
    return len(content(beside)) <= MAX_WORDS_BESIDE


def _unquoted(span: str) -> str:
    return span.replace("'", "").replace('"', "")


def _is_known(remedy: str, item: KnowledgeItem, case: WrittenCase) -> bool:
    """An item that tells the same, and is about the same problem; what is told only when a linter reports is news
    before that."""
    if LINT in item.tags:
        return False
    topics = topics_of(case.problem)
    known_here = {lesson.item for lesson in case.problem.lessons}
    is_about = not set(topics).isdisjoint(item.topics) or item.id in known_here
    return is_about and is_said(remedy, item.fact)
