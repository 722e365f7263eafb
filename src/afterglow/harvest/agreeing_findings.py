"""What most sessions show of a topic, and the findings that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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
    sessions = {item.first.session for item in agreeing}
    elsewhere = {item.first.session for item in findings} - sessions
    if len(sessions) < MIN_SESSIONS or len(sessions) <= len(elsewhere):
        return None
    return Agreement(value, agreeing, places)


def commonest(findings: Sequence[Finding], slot: str) -> str:
    """By how many sessions have it; of what is as common, the first in the alphabet."""
    pairs = {(finding.first.session, finding.slots[slot]) for finding in findings}
    counts = Counter(value for _, value in pairs)
    return min(counts, key=lambda value: (-counts[value], value))
