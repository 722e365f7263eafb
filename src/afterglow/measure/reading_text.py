"""Readings as people read them: one way to write a value, its interval and its trend, everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.records.reading import Measured, Reading, Shift, Unit
from afterglow.text.numbers import (
    NONE,
    number,
    percent,
    percent_range,
    points,
    points_range,
    with_sign,
)

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 12  # of a sparkline

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


def amount(found: float, unit: Unit) -> str:
    if unit == "share":
        return percent(found)
    if unit == "points":
        return points(found)
    if unit in ("per day", "per session"):
        return f"{found:.2f}"
    return number(round(found, 1))


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
    known = [past for past in reading.past if past.value is not None]
    if reading.value is None:
        return ""
    if known and known[-1].value is not None:
        return f"{difference(reading.value - known[-1].value, reading.unit)} since {known[-1].day[5:]}"
    return direction(reading.shift) if reading.shift else ""


def difference(found: float, unit: Unit) -> str:
    """With its sign, in percentage points where the unit is a share; `same` where it would read as nothing."""
    text = (
        f"{abs(100 * found):.1f}"
        if unit in ("share", "points")
        else amount(abs(found), unit)
    )
    return with_sign(found, text) if text.strip("0.") else "same"


def direction(shift: Shift) -> str:
    return (
        "falling"
        if shift.high < 0
        else "rising"
        if shift.low > 0
        else "no clear change"
    )


def shifted(shift: Shift) -> str:
    """The shift in a sentence: `−1.2 points [−2.0 to −0.4], last 4 weeks against the 9 before: falling`."""
    return f"{points(shift.value)} [{points_range(shift.low, shift.high)}], {shift.words}: {direction(shift)}"


def series(reading: Reading) -> list[float]:
    """Week by week; where there are no weeks, snapshot by snapshot and now."""
    if len(reading.weeks) > 1:
        return [week.value for week in reading.weeks]
    past = [past.value for past in reading.past if past.value is not None]
    return [*past, reading.value] if past and reading.value is not None else []


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """The last values as small bars, from the lowest to the highest of them."""
    shown = values[-width:]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    step = (high - low) / (len(BARS) - 1)
    return "".join(BARS[round((one - low) / step)] for one in shown) if step else ""


def kind(reading: Reading) -> str:
    """What kind of number it is, and which way is good: `observational; lower is better`."""
    return (
        reading.nature
        if reading.better == "neither"
        else f"{reading.nature}; {reading.better} is better"
    )


def missing(measured: Measured) -> dict[str, list[str]]:
    """Readings without data by the reason they have none."""
    found: dict[str, list[str]] = {}
    for reading in measured.readings:
        if reading.value is None:
            found.setdefault(reading.reason, []).append(reading.name)
    return found


def head(measured: Measured) -> str:
    span = (
        f", {measured.first_day} to {measured.last_day}" if measured.first_day else ""
    )
    asked = "".join(f"; {name} {one}" for name, one in measured.selection.items())
    counts = (
        (measured.sessions, "session"),
        (measured.items, "active item"),
        (measured.deliveries, "proved delivery"),
    )
    said = ", ".join(f"{number(n)} {_plural(noun, n)}" for n, noun in counts)
    return f"{said}{span}{asked}"


def _plural(noun: str, n: int) -> str:
    return (
        noun
        if n == 1
        else noun.removesuffix("y") + "ies"
        if noun.endswith("y")
        else noun + "s"
    )
