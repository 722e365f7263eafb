"""Readings as people read them: their value, interval and trend, the same on screen, page and dashboard."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.records.reading import Measured, Reading, Shift, Unit
from afterglow.text.numbers import (
    NONE,
    count,
    number,
    percent,
    percent_range,
    points,
    points_range,
    with_sign,
)

BARS = "▁▂▃▄▅▆▇█"
SPARKLINE_WIDTH = 12  # bars: about a quarter of a year

NATURES = {
    "counted": "Everything there is was counted; nothing is inferred.",
    "observational": "The sessions it compares may differ in more than what is measured. It does not say what caused a "
    "change; an experiment does.",
    "proxy": "It stands for something nobody recorded.",
}
NOTES = (
    "Intervals are 95 %. For shares they take into account that calls of one session are alike (Wilson, on a sample "
    "reduced by the design effect over sessions).",
    "The trend is week by week where the data has times, else over saved snapshots. Two snapshots share most of their "
    "sessions, so the change between them is no test.",
    "A reading without data says why; it is never counted as zero.",
)


def value(reading: Reading) -> str:
    return NONE if reading.value is None else amount(reading.value, reading.unit)


def amount(number_: float, unit: Unit) -> str:
    if unit == "share":
        return percent(number_)
    if unit == "points":
        return points(number_)
    if unit in ("per day", "per session"):
        return f"{number_:.2f}"
    return number(round(number_, 1))


def interval(reading: Reading) -> str:
    low, high, unit = reading.low, reading.high, reading.unit
    if reading.value is None or low is None or high is None:
        return NONE
    if unit == "share":
        return percent_range(low, high)
    if unit == "points":
        return points_range(low, high)
    return f"{amount(low, unit)}–{amount(high, unit)}"


def trend(reading: Reading) -> str:
    """A line of small bars, and in words: the change since the newest snapshot, else that over the last weeks."""
    return " ".join(filter(None, (sparkline(series(reading)), change(reading))))


def change(reading: Reading) -> str:
    """Since the newest snapshot that has a value; else whether the last weeks clearly differ from those before."""
    if reading.value is None:
        return ""
    for snapshot in reversed(reading.past):
        if snapshot.value is not None:
            moved = difference(reading.value - snapshot.value, reading.unit)
            return f"{moved} since {snapshot.day[5:]}"
    if reading.shift:
        return direction(reading.shift)
    return "not comparable" if reading.no_shift else ""


def difference(moved: float, unit: Unit) -> str:
    """With its sign, in percentage points where the unit is a share; `same` where it would read as nothing."""
    digits = amount(abs(moved), unit)
    if unit in ("share", "points"):
        digits = f"{abs(100 * moved):.1f}"
    return with_sign(moved, digits) if digits.strip("0.") else "same"


def direction(shift: Shift) -> str:
    if shift.high < 0:
        return "falling"
    return "rising" if shift.low > 0 else "no clear change"


def shifted(shift: Shift) -> str:
    """The shift in a sentence: `−1.2 points [−2.0 to −0.4], last 4 weeks against the 9 before: falling`."""
    moved = f"{points(shift.value)} [{points_range(shift.low, shift.high)}]"
    return f"{moved}, {shift.words}: {direction(shift)}"


def series(reading: Reading) -> list[float]:
    """Week by week; where there are no weeks, snapshot by snapshot and now."""
    if len(reading.weeks) > 1:
        return [week.value for week in reading.weeks]
    past = [snapshot.value for snapshot in reading.past if snapshot.value is not None]
    if not past or reading.value is None:
        return []
    return [*past, reading.value]


def sparkline(values: Sequence[float], width: int = SPARKLINE_WIDTH) -> str:
    """The last values as small bars, from the lowest to the highest of them."""
    last = values[-width:]
    low, high = min(last, default=0.0), max(last, default=0.0)
    step = (high - low) / (len(BARS) - 1)
    if not step:
        return ""
    return "".join(BARS[round((value - low) / step)] for value in last)


def kind(reading: Reading) -> str:
    """What kind of number it is, and which way is good: `observational; lower is better`."""
    if reading.better == "neither":
        return reading.nature
    return f"{reading.nature}; {reading.better} is better"


def missing(measured: Measured) -> dict[str, list[str]]:
    """Readings without data by the reason they have none."""
    names: dict[str, list[str]] = {}
    for reading in measured.readings:
        if reading.value is None:
            names.setdefault(reading.reason, []).append(reading.name)
    return names


def head(measured: Measured) -> str:
    counts = (
        count(measured.sessions, "session"),
        count(measured.items, "active item"),
        count(measured.deliveries, "context seen to arrive", "contexts seen to arrive"),
    )
    span = ""
    if measured.first_day:
        span = f", {measured.first_day} to {measured.last_day}"
    chosen = "".join(f"; {name} {word}" for name, word in measured.selection.items())
    return f"{', '.join(counts)}{span}{chosen}"
