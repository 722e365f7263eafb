"""Figures say their exact numbers where somebody points, lead to what is behind them, and fit a phone."""

import re
from xml.etree import ElementTree

from afterglow.show.blocks import Grid, Name, Picture, say
from afterglow.show.figures import bars, course, forest
from afterglow.show.html import body, style_sheet
from afterglow.show.links import NOWHERE, Links
from afterglow.show.rate_blocks import bare_row
from afterglow.show.rate_lines import position, weeks
from afterglow.show.svg import inline
from afterglow.stats.rates import rate

ROWS = [
    bare_row("2026-W07", rate([(3, 40), (1, 20), (2, 30)])),
    bare_row("2026-W08", rate([(5, 50), (0, 10)])),
]
WHOLE = ROWS[0].rate


def address(name):
    return f"/sessions?week={name}&x=1"


def titles(marks):
    return [
        element.text
        for element in ElementTree.fromstring(marks).iter()
        if element.tag == "title"
    ]


def test_every_row_of_a_forest_says_its_numbers_and_its_n():
    words = titles(forest(ROWS, "calls", WHOLE).body)
    assert [title.split(":")[0] for title in words] == ["2026-W07", "2026-W08"]
    assert "6 of 90, 3 sessions" in words[0]
    assert "95 %" in words[0]


def test_every_week_and_every_tenth_says_its_numbers():
    assert len(titles(weeks(ROWS, "between", WHOLE).body)) == 2
    assert len(titles(position(ROWS, "within", WHOLE).body)) == 2
    of_repeats = titles(weeks(ROWS, "between", WHOLE, of="repeats").body)
    assert "n = 90 repeats" in of_repeats[0]


def test_of_many_weeks_the_last_are_drawn_and_the_axis_says_so():
    rows = [
        bare_row(f"{year}-W{week:02d}", WHOLE)
        for year in (2024, 2025, 2026)
        for week in range(1, 53)
    ]
    drawing = weeks(rows, "between", WHOLE, width=400)
    words = titles(drawing.body)
    assert len(words) == 57
    assert words[-1].startswith("2026-W52")
    assert "the last 57" in drawing.body
    assert len(titles(weeks(rows[-20:], "between", WHOLE, width=400).body)) == 20


def test_columns_and_courses_say_their_values():
    assert titles(bars({"1": 5, "2": 1200}, "calls", "tries").body) == [
        "1: 5",
        "2: 1,200",
    ]
    points = course([("monday", 1.0), ("now", 2.0)], lambda value: f"{value:.0f} items")
    assert titles(points.body) == ["monday: 1 items", "now: 2 items"]


def test_a_mark_leads_to_what_is_behind_it_and_its_address_is_escaped():
    marks = weeks(ROWS, "between", WHOLE, link=address).body
    assert 'href="/sessions?week=2026-W07&amp;x=1"' in marks
    assert marks.count("<a ") == 2


def test_without_links_nothing_can_be_clicked():
    drawings = (
        weeks(ROWS, "between", WHOLE),
        forest(ROWS, "calls", WHOLE),
        bars({"1": 5}, "calls", "tries"),
    )
    assert not any("<a " in drawing.body for drawing in drawings)
    assert NOWHERE.sessions(week="2026-W07") == ""
    assert NOWHERE.item("abc") == ""


def test_a_figure_with_links_is_no_image_for_a_screen_reader():
    linked = inline(weeks(ROWS, "between", WHOLE, link=address), "Weeks")
    assert 'role="group"' in linked and 'aria-label="Weeks"' in linked
    assert 'role="img"' in inline(weeks(ROWS, "between", WHOLE), "Weeks")


def test_on_a_phone_names_are_whole_and_stand_above_their_bars():
    name = "confidence 0.8–1.0, mean 0.87"
    marks = forest([bare_row(name, WHOLE)], "calls", WHOLE, width=360).body
    assert f">{name}</text>" in marks
    (y,) = re.findall(rf'y="([\d.]+)">{re.escape(name)}<', marks)
    (dot,) = re.findall(r'<circle class="dot" cx="[\d.]+" cy="([\d.]+)"', marks)
    assert float(dot) > float(y) + 14


def test_the_body_of_a_page_brings_no_styles_and_no_scripts():
    blocks = [
        Picture("Weeks", weeks(ROWS, "between", WHOLE, link=address)),
        Grid("", ("tool",), "l", ((say(Name("Bash", "/sessions?tool=Bash")),),)),
    ]
    inside = body(blocks)
    assert 'href="/sessions?tool=Bash"' in inside
    assert not re.search(r"<style|style=|<script|\son\w+=", inside)


def test_the_style_sheet_knows_the_classes_of_figures():
    assert ".fig .hit" in style_sheet()
    assert "FONT" not in style_sheet()


def test_links_can_be_made_by_whoever_has_pages():
    class Pages(Links):
        def sessions(self, **filters):
            return "/sessions?" + "&".join(
                f"{key}={value}" for key, value in filters.items()
            )

    assert Pages().sessions(repo="acme/cli") == "/sessions?repo=acme/cli"
