"""Whose wish a lesson is: one person's is not that of all who work there, and the line says so."""

from __future__ import annotations

import re
from collections import Counter

from afterglow.records.writing import WrittenCase

MIN_SESSIONS = 3  # of a person who works there: fewer may be a visit
MOSTLY = 0.75  # of the sessions in which it was said

# A lesson that says itself whose wish it is.
_OF_SOME = re.compile(
    r"\b(?:one|some) (?:person|people|persons|developer|user|of)\b", re.IGNORECASE
)


def situation_of(case: WrittenCase) -> str:
    """The situation; of a wish that one of several people has, or has alone but for few, with that."""
    situation = case.answer.situation
    whose = _whose(case)
    if case.answer.scope != "user" or not whose:
        return situation
    if _OF_SOME.search(f"{situation} {case.answer.remedy}"):
        return situation
    return f"{situation} ({whose})"


def _whose(case: WrittenCase) -> str:
    """Of how many people who work there one said it; empty where several did, nobody else works there, or nobody
    knows."""
    sessions = {witness.session for witness in case.witnesses.confirming}
    wishing = Counter(case.people.get(session, "") for session in sessions)
    if not wishing or "" in wishing:
        return ""
    if max(wishing.values()) < MOSTLY * len(sessions):
        return ""
    by_person = Counter(case.people.values())
    working = {person for person, count in by_person.items() if count >= MIN_SESSIONS}
    count = len((working | wishing.keys()) - {""})
    mostly = "mostly " if len(wishing) > 1 else ""
    return f"{mostly}one of {count} people here" if count > 1 else ""
