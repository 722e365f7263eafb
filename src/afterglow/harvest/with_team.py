"""An item as a machine tells it that has joined a team: what it knows itself, with what the team knows.

What the person here decided or wrote comes first, then what a reviewer of the team decided, then what the team's sessions
show. A team that is not sure yet takes nothing away from what this machine's own sessions showed.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from afterglow.records.knowledge import Evidence, KnowledgeItem

TEAM_TAG = "hub"  # of what only the team has


def with_team(
    own_item: KnowledgeItem | None, team_item: KnowledgeItem | None
) -> KnowledgeItem:
    """One of the two at least is there. An approval that either gave is the approval of exactly its own words."""
    if team_item is None:
        assert own_item is not None
        return own_item
    if own_item is None:
        return replace(team_item, tags=_union(team_item.tags, (TEAM_TAG,)))
    leading, following = _by_precedence(own_item, team_item)
    return replace(
        leading,
        evidence=_spans(own_item.evidence, team_item.evidence),
        topics=_union(own_item.topics, team_item.topics),
        fingerprints=_union(own_item.fingerprints, team_item.fingerprints),
        key=leading.key or following.key,
        value=leading.value or following.value,
        source_count=max(own_item.source_count, team_item.source_count),
        against=max(own_item.against, team_item.against),
        **_counts(own_item, team_item),
        first_seen=_first(own_item.first_seen, team_item.first_seen),
        last_confirmed=_last(own_item.last_confirmed, team_item.last_confirmed),
    )


def _by_precedence(
    own_item: KnowledgeItem, team_item: KnowledgeItem
) -> tuple[KnowledgeItem, KnowledgeItem]:
    if _team_leads(own_item, team_item):
        return team_item, own_item
    return own_item, team_item


def _team_leads(own_item: KnowledgeItem, team_item: KnowledgeItem) -> bool:
    """Whether the team's words and status hold here."""
    if own_item.decided or own_item.edited:
        return False
    if team_item.decided or team_item.edited:
        return True
    # One person's findings wait at the hub for a second one; on their own machine they have counted already. What the
    # hub let go for want of support may still have it here.
    return team_item.status not in {"candidate", "retired"}


def _spans(
    own_spans: Iterable[Evidence], team_spans: Iterable[Evidence]
) -> tuple[Evidence, ...]:
    """Each once; one's own as it stands here, with its quote."""
    spans = {
        (span.session, span.line, span.part, span.start, span.hash): span
        for span in (*team_spans, *own_spans)
    }
    return tuple(
        sorted(
            spans.values(),
            key=lambda span: (
                span.time or 0.0,
                span.session,
                span.line,
                span.part,
                span.start,
                span.hash,
            ),
        )
    )


def _counts(own_item: KnowledgeItem, team_item: KnowledgeItem) -> dict[str, int]:
    """Of whoever saw it more often: the hub has counted what this machine sent."""
    most = max(own_item, team_item, key=lambda item: (item.times, item.worked))
    return {"times": most.times, "worked": most.worked}


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *second]))


def _first(*times: float | None) -> float | None:
    return min((time for time in times if time is not None), default=None)


def _last(*times: float | None) -> float | None:
    return max((time for time in times if time is not None), default=None)
