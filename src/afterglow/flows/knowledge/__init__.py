"""knowledge: read, search, review, trace and share what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.knowledge.browse_items import (
        PAGE_ITEMS,
        ItemFilter,
        ItemOrder,
        ItemsPage,
        browse,
    )
    from afterglow.flows.knowledge.decide import (
        Decision,
        approve,
        delete,
        item_mark,
        needs_risky,
        reject,
        retire,
    )
    from afterglow.flows.knowledge.edit_items import Added, add, edit, rescope
    from afterglow.flows.knowledge.evidence import (
        STATES,
        Explanation,
        Piece,
        Verification,
        explain,
        verify,
    )
    from afterglow.flows.knowledge.excerpts import Excerpt
    from afterglow.flows.knowledge.folder import Synced, export, import_, sync
    from afterglow.flows.knowledge.gaps_and_staleness import Gaps, Stale, gaps, stale
    from afterglow.flows.knowledge.item_views import (
        BECAME_WORDS,
        ItemDeliveries,
        ItemDelivery,
        ItemPage,
        became,
        item_page,
    )
    from afterglow.flows.knowledge.lint_knowledge import lint
    from afterglow.flows.knowledge.recall_items import (
        RECALL_LIMIT,
        RECALL_MOST,
        Recalled,
        recall,
    )
    from afterglow.flows.knowledge.review import (
        ItemWithHistory,
        Listing,
        Stats,
        list_items,
        search,
        show,
        stats,
    )
    from afterglow.flows.knowledge.review_items import (
        ReviewItem,
        ReviewQueue,
        WaitingItem,
        review_item,
        review_queue,
        still_waiting,
    )
    from afterglow.flows.knowledge.undo_decisions import Undone, decisions, undo
else:
    __getattr__ = exports(
        __name__,
        {
            "browse_items": "PAGE_ITEMS ItemFilter ItemOrder ItemsPage browse",
            "decide": ("Decision approve delete item_mark needs_risky reject retire"),
            "edit_items": "Added add edit rescope",
            "evidence": "Explanation Piece STATES Verification explain verify",
            "excerpts": "Excerpt",
            "folder": "Synced export import_ sync",
            "gaps_and_staleness": "Gaps Stale gaps stale",
            "item_views": (
                "BECAME_WORDS ItemDeliveries ItemDelivery ItemPage became item_page"
            ),
            "lint_knowledge": "lint",
            "recall_items": "RECALL_LIMIT RECALL_MOST Recalled recall",
            "review": "ItemWithHistory Listing Stats list_items search show stats",
            "review_items": (
                "ReviewItem ReviewQueue WaitingItem review_item review_queue still_waiting"
            ),
            "undo_decisions": "Undone decisions undo",
        },
    )
