"""Whose wish a lesson is: one person's is not that of all who work there, and the line says so."""

from __future__ import annotations

import re
from collections import Counter

from afterglow.records.writing import WrittenCase

MIN_SESSIONS = 3  # of a person who works there: fewer may be a visit

# A lesson that says itself whose wish it is.
_OF_SOME = re.compile(
    r"\b(?:one|some) (?:person|people|persons|developer|user|of)\b", re.IGNORECASE
)


def situation_of(case: WrittenCase) -> str:
    """The situation; of a wish that one of several people has, with that."""
    situation = case.answer.situation
    count = _people_beside_one(case)
    if case.answer.scope != "user" or not count:
        return situation
    if _OF_SOME.search(f"{situation} {case.answer.remedy}"):
        return situation
    return f"{situation} (one of {count} people here)"


def _people_beside_one(case: WrittenCase) -> int:
    """How many people work there, where one of them said it; 0 where nobody else does, or nobody knows."""
    wishing = {
        case.people.get(witness.session, "") for witness in case.witnesses.confirming
    }
    if len(wishing) != 1 or "" in wishing:
        return 0
    sessions = Counter(case.people.values())
    working = {person for person, count in sessions.items() if count >= MIN_SESSIONS}
    everybody = (working | wishing) - {""}
    return len(everybody) if len(everybody) > 1 else 0
