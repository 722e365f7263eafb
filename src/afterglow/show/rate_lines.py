"""Figures of rates along something: the tenths of a session, or weeks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from afterglow.records.profile_report import Rate, Row
from afterglow.show.links import LinkOf, no_link
from afterglow.show.svg import (
    Drawing,
    arrow,
    axis_end,
    dot,
    hit,
    line,
    mark,
    named_ticks,
    path,
    rate_title,
    text,
    toned,
)

WEEK_LABEL_DISTANCE = 64.0  # `2026-W07` takes 48
MIN_WEEK_WIDTH = 7.0  # a dot takes as much; closer weeks could not be pointed at


class _Point(NamedTuple):
    """A rate at its place on the axis, with what is said of it, and where it leads."""

    place: float
    rate: Rate
    title: str
    href: str = ""


def position(
    rows: Sequence[Row], tone: str, whole: Rate, *, width: float = 400
) -> Drawing:
    """The rate along the session: a line through the tenths with its band."""
    points = [
        _Point(index + 0.5, row.rate, rate_title(f"{row.name} of a session", row.rate))
        for index, row in enumerate(rows)
    ]
    labels = [(float(place), f"{10 * place} %") for place in range(0, len(rows) + 1, 2)]
    plane = _Plane(points, len(rows), width)
    marks = [
        *plane.frame(labels, "of the calls of a session, first to last", whole),
        *plane.band(),
        *plane.lines(),
        *plane.marks(),
    ]
    return Drawing(width, plane.height, toned(tone, marks))


def weeks(
    rows: Sequence[Row],
    tone: str,
    whole: Rate,
    *,
    of: str = "",
    link: LinkOf = no_link,
    width: float = 400,
) -> Drawing:
    """The rate week by week, each with its interval; a week without sessions stays empty. `of` says what is counted.
    Where there are more weeks than can be told apart, the last of them are drawn, and the axis says so."""
    most = int(width / MIN_WEEK_WIDTH)
    places = [_place(row.name) for row in rows]
    last = max(places, default=0)
    first = max(min(places, default=0), last - most + 1)
    axis = "ISO week in which the session started"
    if places and min(places) < first:
        axis = f"{axis}, the last {most}"
        rows = [row for row in rows if _place(row.name) >= first]
        places = [_place(row.name) for row in rows]
    span = last - first + 1
    points = [
        _Point(
            place - first + 0.5,
            row.rate,
            rate_title(row.name, row.rate, of),
            link(row.name),
        )
        for place, row in zip(places, rows, strict=True)
    ]
    every = max(math.ceil(span * WEEK_LABEL_DISTANCE / width), 1)
    labels = [(week + 0.5, _week(first + week)) for week in range(0, span, every)]
    plane = _Plane(points, span, width)
    marks = [
        *plane.frame(labels, axis, whole),
        *plane.lines(),
        *plane.marks(whiskers=True),
    ]
    return Drawing(width, plane.height, toned(tone, marks))


class _Plane:
    """Rates upward, place or time to the right."""

    TOP, BASE = 12.0, 186.0
    height = BASE + 41

    def __init__(self, points: Sequence[_Point], span: int, width: float) -> None:
        self.points, self.span = points, max(span, 1)
        self.left_edge, self.right_edge = 40.0, width - 20.0
        self.end = axis_end(point.rate for point in points)

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
        points = self.points
        edge = [
            (self.across(point.place), self.up(point.rate.high)) for point in points
        ]
        edge += [
            (self.across(point.place), self.up(point.rate.low))
            for point in reversed(points)
        ]
        return [f'<polygon class="band" points="{path(edge)}"/>'] if edge else []

    def lines(self) -> list[str]:
        """Neighbours joined."""
        drawn: list[str] = []
        for run in _runs(self.points):
            places = [
                (self.across(point.place), self.height_of(point)) for point in run
            ]
            drawn.append(f'<polyline class="line" points="{path(places)}"/>')
        return drawn

    def marks(self, *, whiskers: bool = False) -> list[str]:
        """The dots, each on the ground of its whole column."""
        column = (self.right_edge - self.left_edge) / self.span
        drawn: list[str] = []
        for point in self.points:
            x = self.across(point.place)
            parts = [hit(x - column / 2, self.TOP, column, self.BASE - self.TOP)]
            if whiskers:
                parts += self.whisker(x, point.rate)
            if (point.rate.value or 0) <= self.end:  # else the arrow says it
                parts.append(dot(x, self.height_of(point)))
            drawn.append(mark(point.title, parts, point.href))
        return drawn

    def whisker(self, x: float, rate: Rate) -> list[str]:
        drawn = [line(x, self.up(rate.low), x, self.up(rate.high), "ci")]
        if rate.high > self.end:
            drawn.append(arrow(x, self.up(self.end), 0, -1))
        return drawn

    def height_of(self, point: _Point) -> float:
        return self.up(point.rate.value or 0)


def _runs(points: Sequence[_Point]) -> list[list[_Point]]:
    """Neighbours without a gap: only these are joined by a line."""
    runs = groupby(enumerate(points), key=lambda numbered: numbered[1][0] - numbered[0])
    return [[point for _, point in run] for _, run in runs]


def _place(week: str) -> int:
    """How many weeks it is from the first one there ever was."""
    year, _, week_number = week.partition("-W")
    return date.fromisocalendar(int(year), int(week_number), 1).toordinal() // 7


def _week(ordinal: int) -> str:
    year, week_number, _ = date.fromordinal(7 * ordinal + 1).isocalendar()
    return f"{year}-W{week_number:02d}"
