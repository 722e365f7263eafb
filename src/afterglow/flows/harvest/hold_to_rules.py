"""Lessons that older versions kept by weaker rules, held to those of today: harvest does not make them anew by itself.

What models and rules wrote stands in the store alone. It was active with two sessions of one afternoon, and held
everywhere where its writer thought so. What a person approved or edited stays as it is.
"""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.harvest.confidence import MIN_WITNESSES
from afterglow.harvest.independence import witnesses
from afterglow.harvest.scope import scope_of
from afterglow.harvest.writing.named_by_person import rests_on_own_words
from afterglow.records import lessons, writing
from afterglow.records.knowledge import ONE_WITNESS, KnowledgeItem
from afterglow.store.knowledge import Knowledge

WRITTEN = (writing.MINER, writing.BY_RULES)


def hold_to_rules(knowledge: Knowledge, now: float) -> int:
    """Inside the store's transaction. Returns how many items changed."""
    items = [
        item
        for miner in (*WRITTEN, lessons.MINER)
        for item in knowledge.items(
            miner=miner, status=("active", "candidate"), evidence=True
        )
        if item.evidence and not item.decided and not item.edited
    ]
    held = [(item, _held(item)) for item in items]
    changed = [after for before, after in held if after != before]
    return knowledge.save(changed, by="upgrade", now=now) if changed else 0


def _held(item: KnowledgeItem) -> KnowledgeItem:
    if not item.repo:
        repo, agent = scope_of(item.evidence, agent_wide=bool(item.agent))
        item = replace(item, repo=repo, agent=agent)
    if item.status == "active" and not _is_shown(item):
        return replace(item, status="candidate", reason=ONE_WITNESS)
    return item


def _is_shown(item: KnowledgeItem) -> bool:
    """By two witnesses, or in a person's words. What a program printed shows when a written lesson applies, and is no
    witness."""
    spans = item.evidence
    if item.miner in WRITTEN:
        spans = tuple(span for span in spans if span.part != "result")
        is_wish = item.category == "pattern"
        if not is_wish and rests_on_own_words(item.remedy, item.situation, spans):
            return True
    return witnesses(spans) >= MIN_WITNESSES
