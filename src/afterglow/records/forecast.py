"""How long an experiment would take: what the last sessions say about an outcome, and what that comes to."""

from __future__ import annotations

from msgspec import Struct


class OutcomeHistory(Struct, frozen=True):
    """How an outcome went in the `sessions` that have it, and how many of them there were in a week, in the four weeks
    up to `until` (0: up to now)."""

    outcome: str
    sessions: int = 0
    mean: float = 0.0
    sd: float = 0.0
    a_week: float = 0.0
    until: float = 0.0


class Prospect(Struct, frozen=True):
    """One difference: sessions in each arm that show it, and the weeks until they are there; `any_time` where it is
    read whenever somebody likes. No weeks where nobody knows the pace."""

    effect: float
    an_arm: int
    weeks: float | None
    any_time: float | None


class Forecast(Struct, frozen=True):
    """`a_week` is what was named, or the pace of the history."""

    history: OutcomeHistory
    arms: tuple[str, ...]
    alpha: float
    power: float
    a_week: float
    chosen: Prospect
    prospects: tuple[Prospect, ...]
