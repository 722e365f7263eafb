"""Which sessions to learn from first, and why."""

from __future__ import annotations

from msgspec import Struct


class Pick(Struct, frozen=True):
    """One session with its score. `why` holds the points each criterion gave; they add up to `score`."""

    score: int
    why: dict[str, int]
    id: str
    agent: str
    repo: str
    source: str
    start: float | None
    end: float | None
    messages: int
    calls: int
    failed: int
    outcome: str
    title: str


class Sample(Struct, frozen=True):
    """The chosen sessions, best first, out of `considered` that were scored."""

    considered: int
    picks: tuple[Pick, ...]
