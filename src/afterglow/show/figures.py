"""Figures of rates and counts: intervals one below the other, columns, a course of values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from afterglow.records.profile_report import Rate, Row
from afterglow.show.links import LinkOf, no_link
from afterglow.show.svg import (
    CHARACTER_WIDTH,
    Drawing,
    arrow,
    axis_end,
    dot,
    hit,
    line,
    mark,
    n,
    named_ticks,
    path,
    rate_title,
    text,
    toned,
)
from afterglow.text.clip import clip
from afterglow.text.numbers import count, interval, number, percent

STRONG_CHARACTER_WIDTH = 6.6  # of the names in a forest, in units of a drawing
MAX_NAME_CHARACTERS = 48
MAX_NAME_SHARE = 0.45  # of the width; the rest is for what is drawn
NUMBERS_WIDTH = 92.0  # for a rate and its interval at the right edge
MIN_TICK_DISTANCE = 36.0  # closer labels touch: `80 %` takes 26
PHONE_WIDTH = 380.0  # up to here names stand above their bars, not beside them

Scale = Callable[[float], float]


class _Layout(NamedTuple):
    """Where the axis of a forest lies, how high a row is, where in it name, numbers and bar stand, and how far up and
    down from the bar the grid goes."""

    left_edge: float
    right_edge: float
    row_height: float
    name: float
    behind: float
    bar: float
    grid: float


def forest(
    rows: Sequence[Row],
    tone: str,
    whole: Rate,
    *,
    unit: str = "",
    link: LinkOf = no_link,
    width: float = 400,
    end: float | None = None,
) -> Drawing:
    """One row a group: a dot for the rate, a bar for its interval, the numbers beside it. The axis goes to `end`, or as
    far as these rows need."""
    names = [clip(row.name + unit, MAX_NAME_CHARACTERS) for row in rows]
    behind = [_behind(row.rate) for row in rows]
    layout = _layout(names, behind, width)
    top = 22.0
    base = top + layout.row_height * len(rows)
    end = end or axis_end(row.rate for row in rows)
    reach = layout.right_edge - layout.left_edge

    def across(value: float) -> float:
        return layout.left_edge + reach * min(value / end, 1)

    ticks = named_ticks(end)
    marks = [
        text(across(tick), top - 8, label, "m", "middle")
        for tick, label in _spaced(ticks, reach, end)
    ]
    levels = [(across(tick), "grid") for tick, _ in ticks]
    if whole.value is not None and whole.value <= end:
        levels.append((across(whole.value), "ref"))
    longest = _longest_name(layout, width)
    for index, row in enumerate(rows):
        y = top + layout.row_height * index
        high, low = y + layout.bar - layout.grid, y + layout.bar + layout.grid
        marks += [line(x, high, x, low, kind) for x, kind in levels]
        parts = [
            hit(0, y, width, layout.row_height),
            text(0, y + layout.name, clip(names[index], longest), "s"),
            text(0, y + layout.behind, behind[index], "m"),
            *_interval(row.rate, across, end, y + layout.bar),
            text(width, y + layout.name, marked(row.rate), "s", "end"),
            text(width, y + layout.behind, interval(row.rate), "m", "end"),
        ]
        title = rate_title(row.name + unit, row.rate)
        marks.append(mark(title, parts, link(row.name)))
    return Drawing(width, base + 4, toned(tone, marks))


def _layout(names: Sequence[str], behind: Sequence[str], width: float) -> _Layout:
    """Beside the names where there is room; on a phone below them, over the whole width."""
    if width <= PHONE_WIDTH:
        return _Layout(14, width - 14, 58, name=14, behind=28, bar=42, grid=8)
    left_edge = _room_for_names(names, behind, width)
    right_edge = width - NUMBERS_WIDTH
    return _Layout(left_edge, right_edge, 36, name=16, behind=30, bar=18, grid=18)


def _longest_name(layout: _Layout, width: float) -> int:
    room = layout.left_edge - 6
    if width <= PHONE_WIDTH:
        room = width - NUMBERS_WIDTH
    return int(room / STRONG_CHARACTER_WIDTH)


def _behind(rate: Rate) -> str:
    """How much stands behind a rate."""
    sessions = f", {count(rate.sessions, 'session')}" if rate.sessions else ""
    few = " († few)" if rate.few and rate.n else ""
    return f"n = {number(rate.n)}{sessions}{few}"


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


def bars(
    counts: Mapping[str, int],
    tone: str,
    axis: str,
    *,
    link: LinkOf = no_link,
    width: float = 400,
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
        parts = [
            hit(slot * index, top, slot, base - top),
            f'<rect class="bar" x="{n(middle - slot * 0.3)}" y="{n(base - tall)}" {size} rx="1.5"/>',
            text(middle, base - tall - 5, number(times), "s", "middle"),
        ]
        marks.append(mark(f"{name}: {number(times)}", parts, link(name)))
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
    ]
    for (name, value), (x, y) in zip(points, places, strict=True):
        marks.append(mark(f"{name}: {written(value)}", [dot(x, y)]))
    return Drawing(width, base + 26, toned("calls", marks))


def _spaced(
    labels: Sequence[tuple[float, str]], room: float, end: float
) -> Iterable[tuple[float, str]]:
    """Every first, second, third... label, so that they do not touch."""
    if len(labels) < 2:
        return labels
    distance = room * (labels[1][0] - labels[0][0]) / end
    return labels[:: max(math.ceil(MIN_TICK_DISTANCE / distance), 1)]
