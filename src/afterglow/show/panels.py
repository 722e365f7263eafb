"""Panels of intervals, one below the other, on one axis: as a drawing, and in characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterglow.records.profile_report import Rate
from afterglow.records.research import FigurePanel
from afterglow.show.figures import forest, marked
from afterglow.show.rate_blocks import bare_row
from afterglow.show.svg import Drawing, axis_end, n, text
from afterglow.text.numbers import interval, number

TITLE_HEIGHT = 26.0  # of a panel's name, in units of a drawing
GAP_HEIGHT = 14.0  # between two panels
PLAIN_CELLS = 30  # characters of a bar that stands for the whole axis

_NO_RATE = Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0)


def panels(figure_panels: Sequence[FigurePanel], width: float) -> Drawing:
    """Every panel under its name; what has nothing to count is left out."""
    end = axis_end(rate for panel in figure_panels for _, rate in panel.rows)
    marks: list[str] = []
    top = 0.0
    for panel in figure_panels:
        rows = [bare_row(name, rate) for name, rate in panel.rows if rate.n]
        if not rows:
            continue
        drawing = forest(rows, "between", _NO_RATE, end=end, width=width)
        marks.append(text(0, top + 14, panel.name, "h"))
        below = top + TITLE_HEIGHT
        marks.append(f'<g transform="translate(0 {n(below)})">{drawing.body}</g>')
        top = below + drawing.height + GAP_HEIGHT
    return Drawing(width, max(top - GAP_HEIGHT, 1.0), "".join(marks))


def plain_panels(figure_panels: Sequence[FigurePanel]) -> Iterator[str]:
    """The same in characters: `context  |----o-----      |  12.0 %  8.1–17.2 %  n = 210`."""
    rates = [rate for panel in figure_panels for _, rate in panel.rows]
    names = [name for panel in figure_panels for name, _ in panel.rows]
    end = axis_end(rates)
    longest = max(map(len, names), default=0)
    for panel in figure_panels:
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
