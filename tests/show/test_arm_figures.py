"""The figure of arms: what each reached, each difference, in characters and as a drawing that fits a phone."""

import re
from xml.etree import ElementTree

import pytest

from afterglow.show.arm_figures import (
    SHARES,
    DifferenceRow,
    LevelRow,
    arm_drawing,
    arm_lines,
)
from afterglow.show.interval_rows import NARROW_WIDTH, SCREEN_WIDTH, IntervalAxis
from afterglow.show.svg import standalone

LEVELS = (
    LevelRow("cold", 0.0, 0.0, 0.04, 96),
    LevelRow("start", 0.21, 0.07, 0.43, 96),
    LevelRow("placebo", 0.01, None, None, 96),
)
DIFFERENCES = (
    DifferenceRow("start", "cold", 0.21, 0.03, 0.38, "p = 0.022; 20 to 0"),
    DifferenceRow("placebo", "cold", 0.01, -0.9, 0.95),
)
TITLES = ("Tasks solved, by arm", "Differences, on the same tasks")
widths = pytest.mark.parametrize("width", [SCREEN_WIDTH, NARROW_WIDTH])


def drawn(width: float, **changes):
    return arm_drawing(LEVELS, DIFFERENCES, titles=TITLES, width=width, **changes)


@widths
def test_everything_drawn_lies_on_the_canvas(width):
    drawing = drawn(width)
    root = ElementTree.fromstring(standalone(drawing, "arms", []))
    assert drawing.width == width
    for element in root.iter():
        for field in ("x", "x1", "x2", "cx"):
            if element.get(field):
                assert 0 <= float(element.get(field)) <= width


@widths
def test_every_arm_and_difference_is_named_with_its_numbers(width):
    body = drawn(width).body
    for words in ("cold", "start against cold", "+21.0 points", "+3.0 to +38.0"):
        assert f">{words}</text>" in body
    assert "p = 0.022; 20 to 0" in body


@widths
def test_parts_of_a_template_are_told_apart_in_their_pairs(width):
    pairs = [("markers", "patterns"), ("examples", "patterns"), ("150", "context")]
    rows = [
        DifferenceRow(f"template:{part}", f"template:{against}", 0.1, -0.1, 0.3)
        for part, against in pairs
    ]
    rows.append(DifferenceRow("template:150", "context", 0.1, -0.1, 0.3))
    body = arm_drawing((), rows, titles=TITLES, width=width).body
    lines = "\n".join(arm_lines((), rows, titles=TITLES))
    names = [f"template:{part} against :{against}" for part, against in pairs]
    for name in (*names, "template:150 against context"):
        assert f">{name}</text>" in body and f"  {name}  " in lines


def test_an_interval_that_runs_off_the_axis_ends_in_arrows():
    assert drawn(SCREEN_WIDTH).body.count('class="arrow"') == 2


def test_blue_is_better_orange_is_worse_and_grey_cannot_tell():
    def tones(better: int) -> list[str]:
        body = drawn(SCREEN_WIDTH, writing=SHARES._replace(better=better)).body
        return re.findall(r'<g class="(\w+)"><line class="ci"', body)

    assert tones(1) == ["calls", "calls", "between", "calls"]
    assert tones(-1) == ["calls", "calls", "within", "calls"]
    assert tones(0) == ["calls"] * 4


def test_better_is_to_the_right_whichever_way_that_is():
    def difference_side(better: int) -> bool:
        writing = SHARES._replace(better=better)
        body = arm_drawing((), DIFFERENCES[:1], titles=TITLES, writing=writing).body
        zero = float(re.findall(r'class="ref" x1="([\d.]+)"', body)[0])
        point = float(re.findall(r'class="dot" cx="([\d.]+)"', body)[0])
        return point > zero

    assert difference_side(1) and not difference_side(-1)


def test_in_characters_it_says_the_same():
    lines = arm_lines(LEVELS, DIFFERENCES, titles=TITLES)
    assert lines[0] == TITLES[0]
    assert lines[2].endswith("0.0 % [0.0–4.0 %]  n = 96 runs")
    start = next(line for line in lines if line.startswith("  start against cold"))
    assert re.search(r"┊ *├─+●─+┤ +\+21\.0 points \[\+3\.0 to \+38\.0\]  p = ", start)
    placebo = next(line for line in lines if line.startswith("  placebo against"))
    assert "◄" in placebo and "►" in placebo


def test_an_axis_may_run_from_the_larger_value_to_the_smaller():
    axis = IntervalAxis(1.0, -1.0, ((1.0, "+1"), (-1.0, "−1")))
    assert axis.place(1.0) == 0 and axis.place(-1.0) == 1 and axis.place(2.0) < 0
