"""By what two sessions are known to have met the same problem, whether or not anything was said about it."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.harvest.families import ORDER, kind_of


def problem_key(keys: Iterable[str]) -> str:
    """The most telling of an event's keys; empty where it has none."""
    ranked = [key for key in keys if kind_of(key) in ORDER]
    return min(ranked, key=lambda key: ORDER.index(kind_of(key)), default="")
