"""Did items hold as often as their confidence says: a reliability curve, the Brier score, and how far apart the two are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from afterglow.records.replay import Bin, Calibration, Meeting
from afterglow.stats.rates import Pair, rate

# Below one half nothing is shown, so nothing needs to be told apart.
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def calibration(sessions: Sequence[Sequence[Meeting]]) -> Calibration:
    """Over all meetings, of one session after the other; those of one session are alike."""
    met = list(chain.from_iterable(sessions))
    every_bin = [_bin(sessions, low, high) for low, high in pairwise(EDGES)]
    bins = [part for part in every_bin if part.held.n]
    brier = ece = None
    if met:
        squares = [(meeting.confidence - meeting.held) ** 2 for meeting in met]
        brier = sum(squares) / len(met)
        ece = sum(part.held.n * _distance(part) for part in bins) / len(met)
    return Calibration(
        n=len(met),
        items=len({meeting.item for meeting in met}),
        sessions=sum(bool(meetings) for meetings in sessions),
        brier=brier,
        ece=ece,
        bins=tuple(bins),
    )


def _distance(part: Bin) -> float:
    """How far a bin's confidence is from what held."""
    return abs(part.confidence - (part.held.value or 0))


def _bin(sessions: Sequence[Sequence[Meeting]], low: float, high: float) -> Bin:
    pairs: list[Pair] = []
    confidences: list[float] = []
    for meetings in sessions:
        inside = [meeting for meeting in meetings if low < meeting.confidence <= high]
        pairs.append((sum(meeting.held for meeting in inside), len(inside)))
        confidences += [meeting.confidence for meeting in inside]
    mean = sum(confidences) / max(len(confidences), 1)
    return Bin(low=low, high=high, confidence=mean, held=rate(pairs))
