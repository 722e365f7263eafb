"""Sessions -> a ranked, explained choice. Exact: every number comes from a full reading of the session."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from afterglow.records.catalog import Entry
from afterglow.records.sample import Pick, Sample

DAY = 86400.0
OUTCOMES = {"failure": 3, "success": 2}


def choose(
    entries: Sequence[Entry],
    *,
    now: float,
    firsts: Iterable[int],
    count: int | None = None,
    min_score: int = 0,
    top_percent: float | None = None,
) -> Sample:
    """The best of `entries`, newest first among equals. `firsts` are the keys of each repo's first session."""
    first = frozenset(firsts)
    scored = [
        (points(entry, now=now, first=entry.key in first), entry) for entry in entries
    ]
    ranked = sorted(
        scored,
        key=lambda pair: (-sum(pair[0].values()), -(pair[1].end or 0.0), pair[1].key),
    )
    kept = [(why, entry) for why, entry in ranked if sum(why.values()) >= min_score]
    if top_percent is not None:
        kept = kept[: math.ceil(len(scored) * top_percent / 100)]
    return Sample(len(entries), tuple(_pick(why, entry) for why, entry in kept[:count]))


def points(entry: Entry, *, now: float, first: bool) -> dict[str, int]:
    """What each criterion gives: recency 1-3, length 1-3, novelty 0, 1 or 5, outcome 1-3, tool calls 0 or 2."""
    when = entry.end if entry.end is not None else entry.start
    age = math.inf if when is None else now - when
    return {
        "recency": 3 if age <= 7 * DAY else 2 if age <= 30 * DAY else 1,
        "length": 3 if entry.messages > 50 else 2 if entry.messages > 20 else 1,
        "novelty": 0 if not entry.repo else 5 if first else 1,
        "outcome": OUTCOMES.get(entry.outcome, 1),
        "tools": 2 if entry.calls > 10 else 0,
    }


def _pick(why: dict[str, int], entry: Entry) -> Pick:
    return Pick(
        sum(why.values()),
        why,
        entry.id,
        entry.agent,
        entry.repo,
        entry.source,
        entry.start,
        entry.end,
        entry.messages,
        entry.calls,
        entry.failed,
        entry.outcome,
        entry.title,
    )
