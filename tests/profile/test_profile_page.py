"""The page is one file that opens offline, escapes what it shows, and says what was left out."""

import re
from html.parser import HTMLParser

import pytest
from tests.profile.make import entry, fleet

from afterglow.profile.page import page
from afterglow.profile.report import summarise
from afterglow.records import Recovery

VOID = {"meta", "br", "wbr"}


class Outline(HTMLParser):
    """Checks that tags close in order; collects headings, text and ids of tags used."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.headings, self.text = [], set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.headings.append(data.strip())
        if "style" not in self.open:
            self.text.append(data)


def outline(html):
    found = Outline()
    found.feed(html)
    found.close()
    assert not found.open
    return found


@pytest.fixture(scope="module")
def html():
    return page(
        summarise(
            fleet(),
            left_out={"never used": 3, "sub-agents": 12, "copies of other sessions": 0},
        )
    )


def test_it_needs_no_script_and_no_network(html):
    assert "script" not in outline(html).tags
    assert not re.search(r"https?://|src=|href=|@import|url\(", html)


def test_sections_come_in_the_order_of_the_questions(html):
    wanted = [
        "Where calls fail", "Across sessions: by length", "Within a session: by position", "What one fleet reported",
        "Task types", "Recoveries", "Recurring errors", "How people asked", "Per session", "Context and tokens",
        "Week by week", "By model", "By repo", "How these numbers are made",
    ]  # fmt: skip
    headings = [heading for heading in outline(html).headings if heading]
    assert [
        next((w for w in wanted if heading.startswith(w)), heading)
        for heading in headings
    ] == wanted


def test_it_says_how_many_sessions_what_span_and_what_was_left_out(html):
    text = " ".join(outline(html).text)
    assert "60 sessions" in text
    assert "2026-02-09 to 2026-03-28" in text
    assert "Left out: 3 never used, 12 sub-agents." in text


def test_both_kinds_of_comparison_are_labelled_and_read_together(html):
    assert html.count('class="tag between"') >= 4
    assert html.count('class="tag within"') >= 3
    assert "Reading the two together" in html


def test_it_follows_the_reader_into_the_dark_and_onto_paper(html):
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


def test_a_simulated_report_says_so_on_top(html):
    assert "Simulated" not in html
    assert page(summarise(fleet(), simulated=True)).index("Simulated") < page(
        summarise(fleet(), simulated=True)
    ).index("<h1>")


def test_whatever_agents_wrote_is_shown_as_text():
    evil = "<script>alert('x')</script>&"
    lost = Recovery(evil, evil, evil, 1, 1, False)
    entries = [
        entry(
            "ff",
            number=number,
            model=evil,
            repo=f"{evil}{number}",
            agent=evil,
            tools={evil: "ff"},
            errors={evil: 2},
            pending=(lost,),
        )
        for number in (1, 2)
    ]
    html = page(summarise(entries, selection={"repo": evil}, left_out={evil: 1}))
    assert "script" not in outline(html).tags
    assert html.count("&lt;script&gt;") >= 7


@pytest.mark.parametrize(
    "entries",
    [[], [entry("")], [entry("u")], [entry("o")], [entry("of" * 30)]],
    ids=len,
)
def test_it_can_be_made_of_next_to_nothing(entries):
    outline(page(summarise(entries)))


def test_the_same_report_gives_the_same_page(html):
    again = page(
        summarise(
            fleet(),
            left_out={"never used": 3, "sub-agents": 12, "copies of other sessions": 0},
        )
    )
    assert again == html
