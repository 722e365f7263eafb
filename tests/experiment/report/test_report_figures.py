"""Figures stand alone as SVG, stay on their canvas, and draw better to the right."""

import math
import re
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from tests.experiment.report.made import PLAN, SPECS, analysis, estimate, evil, steps

from afterglow.experiment.report import figures
from afterglow.experiment.report.figures import forest, settled, thinned
from afterglow.experiment.report.view import view_of
from afterglow.records.experiment import Interval, StratumEffect

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("outcomes.svg", "evidence.svg", "strata.svg", "flow.svg")
every_figure = pytest.mark.parametrize("name", NAMES)


@every_figure
def test_everything_drawn_lies_on_the_canvas(name):
    root = ElementTree.fromstring(figures(analysis(), SPECS)[name])
    _, _, width, height = map(float, root.get("viewBox").split())
    for element in root.iter():
        for field, most in (
            ("x", width),
            ("x1", width),
            ("x2", width),
            ("cx", width),
            ("y", height),
            ("cy", height),
        ):
            if element.get(field):
                assert 0 <= float(element.get(field)) <= most, (element.tag, field)


@every_figure
def test_it_loads_nothing_and_escapes_names(name):
    svg = figures(evil("<b>&x"), SPECS)[name]
    assert "<b>" not in svg
    assert not re.search(
        r"https?://(?!www\.w3\.org/2000/svg)|<script|<image|@import|href", svg
    )
    ElementTree.fromstring(svg)


@every_figure
def test_simulated_goes_with_a_figure_cut_out_of_its_page(name):
    svg = figures(analysis(simulated=True), SPECS)[name]
    assert "SIMULATED" in svg and "<title>Simulated: " in svg


@pytest.mark.parametrize(("outcome", "gap"), [("tokens", -5.0), ("success", 0.1)])
def test_better_is_to_the_right_whichever_way_that_is(outcome, gap):
    found = estimate(outcome, values=(gap, 0.0), half=abs(gap), wide=2 * abs(gap))
    body = forest(view_of(analysis(estimates=(found,)), SPECS)).body
    (zero,) = re.findall(r'class="ref" x1="([\d.]+)"', body)
    (point,) = re.findall(r'<circle class="dot" cx="([\d.]+)"', body)
    assert float(point) > float(zero)


def test_an_interval_without_an_end_has_arrows_and_no_caps():
    found = estimate(sequence=Interval(-math.inf, math.inf))
    body = forest(view_of(analysis(estimates=(found,)), SPECS)).body
    assert body.count('class="arrow"') == 2


def test_the_difference_too_small_to_matter_is_shaded_for_the_primary_outcome_only():
    with_plan, without = (
        forest(view_of(analysis(plan=replace(PLAN, min_effect=least)), SPECS)).body
        for least in (0.02, 0.0)
    )
    assert (with_plan.count('class="band"'), without.count('class="band"')) == (1, 0)


def test_many_looks_are_thinned_and_the_last_is_kept():
    looks = steps("warm", -0.05, 500)
    assert len(thinned(looks)) <= 120
    assert thinned(looks)[-1] == looks[-1]


def test_zero_counts_as_left_out_only_if_it_stayed_out():
    out, back = (
        replace(steps("warm", 1.0, 1)[0], n=n, sequence=Interval(low, 2.0))
        for n, low in ((1, 0.5), (2, -0.5))
    )
    again = replace(out, n=3)
    assert settled([out, back]) is None
    assert settled([out, back, again]).n == 3


def test_only_the_largest_strata_are_drawn_and_the_table_has_them_all():
    many = tuple(
        StratumEffect(f"repo-{at}", "warm", at, at, -0.1, Interval(-0.2, 0.0))
        for at in range(5, 45)
    )
    svg = figures(analysis(strata=many), SPECS)["strata.svg"]
    assert svg.count('class="dot"') == 24
    assert "repo-44" in svg and "repo-5<" not in svg
