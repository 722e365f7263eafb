"""The figure of an experiment's arms: what each arm reached, and below it each difference with its interval.

Values are plain numbers, so that a report, a paper and a bench draw the same figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from afterglow.show.interval_rows import (
    SCREEN_WIDTH,
    IntervalAxis,
    IntervalRow,
    around_zero,
    interval_drawing,
    interval_lines,
    stacked,
)
from afterglow.show.svg import Drawing, round_end, ticks
from afterglow.text.numbers import (
    count,
    percent,
    percent_range,
    points,
    points_range,
    short_percent,
    short_signed,
)

MIN_SHARE_END = 0.2  # an axis of shares does not end below: small ones would look large
MAX_REACH = 2.5  # times the largest difference: wider intervals run off the axis


class LevelRow(NamedTuple):
    """What an arm reached, of `n` units. No `low` and `high`: no interval can be said."""

    arm: str
    value: float
    low: float | None
    high: float | None
    n: int


class DifferenceRow(NamedTuple):
    """One arm less another. `note` stands in small print: p, and the tasks by which they differ. Without a `tone` it is
    coloured by whether its interval leaves out zero."""

    arm: str
    against: str
    value: float
    low: float
    high: float
    note: str = ""
    tone: str = ""


class Writing(NamedTuple):
    """How the values of an outcome are written. `better`: 1 more is better, -1 less, 0 neither; `unit` is what is
    counted."""

    level: Callable[[float], str] = percent
    level_span: Callable[[float, float], str] = percent_range
    change: Callable[[float], str] = points
    change_span: Callable[[float, float], str] = points_range
    level_label: Callable[[float], str] = short_percent
    change_label: Callable[[float], str] = short_signed
    better: int = 1
    share: bool = True
    unit: str = "run"


SHARES = Writing()


def arm_drawing(
    levels: Sequence[LevelRow],
    differences: Sequence[DifferenceRow],
    *,
    titles: tuple[str, str],
    writing: Writing = SHARES,
    width: float = SCREEN_WIDTH,
) -> Drawing:
    """`titles` are those of the two halves; without differences there is only the first."""
    drawings = [
        interval_drawing(title, rows, axis, width=width)
        for title, rows, axis in _halves(levels, differences, titles, writing)
    ]
    return stacked(drawings)


def arm_lines(
    levels: Sequence[LevelRow],
    differences: Sequence[DifferenceRow],
    *,
    titles: tuple[str, str],
    writing: Writing = SHARES,
) -> tuple[str, ...]:
    """The same in characters."""
    lines: list[str] = []
    for title, rows, axis in _halves(levels, differences, titles, writing):
        lines += interval_lines(title, rows, axis)
    return tuple(lines)


_Half = tuple[str, list[IntervalRow], IntervalAxis]


def _halves(
    levels: Sequence[LevelRow],
    differences: Sequence[DifferenceRow],
    titles: tuple[str, str],
    writing: Writing,
) -> list[_Half]:
    halves: list[_Half] = []
    if levels:
        rows = [_level_row(level, writing) for level in levels]
        halves.append((titles[0], rows, _level_axis(levels, writing)))
    if differences:
        rows = [_difference_row(each, writing) for each in differences]
        halves.append((titles[1], rows, _difference_axis(differences, writing)))
    return halves


def _level_row(level: LevelRow, writing: Writing) -> IntervalRow:
    span = ""
    if level.low is not None and level.high is not None:
        span = writing.level_span(level.low, level.high)
    behind = f"n = {count(level.n, writing.unit)}"
    written = writing.level(level.value)
    return IntervalRow(
        level.arm, behind, level.value, level.low, level.high, written, span
    )


def _pair(arm: str, against: str) -> str:
    """`template:examples against :markers`: what both begin with is said once, for names have little room."""
    beginning, _, part = arm.partition(":")
    is_shared = part and against.startswith(f"{beginning}:")
    return f"{arm} against {against.removeprefix(beginning) if is_shared else against}"


def _difference_row(difference: DifferenceRow, writing: Writing) -> IntervalRow:
    return IntervalRow(
        _pair(difference.arm, difference.against),
        difference.note,
        difference.value,
        difference.low,
        difference.high,
        writing.change(difference.value),
        writing.change_span(difference.low, difference.high),
        difference.tone or _tone(difference, writing.better),
    )


def _tone(difference: DifferenceRow, better: int) -> str:
    """Blue is better, orange is worse, grey is neither, or not told apart from nothing."""
    side = (difference.low > 0) - (difference.high < 0)
    return {1: "between", -1: "within"}.get(side * better, "calls")


def _level_axis(levels: Sequence[LevelRow], writing: Writing) -> IntervalAxis:
    highs = [level.value if level.high is None else level.high for level in levels]
    reach = max(_finite([*highs, *(level.value for level in levels)]), default=1.0)
    if writing.share:
        reach = max(reach, MIN_SHARE_END)
    end = round_end(reach or 1.0)
    labels = tuple((place, writing.level_label(place)) for place in ticks(end))
    return IntervalAxis(0.0, end, labels)


def _difference_axis(
    differences: Sequence[DifferenceRow], writing: Writing
) -> IntervalAxis:
    largest = max((abs(each.value) for each in differences), default=0.0)
    ends = _finite(abs(end) for each in differences for end in (each.low, each.high))
    widest = max(ends, default=largest)
    reach = min(widest, MAX_REACH * largest) if largest else widest
    end = round_end(reach or 1.0)
    side = -1 if writing.better < 0 else 1  # better is to the right
    labels = tuple(
        (side * place, writing.change_label(side * place)) for place in around_zero(end)
    )
    sides = ("worse", "better") if writing.better else ("", "")
    return IntervalAxis(-side * end, side * end, labels, 0.0, sides)


def _finite(values: Iterable[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]
