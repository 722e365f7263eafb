"""The last answer to a problem in a few words, and the last answers to any."""

from __future__ import annotations

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest.last_answers import with_answers
from afterglow.records.problems import Problem, ProblemAnswer
from afterglow.store.answers import Answers
from afterglow.store.catalog import Catalog
from afterglow.store.ready_problems import ReadyProblems

ANSWER_LIMIT = 60  # as many as a run of `write` asks about


class AnsweredLately(Struct, frozen=True):
    """A problem and what was answered to it, in a few words."""

    problem: Problem
    by: str
    time: float
    words: tuple[str, ...]


def answered_lately(
    config: Config, *, limit: int = ANSWER_LIMIT
) -> list[AnsweredLately]:
    """The problems that were answered last, the newest first, as far as sessions still show them."""
    names = Answers(config.answers).newest(limit)
    with Catalog(config.catalog) as catalog:
        ready = ReadyProblems(catalog)
        listed = [matches[0] for name in names if (matches := ready.named(name))]
    return [
        AnsweredLately(
            each,
            each.answers[0].by,
            each.answers[0].time,
            tuple(map(answer_words, each.answers)),
        )
        for each in with_answers(config, listed)
        if each.answers
    ]


def answer_words(answer: ProblemAnswer) -> str:
    """`written as k1a2b3c4d5`, `nothing: ordinary work`, `waits: one session shows it`."""
    because = f": {answer.reason}" if answer.reason else ""
    match answer.outcome:
        case "active" | "candidate":
            return _lesson_words(answer, because)
        case "merge":
            return f"the same as {answer.item}"
        case "holds":
            return f"{answer.item} is right and enough"
        case "wrong":
            return f"{answer.item} is wrong{because}"
        case outcome:
            return f"{outcome}{because}"


def _lesson_words(answer: ProblemAnswer, because: str) -> str:
    if answer.status == "active":
        return f"written as {answer.item}"
    if answer.status == "candidate":
        return f"waits as {answer.item}{because}"
    return f"{answer.item} is {answer.status}{because}"
