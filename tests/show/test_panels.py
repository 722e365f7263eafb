"""Figures of questions: rates, differences, and rates beside what was to be expected."""

from xml.etree import ElementTree

import msgspec
import pytest

from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import (
    DifferencePanel,
    ExpectedPanel,
    FigurePanel,
    ResearchFigure,
)
from afterglow.show.panels import panels, plain_panels
from afterglow.show.svg import standalone


def rate(value: float | None, n: int = 100) -> Rate:
    middle = value or 0.0
    low, high = max(middle - 0.02, 0.0), middle + 0.02
    return Rate(value=value, low=low, high=high, count=9, n=n, sessions=20)


def difference(value: float | None) -> Difference:
    middle = value or 0.0
    return Difference(
        effect="between sessions", first_name="a", second_name="b", first=rate(0.1), second=rate(0.2), value=value,
        low=middle - 0.03, high=middle + 0.03, sessions=40,
    )  # fmt: skip


RATES = FigurePanel("in view", (("context", rate(0.12)), ("nothing", rate(None, 0))))
DIFFERENCES = DifferencePanel(
    "held equal",
    (
        ("all", difference(0.05)),
        ("alike", difference(-0.01)),
        ("none", difference(None)),
    ),
    ("fails less", "fails more"),
)
EXPECTED = ExpectedPanel(
    "by call number",
    (("1–10", rate(0.06), rate(0.05)), ("11–20", rate(0.04), rate(0.045))),
    observed="counted",
    expected="survivorship alone",
    axis="number of the call",
)
EVERY = (RATES, DIFFERENCES, EXPECTED)


@pytest.mark.parametrize("width", [360.0, 900.0])
@pytest.mark.parametrize("panel", EVERY)
def test_everything_drawn_lies_on_the_canvas(panel, width):
    drawing = panels((panel,), width)
    root = ElementTree.fromstring(standalone(drawing, "figure", []))
    for element in root.iter():
        for field in ("x", "x1", "x2", "cx"):
            if element.get(field):
                assert -1 <= float(element.get(field)) <= width + 1


def test_panels_of_all_kinds_stand_below_one_another():
    drawing = panels(EVERY, 640)
    parts = [panels((panel,), 640).height for panel in EVERY]
    assert drawing.height > sum(parts)
    for words in ("in view", "held equal", "by call number", "fails more", "counted"):
        assert f">{words}</text>" in drawing.body


def test_what_has_nothing_to_count_is_left_out():
    empty = FigurePanel("empty", (("nothing", rate(None, 0)),))
    uncompared = DifferencePanel("none", (("none", difference(None)),))
    assert panels((empty, uncompared), 640).body == ""
    assert ">none</text>" not in panels((DIFFERENCES,), 640).body


def test_a_figure_is_read_back_from_json_with_its_kinds_of_panels():
    figure = ResearchFigure(name="f", title="t", caption="c", panels=EVERY)
    assert (
        msgspec.json.decode(msgspec.json.encode(figure), type=ResearchFigure) == figure
    )


def test_in_characters_they_say_the_same():
    lines = "\n".join(plain_panels(EVERY))
    assert "12.0 %" in lines and "+5.0 points [+2.0 to +8.0]" in lines
    assert "x 5.0 % (3.0–7.0 %)" in lines and "fails more" in lines
