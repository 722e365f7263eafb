"""What a remedy does, where no agent should be told to do it on a stranger's word: it needs a person's."""

from __future__ import annotations

from afterglow.harvest.risk import REASON, risk_of_words
from afterglow.records.writing import Objection, WrittenCase

NAME = "risk"


def check(case: WrittenCase) -> Objection | None:
    packages = {name for session in case.history for name in session.packages}
    answer = case.answer
    risk = risk_of_words(answer.situation, answer.remedy, packages=frozenset(packages))
    if risk is None:
        return None
    return Objection(NAME, "wait", REASON.format(risk.why))
