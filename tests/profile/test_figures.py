"""Figures are well-formed SVG that stands alone and says what it shows."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from tests.profile.make import entry, fleet

from afterglow.errors import UsageError
from afterglow.profile.page import figure
from afterglow.profile.report import summarise
from afterglow.profile.tables import row
from afterglow.show.rate_lines import weeks
from afterglow.show.svg import axis_end, ticks
from afterglow.stats.rates import rate

SVG = "{http://www.w3.org/2000/svg}"
REPORT = summarise(fleet())
every_table = pytest.mark.parametrize("by", list(REPORT.tables))


def words(svg):
    return [
        element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")
    ]


@every_table
def test_is_well_formed_and_titled(by):
    assert REPORT.tables[by].title in words(figure(REPORT, by))


@every_table
def test_has_its_own_background_and_loads_nothing(by):
    svg = figure(REPORT, by)
    assert 'fill="#ffffff"' in svg
    assert "var(" not in svg
    assert not re.search(
        r"https?://(?!www\.w3\.org/2000/svg)|<script|<image|@import|href", svg
    )


@every_table
def test_everything_drawn_lies_on_the_canvas(by):
    root = ElementTree.fromstring(figure(REPORT, by))
    _, _, width, height = map(float, root.get("viewBox").split())
    (group,) = root.findall(f"{SVG}g")
    for element in group.iter():
        for name, most in (
            ("x", width),
            ("x1", width),
            ("x2", width),
            ("cx", width),
            ("y", height),
            ("cy", height),
        ):
            if element.get(name):
                assert 0 <= float(element.get(name)) <= most, (element.tag, name)


@every_table
def test_no_two_labels_of_one_line_overlap(by):
    """At 5.4 units a letter, about what the font takes; end and middle anchors are taken into account."""
    lines = {}
    for element in ElementTree.fromstring(figure(REPORT, by)).iter(f"{SVG}text"):
        wide, x = 5.4 * len(element.text or ""), float(element.get("x"))
        start = x - {"end": wide, "middle": wide / 2}.get(element.get("text-anchor"), 0)
        lines.setdefault(element.get("y"), []).append((start, start + wide))
    for spans in lines.values():
        spans.sort()
        assert all(end <= start + 1 for (_, end), (start, _) in pairwise(spans))


@every_table
def test_of_no_sessions_is_still_a_figure(by):
    ElementTree.fromstring(figure(summarise([]), by))


def test_names_are_escaped():
    svg = figure(summarise([entry("of", tools={"<b>&tool": "of"})]), "tool")
    assert "<b>&tool" in words(svg)


def test_simulated_data_is_called_so():
    assert words(figure(summarise(fleet(), simulated=True), "week"))[0].startswith(
        "Simulated: "
    )


def test_an_unknown_table_names_those_there_are():
    with pytest.raises(UsageError, match="length, position"):
        figure(REPORT, "weather")


def test_weeks_without_sessions_leave_a_gap_and_no_line_across_it():
    drawing = weeks(
        [row(name, ["offo"] * 6) for name in ("2026-W52", "2026-W53", "2027-W03")],
        "between",
        rate([(1, 2)]),
    )
    lines = re.findall(r'<polyline[^>]*points="([^"]*)"', drawing.body)
    assert [len(points.split()) for points in lines] == [2, 1]


def test_an_axis_is_not_stretched_by_a_handful_of_calls():
    solid, thin = [rate([(5, 100)] * 10)] * 3, rate([(2, 3)])
    assert axis_end([*solid, thin]) == axis_end(solid)


@pytest.mark.parametrize("end", [0.01, 0.05, 0.12, 0.4, 1.0])
def test_ticks_are_few_and_end_with_the_axis(end):
    last = axis_end([rate([(round(end * 800), 1000)] * 10)])
    found = ticks(last)
    assert 3 <= len(found) <= 8
    assert found[-1] == pytest.approx(last)
