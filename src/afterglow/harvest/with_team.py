"""An item as a machine tells it that has joined a team: what it knows itself, with what the team knows.

What the person here decided or wrote comes first, then what a reviewer of the team decided, then what the team's sessions
show. A team that is not sure yet takes nothing away from what this machine's own sessions showed.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from afterglow.records.knowledge import Evidence, KnowledgeItem

TEAM_TAG = "hub"  # of what only the team has


def with_team(own: KnowledgeItem | None, team: KnowledgeItem | None) -> KnowledgeItem:
    """One of the two at least is there. An approval that either gave is the approval of exactly its own words."""
    if team is None:
        assert own is not None
        return own
    if own is None:
        return replace(team, tags=_union(team.tags, (TEAM_TAG,)))
    leading, following = (team, own) if _team_leads(own, team) else (own, team)
    return replace(
        leading,
        evidence=_spans(own.evidence, team.evidence),
        topics=_union(own.topics, team.topics),
        fingerprints=_union(own.fingerprints, team.fingerprints),
        key=leading.key or following.key,
        value=leading.value or following.value,
        source_count=max(own.source_count, team.source_count),
        against=max(own.against, team.against),
        **_counts(own, team),
        first_seen=_first(own.first_seen, team.first_seen),
        last_confirmed=_last(own.last_confirmed, team.last_confirmed),
    )


def _team_leads(own: KnowledgeItem, team: KnowledgeItem) -> bool:
    """Whether the team's words and status hold here."""
    if own.decided or own.edited:
        return False
    if team.decided or team.edited:
        return True
    # One person's findings wait at the hub for a second one; on their own machine they have counted already. What the
    # hub let go for want of support may still have it here.
    return team.status not in {"candidate", "retired"}


def _spans(own: Iterable[Evidence], team: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Each once; one's own as it stands here, with its quote."""
    spans = {
        (span.session, span.line, span.part, span.start, span.hash): span
        for span in (*team, *own)
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


def _counts(own: KnowledgeItem, team: KnowledgeItem) -> dict[str, int]:
    """Of whoever saw it more often: the hub has counted what this machine sent."""
    most = max(own, team, key=lambda item: (item.times, item.worked))
    return {"times": most.times, "worked": most.worked}


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *second]))


def _first(*times: float | None) -> float | None:
    return min((time for time in times if time is not None), default=None)


def _last(*times: float | None) -> float | None:
    return max((time for time in times if time is not None), default=None)
