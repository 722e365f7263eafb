"""Recovery patterns: an error of the session, and what worked. Harvested items know them from many sessions; where none
are given, what this one shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afterglow.harvest.miners import recoveries
from afterglow.harvest.miners.recovery_sentences import telling_of
from afterglow.harvest.screen import danger, screen_all, vague
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import (
    Finding,
    KnowledgeItem,
    lowest,
    waits_for_approval,
)
from afterglow.records.template import RecoveryPattern
from afterglow.warm.extract.risky import is_risky

MAX_PATTERNS = 8  # as many as a section of the context shows
CATEGORIES = frozenset({"pitfall", "tool-quirk"})
SHOWN_STATUSES = frozenset({"active", "candidate"})


def recovery_patterns(
    trail: Trail, items: Sequence[KnowledgeItem] = ()
) -> list[RecoveryPattern]:
    """Not yet redacted, what is known best first."""
    return patterns_of_items(items) or list(_of_session(trail))[:MAX_PATTERNS]


def patterns_of_items(items: Sequence[KnowledgeItem]) -> list[RecoveryPattern]:
    """What harvest knows from many sessions, the best known first."""
    harvested = sorted(_of_items(items), key=lambda pattern: -pattern.support)
    return harvested[:MAX_PATTERNS]


def _of_items(items: Sequence[KnowledgeItem]) -> Iterator[RecoveryPattern]:
    for item in items:
        if item.category not in CATEGORIES or item.status not in SHOWN_STATUSES:
            continue
        if not item.situation or not item.remedy or waits_for_approval(item):
            continue
        if not danger(f"{item.situation} {item.remedy}", item.trust):
            support = max(item.source_count, 1)
            yield RecoveryPattern(item.situation, item.remedy, item.domain, support)


def _of_session(trail: Trail) -> Iterator[RecoveryPattern]:
    for findings in _by_topic(trail):
        telling = telling_of(findings)
        if isinstance(telling, str) or vague(telling.fact):
            continue
        if any(finding.danger for finding in findings):
            continue
        trust = lowest(finding.trust for finding in findings)
        if trust == "external" or is_risky(telling.remedy, telling.situation):
            continue
        if not danger(telling.fact, trust):
            yield RecoveryPattern(telling.situation, telling.remedy, telling.domain)


def _by_topic(trail: Trail) -> Iterable[list[Finding]]:
    topics: dict[str, list[Finding]] = defaultdict(list)
    for finding in screen_all(list(recoveries.mine(trail)), trail):
        topics[finding.topic].append(finding)
    return topics.values()
