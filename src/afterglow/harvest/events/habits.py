"""Which checks print something when all is well, over sessions."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.records.problems import SessionEvents


def habits_of(sessions: Iterable[SessionEvents]) -> dict[str, tuple[int, int]]:
    """How often each check printed something, and how often nothing, where all was well."""
    habits: dict[str, tuple[int, int]] = {}
    for session in sessions:
        for name, (printed, empty) in session.printing.items():
            printed_before, empty_before = habits.get(name, (0, 0))
            habits[name] = (printed_before + printed, empty_before + empty)
    return habits
