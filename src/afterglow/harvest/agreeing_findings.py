"""What most sessions show of a topic, and the findings that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from afterglow.records.knowledge import Finding

MIN_SESSIONS = 2  # that show the same


class Agreement(Struct, frozen=True):
    """What a slot holds in most sessions, the findings in which it does, and their places among all."""

    value: str
    findings: tuple[Finding, ...]
    places: tuple[int, ...]


def agreement(findings: Sequence[Finding], slot: str) -> Agreement | None:
    """None where fewer than two sessions show the same, or as many show something else."""
    value = commonest(findings, slot)
    places = tuple(
        place for place, item in enumerate(findings) if item.slots[slot] == value
    )
    agreeing = tuple(findings[place] for place in places)
    sessions = session_ids(agreeing)
    elsewhere = session_ids(findings) - sessions
    if len(sessions) < MIN_SESSIONS or len(sessions) <= len(elsewhere):
        return None
    return Agreement(value, agreeing, places)


def session_ids(findings: Iterable[Finding]) -> frozenset[str]:
    return frozenset(finding.first.session for finding in findings)


def commonest(findings: Sequence[Finding], slot: str) -> str:
    return ranked_values(findings, slot)[0]


def ranked_values(findings: Sequence[Finding], slot: str) -> list[str]:
    """By how many sessions have it; what is as common, by the alphabet."""
    counts = sessions_by_value(findings, slot)
    return sorted(counts, key=lambda value: (-counts[value], value))


def sessions_by_value(findings: Sequence[Finding], slot: str) -> Counter[str]:
    """In how many sessions a slot holds each value."""
    pairs = {(finding.first.session, finding.slots[slot]) for finding in findings}
    return Counter(value for _, value in pairs)
