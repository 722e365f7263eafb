"""Sessions -> a ranked, explained choice. Exact: every number comes from a full reading of the session."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from afterglow.records.catalog import Entry
from afterglow.records.sample import Pick, Sample

DAY = 86400.0
WEEK, MONTH = 7 * DAY, 30 * DAY  # this week's work, this month's, and the rest
LONG_MESSAGES, MIDDLING_MESSAGES = 50, 20  # long work; more than a question
MANY_CALLS = 10  # a session that worked with tools, not one that talked
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
    chosen = [(why, entry) for why, entry in ranked if sum(why.values()) >= min_score]
    if top_percent is not None:
        chosen = chosen[: math.ceil(len(scored) * top_percent / 100)]
    return Sample(
        len(entries), tuple(_pick(why, entry) for why, entry in chosen[:count])
    )


def points(entry: Entry, *, now: float, first: bool) -> dict[str, int]:
    """What each criterion gives: recency 1-3, length 1-3, novelty 0, 1 or 5, outcome 1-3, tool calls 0 or 2."""
    return {
        "recency": _recency(entry, now),
        "length": _length(entry),
        "novelty": _novelty(entry, first),
        "outcome": OUTCOMES.get(entry.outcome, 1),
        "tools": 2 if entry.calls > MANY_CALLS else 0,
    }


def _recency(entry: Entry, now: float) -> int:
    when = entry.end if entry.end is not None else entry.start
    age = math.inf if when is None else now - when
    if age <= WEEK:
        return 3
    return 2 if age <= MONTH else 1


def _length(entry: Entry) -> int:
    if entry.messages > LONG_MESSAGES:
        return 3
    return 2 if entry.messages > MIDDLING_MESSAGES else 1


def _novelty(entry: Entry, first: bool) -> int:
    """The first session of a repository met what later ones take for granted."""
    if not entry.repo:
        return 0
    return 5 if first else 1


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
