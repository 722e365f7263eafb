"""Two shares compared as if both had the same mix of kinds (direct standardisation).

Running a test fails more often than opening a file. Where one side has more of the kind that fails, it looks worse
without any kind having become worse. So each kind is compared with itself, and the differences are put together with
the shares that the kinds have in both sides. Kinds that one side does not have are left out. The interval is by
sessions: how far each of them moves the result (linearised, Student's t); a few of them give none, and no difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from afterglow.records.profile_report import Difference, Effect, Rate
from afterglow.stats.intervals import student
from afterglow.stats.rates import FEW_SESSIONS, Pair

Sides = tuple[
    Pair, Pair
]  # of one kind in one session: in the first side, in the second
NOTHING: Pair = (0, 0)


def same_mix(
    effect: Effect, names: tuple[str, str], sessions: Sequence[Mapping[str, Sides]]
) -> Difference:
    """`names[1]` less `names[0]`, by sessions that give a pair of pairs for each kind."""
    kinds = sorted({kind for session in sessions for kind in session})
    totals = {kind: _totals(sessions, kind) for kind in kinds}
    shared = [kind for kind in kinds if totals[kind][0][1] and totals[kind][1][1]]
    weight_of = _weights(totals, shared)
    counted = [session for session in sessions if _has_calls(session, shared)]
    first = _side_rate(counted, totals, weight_of, 0)
    second = _side_rate(counted, totals, weight_of, 1)
    if first.value is None or second.value is None or first.few or second.few:
        return _difference(effect, names, first, second, None, 1.0)
    moves = [
        _moved(session, totals, weight_of, 1) - _moved(session, totals, weight_of, 0)
        for session in counted
    ]
    value = second.value - first.value
    return _difference(effect, names, first, second, value, _half(moves))


def _totals(sessions: Sequence[Mapping[str, Sides]], kind: str) -> Sides:
    sides = [session.get(kind, (NOTHING, NOTHING)) for session in sessions]
    first, second = (
        (sum(pair[side][0] for pair in sides), sum(pair[side][1] for pair in sides))
        for side in (0, 1)
    )
    return first, second


def _weights(totals: Mapping[str, Sides], shared: Sequence[str]) -> dict[str, float]:
    sizes = {kind: totals[kind][0][1] + totals[kind][1][1] for kind in shared}
    whole = sum(sizes.values())
    return {kind: size / whole for kind, size in sizes.items()}


def _has_calls(session: Mapping[str, Sides], shared: Sequence[str]) -> bool:
    return any(
        session[kind][0][1] + session[kind][1][1] for kind in shared if kind in session
    )


def _side_rate(
    sessions: Sequence[Mapping[str, Sides]],
    totals: Mapping[str, Sides],
    weight_of: Mapping[str, float],
    side: int,
) -> Rate:
    if not weight_of:
        return Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0, few=True)
    value = math.fsum(
        weight * _share(totals[kind][side]) for kind, weight in weight_of.items()
    )
    present = [session for session in sessions if _calls_on(session, weight_of, side)]
    half = _half([_moved(session, totals, weight_of, side) for session in present])
    return Rate(
        value=value,
        low=max(value - half, 0.0),
        high=min(value + half, 1.0),
        count=sum(totals[kind][side][0] for kind in weight_of),
        n=sum(totals[kind][side][1] for kind in weight_of),
        sessions=len(present),
        few=len(present) < FEW_SESSIONS,
    )


def _calls_on(
    session: Mapping[str, Sides], weight_of: Mapping[str, float], side: int
) -> int:
    return sum(session[kind][side][1] for kind in weight_of if kind in session)


def _moved(
    session: Mapping[str, Sides],
    totals: Mapping[str, Sides],
    weight_of: Mapping[str, float],
    side: int,
) -> float:
    """How far a session moves the standardised share of a side."""
    moved = 0.0
    for kind, weight in weight_of.items():
        if kind in session:
            failed, n = session[kind][side]
            total = totals[kind][side]
            moved += weight * (failed - _share(total) * n) / total[1]
    return moved


def _share(pair: Pair) -> float:
    return pair[0] / pair[1]


def _half(moves: Sequence[float]) -> float:
    """Half the width of the interval."""
    many = len(moves)
    if many < 2:
        return 1.0
    variance = math.fsum(move * move for move in moves) * many / (many - 1)
    return student(max(many, FEW_SESSIONS) - 1) * math.sqrt(variance)


def _difference(
    effect: Effect,
    names: tuple[str, str],
    first: Rate,
    second: Rate,
    value: float | None,
    half: float,
) -> Difference:
    middle = value or 0.0
    return Difference(
        effect=effect,
        first_name=names[0],
        second_name=names[1],
        first=first,
        second=second,
        value=value,
        low=max(middle - half, -1.0),
        high=min(middle + half, 1.0),
        sessions=max(first.sessions, second.sessions),
    )
