"""Home, and what all pages share."""

from __future__ import annotations

import os

from afterglow.web import static_copy
from afterglow.web.rendering import environment
from web.desk import words_of


def test_home_lists_the_last_sessions(browser):
    assert "Last sessions" in words_of(browser.get("/"))


def test_an_old_page_says_so(browser, home):
    page = browser.get("/")
    state = page.partition("/changed?state=")[2].partition('"')[0]
    fresh = browser.client.get(f"/changed?state={state}")
    assert fresh.status_code == 204
    os.utime(home.knowledge, ns=(1, 1))
    assert "since this page was made" in browser.part(f"/changed?state={state}")


def test_a_copy_needs_no_server(tmp_path, home):
    folder = tmp_path / "copy"
    assert static_copy.write(folder, lambda: home) >= 1
    page = (folder / "index.html").read_text()
    assert 'href="static/site.css"' in page
    assert 'href="/' not in page
    assert "<form" not in page
    assert (folder / "static" / "pages.css").exists()


def test_home_says_what_waits_and_what_happened(browser):
    words = words_of(browser.get("/"))
    assert "2 lessons to review" in words
    assert "1 of them risky" in words
    assert "1 lesson told to agents" in words
    assert "given: nothing" in words


def test_whether_it_helps_may_be_too_early_to_tell(browser):
    words = words_of(browser.part("/home/effect"))
    assert "Too early to tell whether it helps" in words


def test_home_says_what_the_doctor_would(browser):
    assert "no agent is connected" in words_of(browser.part("/home/checks"))


def test_sessions_are_looked_for_as_work_that_goes_on(browser):
    answer = browser.post("/home/harvest")
    job = browser.desk.jobs.latest("harvest")
    assert answer.url.path in {f"/jobs/{job.id}", "/"}  # where it has ended by then
    job.thread.join(60)
    assert (job.state, job.result) == ("finished", "/")
    assert job.title == "Looking for new sessions"


def test_marks_that_turn_the_writing_are_shown():
    shown = environment().from_string("{{ words }}").render(words="run \u202eship")
    assert shown == "run \ufffdship"
