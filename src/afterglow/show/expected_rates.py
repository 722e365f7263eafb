"""Rates along something beside those that were to be expected: a line with its band, dots with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from afterglow.records.profile_report import Rate
from afterglow.records.research import ExpectedPanel
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
    text,
    toned,
)
from afterglow.text.numbers import interval, number, percent

TOP, BASE = 34.0, 210.0  # of the plane, below its legend
LEFT_EDGE, RIGHT_GAP = 44.0, 20.0
PLAIN_CELLS = 40  # characters that stand for the whole axis
STAGGERED_BELOW = 70.0  # labels of narrower columns stand in two lines by turns

ExpectedRow = tuple[str, Rate, Rate]  # its name, what was counted, what was expected


class _Plane(NamedTuple):
    """Rates upward to `end`, one column a row to the right."""

    width: float
    column: float
    end: float

    def across(self, at: int) -> float:
        return LEFT_EDGE + self.column * (at + 0.5)

    def up(self, value: float) -> float:
        return BASE - (BASE - TOP) * min(value / self.end, 1)


def expected_drawing(panel: ExpectedPanel, width: float) -> Drawing:
    """A line with its band for what was to be expected, dots with their intervals for what was counted."""
    rows = counted_rows(panel)
    column = (width - LEFT_EDGE - RIGHT_GAP) / max(len(rows), 1)
    plane = _Plane(width, column, _end(rows))
    marks = [*_legend(panel), *_frame(panel, plane), _expected(rows, plane)]
    for at, row in enumerate(rows):
        drop = 14 if column < STAGGERED_BELOW and at % 2 else 0
        marks.append(toned("within", [_observed(panel, row, at, plane)]))
        marks.append(text(plane.across(at), BASE + 17 + drop, row[0], "m", "middle"))
    return Drawing(width, BASE + 58, toned("calls", marks))


def counted_rows(panel: ExpectedPanel) -> list[ExpectedRow]:
    """Those of which anything was counted."""
    return [row for row in panel.rows if row[1].n]


def _end(rows: Sequence[ExpectedRow]) -> float:
    return axis_end([rate for _, *rates in rows for rate in rates])


def _frame(panel: ExpectedPanel, plane: _Plane) -> list[str]:
    right_edge = plane.width - RIGHT_GAP
    marks = [
        text((LEFT_EDGE + right_edge) / 2, BASE + 50, panel.axis, "m", "middle"),
    ]
    for tick, words in named_ticks(plane.end):
        y = plane.up(tick)
        marks.append(line(LEFT_EDGE, y, right_edge, y, "grid"))
        marks.append(text(LEFT_EDGE - 7, y + 4, words, "m", "end"))
    return marks


def _expected(rows: Sequence[ExpectedRow], plane: _Plane) -> str:
    rates = [(plane.across(at), row[2]) for at, row in enumerate(rows)]
    high = [(x, plane.up(rate.high)) for x, rate in rates]
    low = [(x, plane.up(rate.low)) for x, rate in rates]
    along = [(x, plane.up(rate.value or 0)) for x, rate in rates]
    band = f'<polygon class="band" points="{path([*high, *reversed(low)])}"/>'
    through = f'<polyline class="line" points="{path(along)}"/>'
    return toned("between", [band, through])


def _observed(panel: ExpectedPanel, row: ExpectedRow, at: int, plane: _Plane) -> str:
    name, observed, expected = row
    x = plane.across(at)
    parts = [
        hit(x - plane.column / 2, TOP, plane.column, BASE - TOP),
        line(x, plane.up(observed.low), x, plane.up(observed.high), "ci"),
        dot(x, plane.up(observed.value or 0)),
    ]
    if observed.high > plane.end:
        parts.append(arrow(x, plane.up(plane.end), 0, -1))
    title = f"{name}: {_words(observed)}; {panel.expected}: {_words(expected)}"
    return mark(title, parts)


def _legend(panel: ExpectedPanel) -> list[str]:
    return [
        toned("within", [dot(LEFT_EDGE + 4, 12)]),
        text(LEFT_EDGE + 14, 16, panel.observed, "m"),
        toned("between", [line(LEFT_EDGE + 92, 12, LEFT_EDGE + 112, 12, "line")]),
        text(LEFT_EDGE + 118, 16, panel.expected, "m"),
    ]


def _words(rate: Rate) -> str:
    return f"{percent(rate.value)} (95 %: {interval(rate)}), n = {number(rate.n)}"


def expected_lines(panel: ExpectedPanel) -> list[str]:
    """The same in characters: `1–10  |  --x-o--  |  5.4 %  4.7–6.3 %  x 5.0 % (4.4–5.6 %)`."""
    rows = counted_rows(panel)
    end = _end(rows)
    longest = max((len(name) for name, *_ in rows), default=0)
    lines = [
        f"{panel.name} (o {panel.observed}, - its interval, x {panel.expected}; the axis ends at {percent(end)})"
    ]
    for name, observed, expected in rows:
        numbers = f"{percent(observed.value)}  {interval(observed)}  x {percent(expected.value)} ({interval(expected)})"
        cells = _cells(observed, expected, end)
        lines.append(
            f"  {name:<{longest}}  |{cells}|  {numbers}  n = {number(observed.n)}"
        )
    return lines


def _cells(observed: Rate, expected: Rate, end: float) -> str:
    def place(value: float) -> int:
        return min(int(PLAIN_CELLS * value / end), PLAIN_CELLS - 1)

    cells = [" "] * PLAIN_CELLS
    low, high = place(observed.low), place(observed.high)
    cells[low : high + 1] = "-" * (high + 1 - low)
    cells[place(expected.value or 0.0)] = "x"
    cells[place(observed.value or 0.0)] = "o"
    return "".join(cells)
