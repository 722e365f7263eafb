"""Times as agents write them -> seconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime


def seconds(value: object) -> float | None:
    """ISO text (a missing zone is UTC), seconds, milliseconds, microseconds; None for anything else."""
    if isinstance(value, str) and value:
        try:
            stamp = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        number = float(value)
        while number > 1e11:
            number /= 1000
        return number
    return None
