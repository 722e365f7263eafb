"""Recovery patterns: an error of the session, and what worked. Harvested items know them from many sessions; where none
are given, the miners read this one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from afterglow.harvest.miners import arguments, recoveries
from afterglow.harvest.screen import danger, screen_all, vague
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding, KnowledgeItem, lowest
from afterglow.records.template import RecoveryPattern

MOST = 8
CATEGORIES = frozenset({"pitfall", "tool-quirk"})
STANDING = frozenset({"active", "candidate"})
MINERS = (recoveries, arguments)


def recovery_patterns(
    trail: Trail, items: Sequence[KnowledgeItem] = ()
) -> list[RecoveryPattern]:
    """Not yet redacted, what is known best first."""
    known = sorted(_of_items(items), key=lambda one: -one.support)
    return (known or list(_of_session(trail)))[:MOST]


def _of_items(items: Sequence[KnowledgeItem]) -> Iterator[RecoveryPattern]:
    for item in items:
        told = (
            item.category in CATEGORIES
            and item.status in STANDING
            and item.situation
            and item.remedy
        )
        if told and not danger(f"{item.situation} {item.remedy}", item.trust):
            yield RecoveryPattern(
                item.situation, item.remedy, item.domain, max(item.source_count, 1)
            )


def _of_session(trail: Trail) -> Iterator[RecoveryPattern]:
    topics: dict[str, list[Finding]] = defaultdict(list)
    for finding in screen_all(
        [finding for miner in MINERS for finding in miner.mine(trail)], trail
    ):
        topics[finding.topic].append(finding)
    tellers = {miner.NAME: miner.tell for miner in MINERS}
    for findings in topics.values():
        told = tellers[findings[0].miner](findings)
        if (
            isinstance(told, str)
            or vague(told.fact)
            or any(one.danger for one in findings)
        ):
            continue
        if not danger(told.fact, lowest(one.trust for one in findings)):
            yield RecoveryPattern(told.situation, told.remedy, told.domain)
