"""How an item says that another replaced it, or that it holds because of another: by the reason for its status."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem

NEWER = "a newer one says otherwise"  # every reason of a replaced item starts so
RAISED = (
    "a person's newer word: replaces "  # of a candidate that holds for what it replaces
)
AGAIN = "holds again: "
_SAYS = ", says "  # behind it: who said so, where that was no rule of ours
_UNTIL_THEN = "; until then "  # behind it: what a person had decided


def superseded(
    item: KnowledgeItem, by: KnowledgeItem, *, who: str = ""
) -> KnowledgeItem:
    """The item, replaced. `who` says so, where it does not follow from the two. What a person decided about it stays to
    be read, and holds where nothing replaces it any more."""
    reason = f"{NEWER}: {by.id}{_SAYS + who if who else ''}"
    if decision := decision_about(item):
        reason = f"{reason}{_UNTIL_THEN}{decision}"
    return replace(item, status="superseded", superseded_by=by.id, reason=reason)


def decision_about(item: KnowledgeItem) -> str:
    """What a person decided about it, whatever others did to it since."""
    if not item.decided:
        return ""
    return item.reason.partition(_UNTIL_THEN)[2] if is_replaced(item) else item.reason


def is_replaced(item: KnowledgeItem) -> bool:
    """Superseded by another decision, not because another item says the same or knows more."""
    return item.status == "superseded" and item.reason.startswith(NEWER)


def is_replaced_by_word(item: KnowledgeItem) -> bool:
    """Replaced because a writer said so."""
    return is_replaced(item) and bool(replacing_writer(item))


def replacing_writer(item: KnowledgeItem) -> str:
    """Who said that another takes its place."""
    return item.reason.partition(_UNTIL_THEN)[0].partition(_SAYS)[2]


def is_derived(item: KnowledgeItem) -> bool:
    """Whether it stands as it does because of other items: by itself it would have another status."""
    if item.decided or item.edited or is_replaced_by_word(item):
        return False
    is_raised = item.reason.startswith((RAISED, AGAIN))
    return is_raised or item.status == "superseded"
