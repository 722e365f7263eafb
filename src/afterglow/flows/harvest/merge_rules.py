"""What differs between merging at home and merging for a team: what is told, what counts, who may overrule whom."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from afterglow.harvest import MINERS
from afterglow.harvest.replaced_items import is_replaced
from afterglow.records.knowledge import Finding, KnowledgeItem, Telling

# Why nothing is told of findings, where that says nothing about them.
STUMBLED, NOT_HERE = "the miner stumbled", "its miner is not here"
UNSAID = "read anew, its sessions no longer show it"


class HomeRules:
    """One person's machine. Sessions go there, and what they taught stays: items keep evidence that no finding shows
    any more."""

    is_whole = (
        False  # all that was ever found is still there: items rest on nothing else
    )

    def __init__(self) -> None:
        self._miners = frozenset(MINERS.names())

    def is_told(self, miner: str) -> bool:
        """Whether anybody here knows how to tell what that miner found."""
        return miner in self._miners

    def tell(self, findings: Sequence[Finding]) -> Telling | str:
        telling: Telling | str = MINERS.load(findings[0].miner).tell(findings)
        return telling

    def standing(self, item: KnowledgeItem) -> KnowledgeItem:
        """A stored item without decisions that may have been taken back since."""
        return item

    def outlives(self, item: KnowledgeItem, *, has_findings: bool) -> bool:
        """Whether it stays although its miner would not tell it any more."""
        return item.decided or item.edited

    def basis(self, before: KnowledgeItem) -> KnowledgeItem:
        """What of an item as it was is to go on."""
        return before

    def judged(
        self,
        item: KnowledgeItem,
        before: KnowledgeItem | None,
        topics: Collection[str],
    ) -> KnowledgeItem:
        """The last word on what an item of these topics is worth."""
        return item

    def may_replace(self, item: KnowledgeItem) -> bool:
        """Whether it takes part where the newer of two decisions replaces the older."""
        return True


def may_retire(item: KnowledgeItem) -> bool:
    """What a person approved or wrote stays, whatever harvest thinks of it now."""
    holds = item.status in {"active", "candidate"} or is_replaced(item)
    return holds and not item.decided and not item.edited


def retired(item: KnowledgeItem, reason: str) -> KnowledgeItem:
    return replace(item, status="retired", reason=reason)
