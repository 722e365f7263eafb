"""What meeting a situation unprepared costs a session, in calls; and what an item waiting for review is worth."""

from __future__ import annotations

from afterglow.records.knowledge import LINT, KnowledgeItem

# Calls that a situation costs a session that was not told, where nobody counted. Sessions behind a pitfall paid for it;
# sessions behind a pattern or a fact got along: one in five or so looked for it first.
COSTS = {
    "pitfall": 3.0,
    "tool-quirk": 2.0,
    "pattern": 0.2,
    "fact": 0.3,
    "question": 0.5,
}
# A project's own tasks stand in its manifest, where agents look first: of eight such lines that somebody read against the
# sessions, none would have spared a call.
FINDABLE = 0.02
# What a linter says by itself costs an edit and one more run, and its line is told when it reports: at a start only what
# many sessions lost these to is worth one.
LINT_RUN = 2.0
PREFERENCE = 3.0  # doing what a person refused costs their time, not only calls
# By tag, the first that an item has: these costs go before a counted one.
TAG_COSTS = {"preference": PREFERENCE, "command": FINDABLE, LINT: LINT_RUN}


def situation_cost(item: KnowledgeItem) -> float:
    """Calls, each time."""
    for tag, cost in TAG_COSTS.items():
        if tag in item.tags:
            return cost
    return max(item.cost, COSTS[item.category])


def review_worth(item: KnowledgeItem) -> float:
    """The calls it would have saved: sessions that met its situation, what that cost each, and how sure it is.

    The knowledge store orders what waits by the same number, as a column (`store.knowledge_schema`): who changes this
    gives it a migration.
    """
    return max(item.source_count, 1) * situation_cost(item) * item.confidence
