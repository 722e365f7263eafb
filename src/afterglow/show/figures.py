"""Figures of rates and counts: intervals side by side, lines along a session or over weeks, columns, a course of values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import groupby

from afterglow.records.profile_report import Rate, Row
from afterglow.show.svg import (
    CHARACTER_WIDTH,
    Drawing,
    arrow,
    axis_end,
    dot,
    line,
    n,
    named_ticks,
    path,
    text,
    toned,
)
from afterglow.text.clip import clip
from afterglow.text.numbers import count, interval, number, percent

STRONG_CHARACTER_WIDTH = 6.6  # of the names in a forest, in units of a drawing
MAX_NAME_CHARACTERS = 34
MAX_NAME_SHARE = 0.45  # of the width; the rest is for what is drawn
NUMBERS_WIDTH = 92.0  # for a rate and its interval at the right edge
MIN_TICK_DISTANCE = 36.0  # closer labels touch: `80 %` takes 26
WEEK_LABEL_DISTANCE = 64.0  # `2026-W07` takes 48

RatePoints = Sequence[tuple[float, Rate]]
Scale = Callable[[float], float]


def forest(
    rows: Sequence[Row], tone: str, whole: Rate, *, unit: str = "", width: float = 400
) -> Drawing:
    """One row a group: a dot for the rate, a bar for its interval, the numbers beside it."""
    names = [clip(row.name + unit, MAX_NAME_CHARACTERS) for row in rows]
    behind = [_behind(row.rate) for row in rows]
    left_edge = _room_for_names(names, behind, width)
    right_edge = width - NUMBERS_WIDTH
    row_height, top = 36, 22
    base = top + row_height * len(rows)
    end = axis_end(row.rate for row in rows)

    def across(value: float) -> float:
        return left_edge + (right_edge - left_edge) * min(value / end, 1)

    ticks = named_ticks(end)
    marks = [line(across(tick), top, across(tick), base, "grid") for tick, _ in ticks]
    for tick, label in _spaced(ticks, right_edge - left_edge, end):
        marks.append(text(across(tick), top - 8, label, "m", "middle"))
    if whole.value is not None and whole.value <= end:
        marks.append(line(across(whole.value), top, across(whole.value), base, "ref"))
    longest = int((left_edge - 6) / STRONG_CHARACTER_WIDTH)
    for index, row in enumerate(rows):
        y = top + row_height * (index + 0.5)
        marks += [
            text(0, y - 2, clip(names[index], longest), "s"),
            text(0, y + 12, behind[index], "m"),
            *_interval(row.rate, across, end, y),
            text(width, y - 2, marked(row.rate), "s", "end"),
            text(width, y + 12, interval(row.rate), "m", "end"),
        ]
    return Drawing(width, base + 4, toned(tone, marks))


def _behind(rate: Rate) -> str:
    """How much stands behind a rate."""
    sessions = f", {count(rate.sessions, 'session')}" if rate.sessions else ""
    return f"n = {number(rate.n)}{sessions}"


def _room_for_names(names: Sequence[str], below: Sequence[str], width: float) -> float:
    lengths = [STRONG_CHARACTER_WIDTH * len(name) for name in names]
    lengths += [CHARACTER_WIDTH * len(words) for words in below]
    return min(max([*lengths, 60]) + 16, MAX_NAME_SHARE * width)


def _interval(rate: Rate, across: Scale, end: float, y: float) -> list[str]:
    """The bar of an interval, its dot, and an arrow where it goes on beyond the axis."""
    marks = [line(across(rate.low), y, across(rate.high), y, "ci")]
    if rate.high > end:
        marks.append(arrow(across(end), y, 1, 0))
    if (rate.value or 0) <= end:
        marks.append(dot(across(rate.value or 0), y))
    return marks


def marked(rate: Rate) -> str:
    """A rate with its warning sign where few sessions stand behind it."""
    written = percent(rate.value)
    if rate.few and rate.n:
        written += "†"
    return written


def position(
    rows: Sequence[Row], tone: str, whole: Rate, *, width: float = 400
) -> Drawing:
    """The rate along the session: a line through the tenths with its band."""
    points = [(index + 0.5, row.rate) for index, row in enumerate(rows)]
    labels = [(float(place), f"{10 * place} %") for place in range(0, len(rows) + 1, 2)]
    plane = _Plane(points, len(rows), width)
    marks = [
        *plane.frame(labels, "of the calls of a session, first to last", whole),
        *plane.band(),
        *plane.course(),
    ]
    return Drawing(width, plane.height, toned(tone, marks))


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
    every = max(math.ceil(span * WEEK_LABEL_DISTANCE / width), 1)
    labels = [(week + 0.5, _week(first + week)) for week in range(0, span, every)]
    plane = _Plane(points, span, width)
    marks = [
        *plane.frame(labels, "ISO week in which the session started", whole),
        *plane.whiskers(),
        *plane.course(),
    ]
    return Drawing(width, plane.height, toned(tone, marks))


def bars(
    counts: dict[str, int], tone: str, axis: str, *, width: float = 400
) -> Drawing:
    """How often each count occurred, as columns with their number on top."""
    top, base = 18, 118
    highest = max(counts.values(), default=0) or 1
    slot = width / max(len(counts), 1)
    label_width = CHARACTER_WIDTH * (max(map(len, counts), default=0) + 2)
    every = max(math.ceil(label_width / slot), 1)
    marks = [
        line(0, base, width, base, "grid"),
        text(width / 2, base + 32, axis, "m", "middle"),
    ]
    for index, (name, times) in enumerate(counts.items()):
        middle, tall = slot * (index + 0.5), (base - top) * times / highest
        size = f'width="{n(slot * 0.6)}" height="{n(tall)}"'
        marks += [
            f'<rect class="bar" x="{n(middle - slot * 0.3)}" y="{n(base - tall)}" {size} rx="1.5"/>',
            text(middle, base - tall - 5, number(times), "s", "middle"),
        ]
        if index % every == 0:
            marks.append(text(middle, base + 15, name, "m", "middle"))
    return Drawing(width, base + 38, toned(tone, marks))


def course(
    points: Sequence[tuple[str, float]],
    written: Callable[[float], str],
    *,
    width: float = 400,
) -> Drawing:
    """One dot a value, evenly spaced, from the lowest to the highest; the first and the last are named."""
    left_edge, right_edge, top, base = 60.0, width - 16.0, 12.0, 92.0
    values = [value for _, value in points]
    low, high = min(values), max(values)
    step = (right_edge - left_edge) / max(len(points) - 1, 1)

    def up(value: float) -> float:
        share = 0.5
        if high > low:
            share = (value - low) / (high - low)
        return base - (base - top) * share

    places = [
        (left_edge + step * at, up(value)) for at, (_, value) in enumerate(points)
    ]
    marks = []
    for value in sorted({low, high}):
        marks += [
            line(left_edge, up(value), right_edge, up(value), "grid"),
            text(left_edge - 7, up(value) + 4, written(value), "m", "end"),
        ]
    marks += [
        text(left_edge, base + 18, points[0][0], "m"),
        text(right_edge, base + 18, points[-1][0], "m", "end"),
        f'<polyline class="line" points="{path(places)}"/>',
        *(dot(x, y) for x, y in places),
    ]
    return Drawing(width, base + 26, toned("calls", marks))


class _Plane:
    """Rates upward, place or time to the right."""

    TOP, BASE = 12.0, 186.0
    height = BASE + 41

    def __init__(self, points: RatePoints, span: int, width: float) -> None:
        self.points, self.span = points, max(span, 1)
        self.left_edge, self.right_edge = 40.0, width - 20.0
        self.end = axis_end(rate for _, rate in points)

    def across(self, place: float) -> float:
        return self.left_edge + (self.right_edge - self.left_edge) * place / self.span

    def up(self, value: float) -> float:
        return self.BASE - (self.BASE - self.TOP) * min(value / self.end, 1)

    def level(self, value: float, kind: str) -> str:
        return line(
            self.left_edge, self.up(value), self.right_edge, self.up(value), kind
        )

    def frame(
        self, labels: Sequence[tuple[float, str]], axis: str, whole: Rate
    ) -> list[str]:
        """Grid, labels of both axes, and dashed the rate of the whole."""
        marks = []
        for tick, name in named_ticks(self.end):
            marks.append(self.level(tick, "grid"))
            marks.append(text(self.left_edge - 7, self.up(tick) + 4, name, "m", "end"))
        marks += [
            text(self.across(place), self.BASE + 17, label, "m", "middle")
            for place, label in labels
        ]
        middle = (self.left_edge + self.right_edge) / 2
        marks.append(text(middle, self.BASE + 35, axis, "m", "middle"))
        if whole.value is not None and whole.value <= self.end:
            marks.append(self.level(whole.value, "ref"))
        return marks

    def band(self) -> list[str]:
        edge = [(self.across(x), self.up(rate.high)) for x, rate in self.points]
        edge += [
            (self.across(x), self.up(rate.low)) for x, rate in reversed(self.points)
        ]
        return [f'<polygon class="band" points="{path(edge)}"/>'] if edge else []

    def whiskers(self) -> list[str]:
        marks = []
        for place, rate in self.points:
            x = self.across(place)
            marks.append(line(x, self.up(rate.low), x, self.up(rate.high), "ci"))
            if rate.high > self.end:
                marks.append(arrow(x, self.up(self.end), 0, -1))
        return marks

    def course(self) -> list[str]:
        """The dots, neighbours joined by a line."""
        lines: list[str] = []
        dots: list[str] = []
        for run in _runs(self.points):
            places = [(self.across(x), self.up(rate.value or 0)) for x, rate in run]
            lines.append(f'<polyline class="line" points="{path(places)}"/>')
            dots += [dot(x, y) for x, y in places]
        return lines + dots


def _runs(points: RatePoints) -> list[list[tuple[float, Rate]]]:
    """Neighbours without a gap: only these are joined by a line."""
    runs = groupby(enumerate(points), key=lambda item: item[1][0] - item[0])
    return [[point for _, point in run] for _, run in runs]


def _spaced(
    labels: Sequence[tuple[float, str]], room: float, end: float
) -> Iterable[tuple[float, str]]:
    """Every first, second, third... label, so that they do not touch."""
    if len(labels) < 2:
        return labels
    distance = room * (labels[1][0] - labels[0][0]) / end
    return labels[:: max(math.ceil(MIN_TICK_DISTANCE / distance), 1)]


def _monday(week: str) -> date:
    year, _, week_number = week.partition("-W")
    return date.fromisocalendar(int(year), int(week_number), 1)


def _week(ordinal: int) -> str:
    year, week_number, _ = date.fromordinal(7 * ordinal + 1).isocalendar()
    return f"{year}-W{week_number:02d}"
