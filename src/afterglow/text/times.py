"""Times as agents write them -> seconds since 1970; and how long ago something was, as people say it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))
EARLIEST, LATEST = (
    631152000.0,
    4102444800.0,
)  # 1990 and 2100: what lies outside is no time of a session


def seconds(value: object) -> float | None:
    """ISO text (a missing zone is UTC), seconds, milliseconds, microseconds; None for anything else."""
    if type(value) is str and value:
        try:
            # 2026-11-15T10:00:00.000Z, as most agents write it
            if len(value) == 24 and value[23] == "Z":
                time = _minute(value[:16]) + float(value[17:23])
            else:
                time = _iso(value)
        except (ValueError, OverflowError):
            return None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        time = _in_seconds(value)
    else:
        return None
    if EARLIEST <= time <= LATEST:
        return time
    return None


def _in_seconds(number: float) -> float:
    """A number of seconds, or of the largest unit below them in which it is no time of the far future."""
    for units_per_second in (1, 1e3, 1e6, 1e9):
        time = number / units_per_second
        if time <= LATEST:
            return time
    return 0.0


def ago(seconds: float) -> str:
    """`3 h ago`"""
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return "just now"


def _iso(value: str) -> float:
    stamp = datetime.fromisoformat(value)
    if stamp.tzinfo is None:
        stamp = stamp.replace(tzinfo=UTC)
    return stamp.timestamp()


@lru_cache(maxsize=64)
def _minute(value: str) -> float:
    """Turns of a session follow closely: most share their minute with the one before."""
    return _iso(value)
