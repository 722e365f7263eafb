"""What a remedy does, where no agent should be told to do it on a stranger's word: it needs a person's."""

from __future__ import annotations

from afterglow.harvest.risk import REASON, risk_of_words
from afterglow.harvest.risk.tasks import words_of
from afterglow.records.writing import Objection, WrittenCase

NAME = "risk"


def check(case: WrittenCase) -> Objection | None:
    packages = {name for session in case.history for name in session.packages}
    answer = case.answer
    own_words = words_of(case.problem.repo) if answer.scope == "repo" else ()
    risk = risk_of_words(
        answer.situation,
        answer.remedy,
        packages=frozenset(packages),
        own_words=frozenset(own_words),
    )
    if risk is None:
        return None
    return Objection(NAME, "wait", REASON.format(risk.why))
