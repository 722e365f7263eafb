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
    met = [meeting for meetings in sessions for meeting in meetings]
    bins = [
        part
        for low, high in pairwise(EDGES)
        if (part := _bin(sessions, low, high)).held.n
    ]
    n = len(met)
    return Calibration(
        n=n,
        items=len({meeting.item for meeting in met}),
        sessions=sum(bool(meetings) for meetings in sessions),
        brier=sum((meeting.confidence - meeting.held) ** 2 for meeting in met) / n
        if n
        else None,
        ece=sum(
            part.held.n * abs(part.confidence - (part.held.value or 0)) for part in bins
        )
        / n
        if n
        else None,
        bins=tuple(bins),
    )


def _bin(sessions: Sequence[Sequence[Meeting]], low: float, high: float) -> Bin:
    inside = [
        [meeting for meeting in meetings if low < meeting.confidence <= high]
        for meetings in sessions
    ]
    sure = [meeting.confidence for meetings in inside for meeting in meetings]
    held = rate(
        (sum(meeting.held for meeting in meetings), len(meetings))
        for meetings in inside
    )
    return Bin(
        low=low, high=high, confidence=sum(sure) / len(sure) if sure else 0.0, held=held
    )
