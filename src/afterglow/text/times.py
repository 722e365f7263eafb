"""Times as agents write them -> seconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def seconds(value: object) -> float | None:
    """ISO text (a missing zone is UTC), seconds, milliseconds, microseconds; None for anything else."""
    if type(value) is str and value:
        try:
            if len(value) == 24 and value[23] == "Z":  # 2026-11-15T10:00:00.000Z, as most agents write it
                return _minute(value[:16]) + float(value[17:23])
            return _iso(value)
        except ValueError:
            return None
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        number = float(value)
        while number > 1e11:
            number /= 1000
        return number
    return None


def _iso(value: str) -> float:
    stamp = datetime.fromisoformat(value)
    return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()


@lru_cache(maxsize=64)
def _minute(value: str) -> float:
    """Turns of a session follow closely: most share their minute with the one before."""
    return _iso(value)
