"""What was answered to a problem last, as it stands now; and whether it still waits for an answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Problem, ProblemAnswer
from afterglow.records.writing import AnsweredProblem, KeptAnswer
from afterglow.store.answers import Answers
from afterglow.store.knowledge import Knowledge

# Times as many sessions as when it was answered: then it is worth another look.
GROWN = 2.0

# What a reader wants to know first where one dossier got several answers.
ORDER = ("active", "candidate", "refused", "wrong", "holds", "merge", "nothing")


def is_open(problem: Problem, answers: Answers) -> bool:
    """A reader could say something about it, and nobody has, under this name or an older one, or it has grown since."""
    # Lists of problems that are kept ready know it already.
    from afterglow.harvest.writable import is_writable

    if not is_writable(problem):
        return False
    return is_unanswered(problem.names, len(problem.sessions), answers)


def is_unanswered(
    names: Iterable[str],
    sessions: int,
    answers: Answers,
    answered_ids: Container[str] | None = None,
) -> bool:
    """Nobody has answered, or it has grown since. Where `answered_ids` are given, no other file is looked for."""
    looked_for = [
        name for name in names if answered_ids is None or name in answered_ids
    ]
    sizes = [answered.sessions for answered in _answered(looked_for, answers)]
    return not sizes or sessions >= GROWN * max(sizes)


def _answered(names: Iterable[str], answers: Answers) -> Iterator[AnsweredProblem]:
    for name in names:
        answered = answers.of(name)
        if answered is not None:
            yield answered


def with_answers(config: Config, problems: Sequence[Problem]) -> list[Problem]:
    """The problems with their last answers."""
    answers = Answers(config.answers)
    last = [
        max(
            _answered(each.names, answers),
            key=lambda answered: answered.time,
            default=None,
        )
        for each in problems
    ]
    items = _items(config, last)
    return [
        replace(each, answers=_current(answered, items)) if answered else each
        for each, answered in zip(problems, last, strict=True)
    ]


def _items(
    config: Config, last: Sequence[AnsweredProblem | None]
) -> dict[str, KnowledgeItem]:
    """What the answers became, as it is now."""
    names = {
        answer.item
        for answered in last
        if answered is not None
        for answer in answered.answers
        if answer.item
    }
    if not names or not config.knowledge.exists():
        return {}
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.find(names)


def _current(
    answered: AnsweredProblem, items: dict[str, KnowledgeItem]
) -> tuple[ProblemAnswer, ...]:
    ordered = sorted(answered.answers, key=lambda answer: ORDER.index(answer.outcome))
    return tuple(
        ProblemAnswer(
            by=answered.by,
            time=answered.time,
            outcome=answer.outcome,
            item=_subject(answer),
            status=_status(answer, items),
            reason=_reason(answer, items),
        )
        for answer in ordered
    )


def _subject(answer: KeptAnswer) -> str:
    """The item it became or speaks of, or the problem it is the same as."""
    became = "" if answer.outcome == "merge" else answer.item
    return became or answer.answer.item


def _status(answer: KeptAnswer, items: dict[str, KnowledgeItem]) -> str:
    """Of the item it became: a person may have decided since, or later sessions."""
    if not answer.item:
        return ""
    return items[answer.item].status if answer.item in items else "deleted"


def _reason(answer: KeptAnswer, items: dict[str, KnowledgeItem]) -> str:
    if answer.item in items and answer.outcome in {"active", "candidate"}:
        return items[answer.item].reason
    against = [each.reason for each in answer.objections if each.effect == "refuse"]
    return against[0] if against else answer.answer.why
