"""The figures of a report: intervals side by side, lines along a session or over weeks, columns of counts.

Small drawings for table cells use percentages, so they stretch with their cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date
from itertools import groupby

from afterglow.errors import UsageError
from afterglow.records.profile_report import Difference, Effect, Rate, Report, Row
from afterglow.show.svg import (
    Drawing,
    arrow,
    axis_end,
    dot,
    line,
    n,
    named_ticks,
    path,
    standalone,
    text,
    toned,
)
from afterglow.text.clip import clip
from afterglow.text.numbers import change, count, interval, number, percent

TONES: dict[Effect | None, str] = {
    None: "calls",
    "between sessions": "between",
    "within sessions": "within",
}
MOST_ROWS = 24
Points = Sequence[tuple[float, Rate]]
Scale = Callable[[float], float]


def figure(report: Report, by: str) -> str:
    """One table of the report as an SVG file that stands alone."""
    if by not in report.tables:
        raise UsageError(f"no figure by {by!r}; there are {', '.join(report.tables)}")
    table = report.tables[by]
    tone, whole = TONES[table.effect], report.overall.rate
    rows = [row for row in table.rows if row.rate.n]
    notes = [table.about]
    if by == "position":
        drawing = position(rows, tone, whole, width=600)
        notes.append(_compared(report.effects.within["second vs first half"]))
    elif by == "week":
        drawing = weeks(rows, tone, whole, width=600)
    else:
        drawing = forest(
            rows[:MOST_ROWS],
            tone,
            whole,
            unit=" messages" if by == "length" else "",
            width=600,
        )
        if by == "length":
            notes += map(_compared, report.effects.between.values())
        if len(rows) > MOST_ROWS:
            notes.append(
                f"The {MOST_ROWS} with the most calls are shown, {len(rows) - MOST_ROWS} more are not."
            )
    span = f", {report.first_day} to {report.last_day}" if report.first_day else ""
    notes.append(
        f"{count(report.sessions, 'session')}, {count(report.calls, 'call')}{span}. Bars and bands are 95 % intervals, "
        f"the dashed line is the rate of all calls, {percent(whole.value)}."
    )
    return standalone(
        drawing, f"Simulated: {table.title}" if report.simulated else table.title, notes
    )


def forest(
    rows: Sequence[Row], tone: str, whole: Rate, *, unit: str = "", width: float = 400
) -> Drawing:
    """One row a group: a dot for the rate, a bar for its interval, the numbers beside it."""
    names = [clip(row.name + unit, 34) for row in rows]
    under = [
        f"n = {number(row.rate.n)}, {count(row.rate.sessions, 'session')}"
        for row in rows
    ]
    left = min(
        max(
            [6.6 * len(name) for name in names]
            + [5.8 * len(words) for words in under]
            + [60]
        )
        + 16,
        0.45 * width,
    )
    right, step, top = 92, 36, 22
    end, base = axis_end(row.rate for row in rows), top + step * len(rows)

    def at(value: float) -> float:
        return left + (width - left - right) * min(value / end, 1)

    marks = [
        line(at(tick), top, at(tick), base, "grid")
        + text(at(tick), top - 8, name, "m", "middle")
        for tick, name in named_ticks(end)
    ]
    if whole.value is not None and whole.value <= end:
        marks.append(line(at(whole.value), top, at(whole.value), base, "ref"))
    for index, row in enumerate(rows):
        rate, y = row.rate, top + step * (index + 0.5)
        marks += [
            text(0, y - 2, names[index], "s"),
            text(0, y + 12, under[index], "m"),
            line(at(rate.low), y, at(rate.high), y, "ci"),
            arrow(at(end), y, 1, 0) if rate.high > end else "",
            dot(at(rate.value or 0), y) if (rate.value or 0) <= end else "",
            text(width, y - 2, marked(rate), "s", "end"),
            text(width, y + 12, interval(rate), "m", "end"),
        ]
    return Drawing(width, base + 4, toned(tone, marks))


def position(
    rows: Sequence[Row], tone: str, whole: Rate, *, width: float = 400
) -> Drawing:
    """The rate along the session: a line through the tenths with its band."""
    points = [(index + 0.5, row.rate) for index, row in enumerate(rows)]
    labels = [(float(place), f"{10 * place} %") for place in range(0, len(rows) + 1, 2)]
    return _plane(
        points,
        labels,
        len(rows),
        tone,
        whole=whole,
        width=width,
        axis="of the calls of a session, first to last",
        uncertainty=_band,
    )


def weeks(
    rows: Sequence[Row], tone: str, whole: Rate, *, width: float = 400
) -> Drawing:
    """The rate week by week, each with its interval; a week without sessions stays empty."""
    places = [_monday(row.name).toordinal() // 7 for row in rows]
    first = min(places, default=0)
    span = max(places, default=0) - first + 1
    points = [
        (place - first + 0.5, row.rate) for place, row in zip(places, rows, strict=True)
    ]
    every = max(math.ceil(span / (width / 64)), 1)
    labels = [(week + 0.5, _week(first + week)) for week in range(0, span, every)]
    return _plane(
        points,
        labels,
        span,
        tone,
        whole=whole,
        width=width,
        axis="ISO week in which the session started",
        uncertainty=_whiskers,
    )


def bars(
    counts: dict[str, int], tone: str, axis: str, *, width: float = 400
) -> Drawing:
    """How often each count occurred, as columns with their number on top."""
    top, base, most = 18, 118, max(counts.values(), default=0) or 1
    slot = width / max(len(counts), 1)
    marks = [
        line(0, base, width, base, "grid"),
        text(width / 2, base + 32, axis, "m", "middle"),
    ]
    for index, (name, times) in enumerate(counts.items()):
        middle, tall = slot * (index + 0.5), (base - top) * times / most
        size = f'width="{n(slot * 0.6)}" height="{n(tall)}"'
        marks += [
            f'<rect class="bar" x="{n(middle - slot * 0.3)}" y="{n(base - tall)}" {size} rx="1.5"/>',
            text(middle, base - tall - 5, number(times), "s", "middle"),
            text(middle, base + 15, name, "m", "middle"),
        ]
    return Drawing(width, base + 38, toned(tone, marks))


def meter(rate: Rate, end: float, tone: str, whole: Rate) -> str:
    """An interval in a table cell, on an axis from zero to `end` that all rows share; dashed, the rate of all calls."""
    if rate.value is None:
        return ""
    return _cell(
        tone,
        (whole.value or 0) / end,
        [value / end for value in (rate.low, rate.high, rate.value)],
    )


def swing(found: Difference, end: float) -> str:
    """A difference in a table cell: the middle is zero, left is lower, right is higher."""
    if found.value is None:
        return ""
    return _cell(
        TONES[found.effect],
        0.5,
        [0.5 + value / end / 2 for value in (found.low, found.high, found.value)],
    )


def marked(rate: Rate) -> str:
    """A rate with its warning sign where few sessions stand behind it."""
    return percent(rate.value) + ("†" if rate.few and rate.n else "")


def _plane(
    points: Points,
    labels: Sequence[tuple[float, str]],
    span: int,
    tone: str,
    *,
    whole: Rate,
    width: float,
    axis: str,
    uncertainty: Callable[[Points, Scale, Scale, float], list[str]],
) -> Drawing:
    """Rates upward, place or time to the right."""
    left, right, top, base = 36.0, 16.0, 12.0, 186.0
    end = axis_end(rate for _, rate in points)

    def across(place: float) -> float:
        return left + (width - left - right) * place / max(span, 1)

    def up(value: float) -> float:
        return base - (base - top) * min(value / end, 1)

    marks = [
        line(left, up(tick), width - right, up(tick), "grid")
        + text(left - 7, up(tick) + 4, name, "m", "end")
        for tick, name in named_ticks(end)
    ]
    marks += [
        text(across(place), base + 17, label, "m", "middle") for place, label in labels
    ]
    marks.append(text((left + width - right) / 2, base + 35, axis, "m", "middle"))
    if whole.value is not None and whole.value <= end:
        marks.append(line(left, up(whole.value), width - right, up(whole.value), "ref"))
    marks += uncertainty(points, across, up, end)
    for run in _runs(points):
        marks.append(
            f'<polyline class="line" points="{path((across(x), up(rate.value or 0)) for x, rate in run)}"/>'
        )
    marks += [dot(across(x), up(rate.value or 0)) for x, rate in points]
    return Drawing(width, base + 41, toned(tone, marks))


def _band(points: Points, across: Scale, up: Scale, end: float) -> list[str]:
    edge = [(across(x), up(rate.high)) for x, rate in points] + [
        (across(x), up(rate.low)) for x, rate in reversed(points)
    ]
    return [f'<polygon class="band" points="{path(edge)}"/>'] if edge else []


def _whiskers(points: Points, across: Scale, up: Scale, end: float) -> list[str]:
    lines = [
        line(across(x), up(rate.low), across(x), up(rate.high), "ci")
        for x, rate in points
    ]
    return lines + [
        arrow(across(x), up(end), 0, -1) for x, rate in points if rate.high > end
    ]


def _runs(points: Points) -> list[list[tuple[float, Rate]]]:
    """Neighbours without a gap: only these are joined by a line."""
    runs = groupby(enumerate(points), key=lambda item: item[1][0] - item[0])
    return [[point for _, point in run] for _, run in runs]


def _cell(tone: str, mark: float, places: Sequence[float]) -> str:
    """Places are shares of the width; what lies beyond an end is cut there, and a dot beyond it is not drawn."""
    low, high, middle = places
    x1, x2, ref, at = (
        f"{n(100 * max(min(place, 1), 0))}%" for place in (low, high, mark, middle)
    )
    marks = (
        [f'<line class="ci" x1="{x1}" x2="{x2}" y1="50%" y2="50%"/>']
        if high > 0 and low < 1
        else []
    )
    marks += (
        [f'<line class="ref" x1="{ref}" x2="{ref}" y1="0" y2="100%"/>']
        if 0 <= mark <= 1
        else []
    )
    marks += (
        [f'<circle class="dot" cx="{at}" cy="50%" r="3.5"/>']
        if 0 <= middle <= 1
        else []
    )
    marks += (
        [
            '<svg x="100%" overflow="visible"><path class="arrow" d="M0 5l7 4-7 4z"/></svg>'
        ]
        if high > 1
        else []
    )
    marks += ['<path class="arrow" d="M0 5l-7 4 7 4z"/>'] if low < 0 else []
    return f'<svg class="fig cell {tone}" aria-hidden="true">{"".join(marks)}</svg>'


def _compared(found: Difference) -> str:
    names = f"{found.second_name} against {found.first_name}".capitalize()
    return (
        f"{names}, {found.effect}: {change(found)}."
        if found.value is not None
        else f"{names}: nothing to compare."
    )


def _monday(week: str) -> date:
    year, _, number_ = week.partition("-W")
    return date.fromisocalendar(int(year), int(number_), 1)


def _week(ordinal: int) -> str:
    year, number_, _ = date.fromordinal(7 * ordinal + 1).isocalendar()
    return f"{year}-W{number_:02d}"
