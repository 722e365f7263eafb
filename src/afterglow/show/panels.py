"""Panels of a figure, one below the other: as a drawing, and in characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterglow.records.profile_report import Rate
from afterglow.records.research import (
    DifferencePanel,
    ExpectedPanel,
    FigurePanel,
    Panel,
)
from afterglow.show.expected_rates import (
    counted_rows,
    expected_drawing,
    expected_lines,
)
from afterglow.show.figures import forest, marked
from afterglow.show.interval_rows import (
    difference_axis,
    difference_rows,
    interval_drawing,
    interval_lines,
)
from afterglow.show.rate_blocks import bare_row
from afterglow.show.svg import Drawing, axis_end, n, text
from afterglow.text.numbers import interval, number

TITLE_HEIGHT = 26.0  # of a panel's name, in units of a drawing
GAP_HEIGHT = 14.0  # between two panels
PLAIN_CELLS = 30  # characters of a bar that stands for the whole axis

_NO_RATE = Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0)


def panels(figure_panels: Sequence[Panel], width: float) -> Drawing:
    """Every panel under its name; what has nothing to count is left out. Panels of rates have one axis."""
    end = axis_end(_rates(figure_panels))
    marks: list[str] = []
    top = 0.0
    for panel in figure_panels:
        drawing = _drawing(panel, end, width)
        if drawing is None:
            continue
        marks.append(text(0, top + 14, panel.name, "h"))
        below = top + TITLE_HEIGHT
        marks.append(f'<g transform="translate(0 {n(below)})">{drawing.body}</g>')
        top = below + drawing.height + GAP_HEIGHT
    return Drawing(width, max(top - GAP_HEIGHT, 1.0), "".join(marks))


def _drawing(panel: Panel, end: float, width: float) -> Drawing | None:
    """A panel without its name; nothing where it has nothing to draw."""
    if isinstance(panel, DifferencePanel):
        rows = difference_rows(panel.rows)
        axis = difference_axis(panel.rows, panel.sides)
        return interval_drawing("", rows, axis, width=width) if rows else None
    if isinstance(panel, ExpectedPanel):
        return expected_drawing(panel, width) if counted_rows(panel) else None
    bare = [bare_row(name, rate) for name, rate in panel.rows if rate.n]
    if not bare:
        return None
    return forest(bare, "between", _NO_RATE, end=end, width=width)


def plain_panels(figure_panels: Sequence[Panel]) -> Iterator[str]:
    """The same in characters: `context  |----o-----      |  12.0 %  8.1–17.2 %  n = 210`."""
    end = axis_end(_rates(figure_panels))
    for panel in figure_panels:
        if isinstance(panel, DifferencePanel):
            axis = difference_axis(panel.rows, panel.sides)
            yield from interval_lines(panel.name, difference_rows(panel.rows), axis)
        elif isinstance(panel, ExpectedPanel):
            yield from expected_lines(panel)
        else:
            yield from _plain_rates(panel, _longest_name(figure_panels), end)


def _rates(figure_panels: Sequence[Panel]) -> list[Rate]:
    """Those of panels of rates."""
    return [
        rate
        for panel in figure_panels
        if isinstance(panel, FigurePanel)
        for _, rate in panel.rows
    ]


def _longest_name(figure_panels: Sequence[Panel]) -> int:
    names = [row[0] for panel in figure_panels for row in panel.rows]
    return max(map(len, names), default=0)


def _plain_rates(panel: FigurePanel, longest: int, end: float) -> Iterator[str]:
    yield panel.name
    for name, rate in panel.rows:
        if rate.n:
            numbers = f"{marked(rate)}  {interval(rate)}  n = {number(rate.n)}"
            yield f"  {name.ljust(longest)}  |{_bar(rate, end)}|  {numbers}"


def _bar(rate: Rate, end: float) -> str:
    def place(value: float) -> int:
        return min(int(PLAIN_CELLS * value / end), PLAIN_CELLS - 1)

    low, high, middle = map(place, (rate.low, rate.high, rate.value or 0.0))
    cells = [" "] * PLAIN_CELLS
    cells[low : high + 1] = "-" * (high + 1 - low)
    cells[middle] = "o"
    return "".join(cells)
