"""Numbers as people read them: one way to write a rate, an interval, a difference, everywhere."""

from __future__ import annotations

from datetime import UTC, datetime

from afterglow.records.profile_report import Difference, Headline, Rate

NONE = "–"
MINUS = "−"


def percent(value: float | None) -> str:
    """`4.5%`; below one in a thousand with a second decimal."""
    if value is None:
        return NONE
    return f"{100 * value:.2f}%" if 0 < value < 0.001 else f"{100 * value:.1f}%"


def interval(found: Rate | Headline) -> str:
    """`4.0–4.9%`, rounded outward by nothing: the last digit is that of the rate."""
    return (
        NONE
        if found.value is None
        else f"{100 * found.low:.1f}–{100 * found.high:.1f}%"
    )


def points(value: float | None) -> str:
    """`+1.2 points`, with a real minus sign."""
    return NONE if value is None else f"{signed(value)} points"


def points_interval(found: Difference | Headline) -> str:
    return (
        NONE if found.value is None else f"{signed(found.low)} to {signed(found.high)}"
    )


def known(found: Rate) -> str:
    """A rate inside a sentence: `4.5% [4.0–4.9%, n = 1,203]`."""
    return (
        f"{percent(found.value)} [{interval(found)}, n = {number(found.n)}]"
        if found.n
        else "no calls"
    )


def change(found: Difference) -> str:
    """A difference inside a sentence: `+1.2 points [−0.1 to +2.5]`."""
    return f"{points(found.value)} [{points_interval(found)}]"


def number(value: float | None) -> str:
    """Thousands apart; a whole number without decimals."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def compact(value: float | None) -> str:
    """A large number in three digits: `1.2 million`, `90.6k`."""
    if value is None or value < 10_000:
        return number(value)
    if value < 1e6:
        return f"{value / 1e3:.1f}k"
    return (
        f"{value / 1e6:,.1f} million" if value < 1e9 else f"{value / 1e9:,.2f} billion"
    )


def count(value: int, noun: str, plural: str = "") -> str:
    """`1 session`, `1,203 sessions`."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def duration(seconds: float | None) -> str:
    """`45 s`, `12 min`, `3.5 h`."""
    if seconds is None:
        return NONE
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def day(time: float | None) -> str:
    return "" if time is None else f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d}"


def week(time: float) -> str:
    """The ISO week, `2026-W07`."""
    year, number_, _ = datetime.fromtimestamp(time, UTC).isocalendar()
    return f"{year}-W{number_:02d}"


def signed(value: float | None) -> str:
    """Points with their sign: `+1.2`, `−0.4`, `0.0`."""
    if value is None:
        return NONE
    text = f"{abs(100 * value):.1f}"
    return text if text == "0.0" else f"{MINUS if value < 0 else '+'}{text}"
