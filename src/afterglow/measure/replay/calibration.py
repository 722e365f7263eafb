"""Did items hold as often as their confidence says: a reliability curve, the Brier score, the calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from afterglow.records.replay import Bin, Calibration, Meeting
from afterglow.stats.rates import rate

EDGES = (
    0.0,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    1.0,
)  # below one half nothing is shown, so nothing needs to be told apart


def calibration(sessions: Sequence[Sequence[Meeting]]) -> Calibration:
    """Over all meetings, of one session after the other; those of one session are alike."""
    met = [one for meetings in sessions for one in meetings]
    bins = [
        found
        for low, high in pairwise(EDGES)
        if (found := _bin(sessions, low, high)).held.n
    ]
    n = len(met)
    return Calibration(
        n=n,
        items=len({one.item for one in met}),
        sessions=sum(bool(meetings) for meetings in sessions),
        brier=sum((one.confidence - one.held) ** 2 for one in met) / n if n else None,
        ece=sum(
            found.held.n * abs(found.confidence - (found.held.value or 0))
            for found in bins
        )
        / n
        if n
        else None,
        bins=tuple(bins),
    )


def _bin(sessions: Sequence[Sequence[Meeting]], low: float, high: float) -> Bin:
    inside = [
        [one for one in meetings if low < one.confidence <= high]
        for meetings in sessions
    ]
    sure = [one.confidence for meetings in inside for one in meetings]
    held = rate(
        (sum(one.held for one in meetings), len(meetings)) for meetings in inside
    )
    return Bin(
        low=low, high=high, confidence=sum(sure) / len(sure) if sure else 0.0, held=held
    )
