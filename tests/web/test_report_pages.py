"""Measure, profile and replay: made when asked for, shown with their age, each mark leading to its sessions."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from threading import Event

import pytest

from afterglow.errors import UsageError
from afterglow.web.report_filters import ReportFilter, SessionLinks
from afterglow.web.report_making import look, make
from afterglow.web.reports import KeptReport, Reports
from web.desk import Browser, words_of

WAIT = 30.0  # seconds, for work that takes less than one


def finish(browser: Browser) -> None:
    for job in browser.desk.jobs.running():
        job.thread.join(WAIT)


def opened(browser: Browser, path: str) -> str:
    """The page, when what it shows has been made."""
    browser.get(path)
    finish(browser)
    return browser.get(path)


@pytest.mark.parametrize("path", ["/measure", "/profile"])
def test_a_report_that_only_looks_is_made_when_its_page_is_opened(browser, path):
    html = opened(browser, path)
    assert html.count("<h1>") == 1
    assert '<article class="report">' in html
    assert "Made just now; the catalogue had 1 session." in words_of(html)


def test_replay_waits_for_a_person_and_says_what_it_takes(browser):
    html = browser.get("/replay")
    assert "Walk through my sessions" in html
    assert "no model is asked" in html
    assert browser.desk.jobs.running() == []
    browser.post("/replay/again")
    finish(browser)
    html = browser.get("/replay")
    assert "repeats with their remedy in view" in html
    assert "Make it again" in html
    assert "changed since" not in html  # by what the replay itself wrote


class SlowToLook(Reports):
    """The work ends behind the back of whoever looks for its report, at one of the looks."""

    def __init__(self, end: Callable[[], None], looks: int) -> None:
        super().__init__()
        self.end, self.looks = end, looks

    def get(self, key: str) -> KeptReport | None:
        found = super().get(key)
        self.looks -= 1
        if self.looks == 0:
            self.end()
        return found


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_a_page_that_has_no_report_waits_for_it_whenever_it_is_made(browser, looks):
    go_on = Event()
    make(browser.desk, "tide", "Tide", "/tide", lambda config, job: go_on.wait(WAIT))

    def end() -> None:
        go_on.set()
        finish(browser)

    browser.desk.reports = SlowToLook(end, looks)
    view = look(browser.desk, "tide", "Tide", "/tide", None)
    assert view.report is not None or view.is_running
    end()
    view = look(browser.desk, "tide", "Tide", "/tide", None)
    assert view.report is not None
    assert not view.is_running


def test_a_report_is_not_made_twice_while_nothing_changed(browser):
    opened(browser, "/profile")
    browser.get("/profile")
    assert len(browser.desk.jobs._jobs) == 1


def test_a_report_made_from_an_older_state_says_so(browser, home):
    opened(browser, "/profile")
    os.utime(home.catalog, ns=(1, 1))
    assert "Something changed since." in words_of(browser.get("/profile"))


def test_a_filter_narrows_the_report_and_stays_in_its_address(browser):
    html = opened(browser, "/measure?agent=claude-code&since=2026-01-01")
    assert "2026-01-01" in html
    assert 'name="agent" value="claude-code"' in html
    assert ">All sessions</a>" in html


def test_a_day_that_is_none_is_said(browser):
    answer = browser.client.get("/measure?since=yesterday")
    assert answer.status_code == 400
    assert "2026-11-01 would work" in words_of(answer.text)


def test_a_budget_that_cannot_be_is_said(browser):
    assert browser.client.get("/replay?budget=lots").status_code == 400


def test_marks_of_the_profile_lead_to_their_sessions(browser):
    html = opened(browser, "/profile")
    assert re.search(r'<a href="/sessions\?tool=\w+">', html)


def test_nothing_in_a_report_has_a_style_or_a_script_of_its_own(browser):
    for path in ("/measure", "/profile"):
        article = opened(browser, path).split('<article class="report">')[1]
        assert not re.search(r"<style|style=|<script|\son\w+=", article)


def test_who_only_looks_sees_measure_and_cannot_have_replay_made(home):
    looking = Browser(home, read_only=True)
    html = opened(looking, "/measure")
    assert '<article class="report">' in html
    assert "Make it again" not in html
    assert "this server only looks" in words_of(looking.get("/replay"))
    assert looking.post("/replay/again").status_code == 403


def test_where_there_is_nothing_yet_a_page_says_what_would_bring_something(tmp_path):
    from afterglow.config import Config

    empty = Browser(Config(home=tmp_path / "none", user_home=tmp_path))
    for path in ("/measure", "/profile", "/replay"):
        assert "afterglow scan" in empty.get(path)


def test_the_part_htmx_asks_for_is_the_report_alone(browser):
    part = browser.part("/profile")
    assert part.lstrip().startswith('<div id="report"')
    assert "<h1>" not in part


def test_a_link_keeps_the_filter_of_the_page():
    links = SessionLinks(ReportFilter(repo="acme/cli", since="2026-01-01"))
    assert links.sessions(tool="Bash") == (
        "/sessions?repo=acme%2Fcli&since=2026-01-01&tool=Bash"
    )
    assert links.sessions(week="2026-W07") == (
        "/sessions?repo=acme%2Fcli&since=2026-01-01&week=2026-W07"
    )
    assert links.item("abc") == "/knowledge/abc"
    in_a_copy = SessionLinks(ReportFilter(), is_copy=True)
    assert in_a_copy.sessions(tool="Bash") == ""


def test_both_days_of_a_filter_are_meant():
    chosen = ReportFilter(since="2026-02-09", until="2026-02-15").selection()
    assert chosen.filters() == {"since": "2026-02-09", "until": "2026-02-15"}
    with pytest.raises(UsageError, match="is not a day"):
        ReportFilter(until="soon").selection()
