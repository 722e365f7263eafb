"""Intervals one below the other on one axis: levels from zero up, or differences around zero. As a drawing, and in
characters for where no picture can be shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from afterglow.records.profile_report import Difference
from afterglow.show.figures import PHONE_WIDTH, STRONG_CHARACTER_WIDTH, Scale
from afterglow.show.svg import (
    CHARACTER_WIDTH,
    TONES,
    Drawing,
    arrow,
    dot,
    hit,
    line,
    mark,
    round_end,
    text,
    ticks,
    toned,
)
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count, points, points_interval, short_signed

SCREEN_WIDTH, NARROW_WIDTH = 640.0, 360.0  # of a page's column; of a phone
NUMBERS_WIDTH = 112.0  # for a difference in points and its interval, at the right edge
MAX_NAMES_SHARE = 0.4  # of the width; the rest is for what is drawn
TITLE_HEIGHT, LABELS_HEIGHT = (
    16.0,
    26.0,
)  # of a title, where there is one, and of the labels of the axis below it
MIN_LABEL_GAP = 12.0  # between labels of an axis; closer ones read as one
MAX_REACH = 2.0  # times the middle interval: wider ones run off the axis
PLAIN_WIDTH = 41  # characters of an axis: odd, so that its middle has a place
PLAIN_NAMES = 36  # characters of a name beside it: two parts of a template
MAX_TITLE = 90  # characters; longer ones run out of the drawing


class IntervalRow(NamedTuple):
    """`behind` is the small print below a name; `written` and `span` are the value and its interval as they are read.
    Without `low` and `high` there is only a dot."""

    name: str
    behind: str
    value: float
    low: float | None
    high: float | None
    written: str
    span: str = ""
    tone: str = "calls"


class IntervalAxis(NamedTuple):
    """From the value at its left end to the one at its right, which may be the smaller one; with labels in that order.
    Dashed, what is compared with. `sides` say what its two ends mean."""

    start: float
    end: float
    labels: tuple[tuple[float, str], ...]
    reference: float | None = None
    sides: tuple[str, str] = ("", "")

    def place(self, value: float) -> float:
        """Where a value lies, from 0 at the left end to 1 at the right one; below and above it lies beyond them."""
        return (value - self.start) / (self.end - self.start)

    def ends(self, row: IntervalRow) -> tuple[float, float] | None:
        """Where an interval begins and ends, from left to right."""
        if row.low is None or row.high is None:
            return None
        first, last = sorted((self.place(row.low), self.place(row.high)))
        return first, last


class _Layout(NamedTuple):
    """Where the axis lies, how high a row is, and where in it the two lines of words and the bar stand."""

    left_edge: float
    right_edge: float
    row_height: float
    first_line: float
    second_line: float
    bar: float
    reach: float  # how far lines of the grid go up and down from a bar
    name_characters: int


def interval_drawing(
    title: str,
    rows: Sequence[IntervalRow],
    axis: IntervalAxis,
    *,
    width: float = SCREEN_WIDTH,
) -> Drawing:
    """One row a value: names beside the bars where there is room, on a phone above them."""
    layout = _layout(rows, width)

    def across(place: float) -> float:
        reach = layout.right_edge - layout.left_edge
        return layout.left_edge + reach * min(max(place, 0.0), 1.0)

    head = LABELS_HEIGHT + (TITLE_HEIGHT if title else 0.0)
    marks = [text(0, 13, clip(title, _title_characters(width)), "s")] if title else []
    labels = [(across(axis.place(value)), words) for value, words in axis.labels]
    marks += [text(x, head - 10, words, "m", "middle") for x, words in _apart(labels)]
    levels = [(x, "grid") for x, _ in labels]
    if axis.reference is not None:
        levels.append((across(axis.place(axis.reference)), "ref"))
    for index, row in enumerate(rows):
        y = head + layout.row_height * index
        bar = y + layout.bar
        marks += [
            line(x, bar - layout.reach, x, bar + layout.reach, kind)
            for x, kind in levels
        ]
        marks.append(_marked_row(row, axis, layout, across, y, width))
    base = head + layout.row_height * len(rows)
    if any(axis.sides):
        base += 14
        marks.append(text(layout.left_edge, base, axis.sides[0], "m"))
        marks.append(text(layout.right_edge, base, axis.sides[1], "m", "end"))
    return Drawing(width, base + 6, toned("calls", marks))


def _layout(rows: Sequence[IntervalRow], width: float) -> _Layout:
    if width <= PHONE_WIDTH:
        room = int((width - NUMBERS_WIDTH) / STRONG_CHARACTER_WIDTH)
        return _Layout(20, width - 20, 56, 13, 27, 41, 8, room)
    lengths = [STRONG_CHARACTER_WIDTH * len(row.name) for row in rows]
    lengths += [CHARACTER_WIDTH * len(row.behind) for row in rows]
    left_edge = min(max([*lengths, 60.0]) + 22, MAX_NAMES_SHARE * width)
    room = int((left_edge - 10) / STRONG_CHARACTER_WIDTH)
    return _Layout(left_edge, width - NUMBERS_WIDTH - 12, 34, 15, 28, 17, 17, room)


def _title_characters(width: float) -> int:
    return min(int(width / STRONG_CHARACTER_WIDTH), MAX_TITLE)


def _apart(labels: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """The labels that do not touch the one before."""
    clear: list[tuple[float, str]] = []
    taken = -math.inf
    for x, words in labels:
        half = CHARACTER_WIDTH * len(words) / 2
        if x - half < taken + MIN_LABEL_GAP:
            continue
        clear.append((x, words))
        taken = x + half
    return clear


def _marked_row(
    row: IntervalRow,
    axis: IntervalAxis,
    layout: _Layout,
    across: Scale,
    y: float,
    width: float,
) -> str:
    small = int(layout.name_characters * STRONG_CHARACTER_WIDTH / CHARACTER_WIDTH)
    parts = [
        hit(0, y, width, layout.row_height),
        text(0, y + layout.first_line, clip(row.name, layout.name_characters), "s"),
        text(0, y + layout.second_line, clip(row.behind, small), "m"),
        toned(row.tone, _bar(row, axis, across, y + layout.bar)),
        text(width, y + layout.first_line, row.written, "s", "end"),
        text(width, y + layout.second_line, row.span, "m", "end"),
    ]
    span = f" ({row.span})" if row.span else ""
    behind = f"; {row.behind}" if row.behind else ""
    return mark(f"{row.name}: {row.written}{span}{behind}", parts)


def _bar(row: IntervalRow, axis: IntervalAxis, across: Scale, y: float) -> list[str]:
    """The interval, an arrow where it goes on beyond the axis, and the dot."""
    marks: list[str] = []
    ends = axis.ends(row)
    if ends is not None:
        marks.append(line(across(ends[0]), y, across(ends[1]), y, "ci"))
        if ends[0] < 0:
            marks.append(arrow(across(0), y, -1, 0))
        if ends[1] > 1:
            marks.append(arrow(across(1), y, 1, 0))
    place = axis.place(row.value)
    if 0 <= place <= 1:
        marks.append(dot(across(place), y))
    return marks


def stacked(drawings: Sequence[Drawing], gap: float = 14.0) -> Drawing:
    """One below the other, as one drawing."""
    y, bodies = 0.0, []
    for drawing in drawings:
        bodies.append(f'<g transform="translate(0 {y:.1f})">{drawing.body}</g>')
        y += drawing.height + gap
    width = max(drawing.width for drawing in drawings)
    return Drawing(width, max(y - gap, 0.0), "".join(bodies))


def interval_lines(
    title: str, rows: Sequence[IntervalRow], axis: IntervalAxis
) -> tuple[str, ...]:
    """The same in characters: `├──●──┤`, the reference dotted."""
    names = min(max((len(row.name) for row in rows), default=0), PLAIN_NAMES)
    left_words, right_words = _end_words(axis)
    gap = PLAIN_WIDTH - len(left_words) - len(right_words)
    head = f"  {'':{names}}  {left_words}{' ' * max(gap, 1)}{right_words}"
    lines = [title, head] if title else [head]
    for row in rows:
        span = f" [{row.span}]" if row.span else ""
        behind = f"  {row.behind}" if row.behind else ""
        name = clip(printable(row.name), names)
        drawn = _characters(row, axis)
        lines.append(f"  {name:<{names}}  {drawn}  {row.written}{span}{behind}")
    return tuple(lines)


def _end_words(axis: IntervalAxis) -> tuple[str, str]:
    left_label, right_label = axis.labels[0][1], axis.labels[-1][1]
    if not any(axis.sides):
        return left_label, right_label
    return f"{left_label} {axis.sides[0]}", f"{axis.sides[1]} {right_label}"


def _characters(row: IntervalRow, axis: IntervalAxis) -> str:
    cells = [" "] * PLAIN_WIDTH

    def cell(share: float) -> int:
        return round((PLAIN_WIDTH - 1) * min(max(share, 0.0), 1.0))

    ends = axis.ends(row)
    if ends is not None:
        first, last = cell(ends[0]), cell(ends[1])
        cells[first : last + 1] = "─" * (last + 1 - first)
        cells[first] = "◄" if ends[0] < 0 else "├"
        cells[last] = "►" if ends[1] > 1 else "┤"
    if axis.reference is not None:
        at = cell(axis.place(axis.reference))
        cells[at] = {" ": "┊", "─": "┼"}.get(cells[at], cells[at])
    cells[cell(axis.place(row.value))] = "●"
    return "".join(cells)


def difference_rows(
    differences: Sequence[tuple[str, Difference]],
) -> list[IntervalRow]:
    """Differences of shares, in points; what could not be compared is left out."""
    return [
        IntervalRow(
            name,
            count(difference.sessions, "session"),
            difference.value,
            difference.low,
            difference.high,
            points(difference.value),
            points_interval(difference),
            TONES[difference.effect],
        )
        for name, difference in differences
        if difference.value is not None
    ]


def difference_axis(
    differences: Sequence[tuple[str, Difference]], sides: tuple[str, str]
) -> IntervalAxis:
    """Around zero, as wide as most intervals need."""
    compared = [each for _, each in differences if each.value is not None]
    largest = max((abs(each.value or 0.0) for each in compared), default=0.0)
    ends = [max(-each.low, each.high) for each in compared]
    widest = max(ends, default=1.0)
    middle = median(ends) if ends else widest
    end = round_end(min(widest, max(MAX_REACH * middle, 1.25 * largest)) or 1.0)
    labels = tuple((place, short_signed(place)) for place in around_zero(end))
    return IntervalAxis(-end, end, labels, 0.0, sides)


def around_zero(end: float) -> list[float]:
    """Round places on both sides of zero."""
    upward = ticks(end)
    return [-place for place in reversed(upward[1:])] + upward
