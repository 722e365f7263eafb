"""Numbers, rates, times and sizes as people read them: one way to write each, on every surface.

A percent sign stands apart from its number (`4.5 %`), a range has one sign (`4.0–4.9 %`), a difference of shares is in
points with a real minus sign (`−1.2 points`), and what was not measured is a dash.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from afterglow.records.profile_report import Difference, Headline, Rate

NONE = "–"
MINUS = "−"

TINY_SHARE = 0.001  # below one in a thousand one decimal would read as nothing
COMPACT_FROM = 10_000  # up to here all digits are as short as `12.3k`
MINUTES_FROM = 90.0  # seconds; `85 s` says more than `1 min`
HOURS_FROM = 90 * 60.0  # seconds; likewise `85 min` and `1.4 h`
UUID_START = 13  # characters: enough to tell sessions of one machine apart

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def percent(value: float | None) -> str:
    """`4.5 %`; below one in a thousand with a second decimal."""
    if value is None:
        return NONE
    decimals = 2 if 0 < value < TINY_SHARE else 1
    return f"{100 * value:.{decimals}f} %"


def short_percent(value: float) -> str:
    """A share somebody chose, in at most three digits: `50 %`, `33.3 %`."""
    return f"{100 * value:.3g} %"


def round_percent(value: float | None) -> str:
    """A rough share, without decimals: `67 %`."""
    return NONE if value is None else f"{100 * value:.0f} %"


def level(alpha: float) -> str:
    """The level of an interval with this chance of error: `95 %`."""
    return f"{100 * (1 - alpha):g} %"


def share(part: float, whole: float) -> str:
    """So many of so many: `4.5 %`."""
    return percent(part / whole) if whole else NONE


def percent_range(low: float, high: float) -> str:
    """`4.0–4.9 %`, rounded outward by nothing: the last digit is that of the rate."""
    return f"{100 * low:.1f}–{100 * high:.1f} %"


def round_range(low: float, high: float) -> str:
    """A rough range, without decimals: `38–96 %`."""
    return f"{100 * low:.0f}–{100 * high:.0f} %"


def interval(rate: Rate | Headline) -> str:
    return NONE if rate.value is None else percent_range(rate.low, rate.high)


def rate_words(rate: Rate) -> str:
    """A rate inside a sentence: `4.5 % [4.0–4.9 %, n = 1,203]`."""
    if not rate.n:
        return "no calls"
    return f"{percent(rate.value)} [{interval(rate)}, n = {number(rate.n)}]"


def signed(value: float | None) -> str:
    """Points with their sign: `+1.2`, `−0.4`, `0.0`."""
    return NONE if value is None else with_sign(value, f"{abs(100 * value):.1f}")


def short_signed(value: float) -> str:
    """Points somebody chose, as those of an axis: `+20`, `−2.5`."""
    return with_sign(value, f"{abs(100 * value):.3g}")


def with_sign(value: float, digits: str) -> str:
    """These digits with the sign of the value; digits that read as nothing have none."""
    if not digits.strip("0.,"):
        return digits
    return (MINUS if value < 0 else "+") + digits


def points(value: float | None) -> str:
    """`+1.2 points`."""
    return NONE if value is None else f"{signed(value)} points"


def points_range(low: float, high: float) -> str:
    """`−0.1 to +2.5`."""
    return f"{signed(low)} to {signed(high)}"


def points_interval(difference: Difference | Headline) -> str:
    if difference.value is None:
        return NONE
    return points_range(difference.low, difference.high)


def change(difference: Difference) -> str:
    """A difference inside a sentence: `+1.2 points [−0.1 to +2.5]`."""
    return f"{points(difference.value)} [{points_interval(difference)}]"


def number(value: float | None) -> str:
    """Thousands apart; a whole number without decimals."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def compact(value: float | None) -> str:
    """A large number in three digits: `1.2 million`, `90.6k`."""
    if value is None or value < COMPACT_FROM:
        return number(value)
    if value < 1e6:
        return f"{value / 1e3:.1f}k"
    if value < 1e9:
        return f"{value / 1e6:,.1f} million"
    return f"{value / 1e9:,.2f} billion"


def count(value: int, noun: str, plural: str = "") -> str:
    """`1 session`, `1,203 sessions`."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def size(bytes_: float) -> str:
    """`812 B`, `31 KB`, `1.4 GB`."""
    for unit in ("B", "KB", "MB"):
        if bytes_ < 1000:
            return f"{bytes_:.0f} {unit}"
        bytes_ /= 1000
    return f"{bytes_:.1f} GB"


def duration(seconds: float | None) -> str:
    """`45 s`, `12 min`, `3.5 h`."""
    if seconds is None:
        return NONE
    if seconds < MINUTES_FROM:
        return f"{seconds:.0f} s"
    if seconds < HOURS_FROM:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def day(time: float | None) -> str:
    """The day in UTC, the same on every machine; nothing where there is no time."""
    return "" if time is None else f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d}"


def moment(time: float) -> str:
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M} UTC"


def week_span(name: str) -> tuple[float, float]:
    """When the week of that name begins and ends; `ValueError` where there is none."""
    year, _, week_number = name.partition("-W")
    monday = datetime.fromisocalendar(int(year), int(week_number), 1)
    begin = monday.replace(tzinfo=UTC).timestamp()
    return begin, begin + 7 * 86400.0


def week(time: float) -> str:
    """The ISO week, `2026-W07`."""
    year, week_number, _ = datetime.fromtimestamp(time, UTC).isocalendar()
    return f"{year}-W{week_number:02d}"


def local_time(time: float | None) -> str:
    """For a screen: as the clock of whoever sits before it says."""
    return NONE if time is None else f"{datetime.fromtimestamp(time):%Y-%m-%d %H:%M}"


def local_day(time: float | None) -> str:
    return local_time(time)[:10]


def short_id(id: str) -> str:
    """Enough of an id to type it again."""
    return id[:UUID_START] if _UUID.fullmatch(id) else id
