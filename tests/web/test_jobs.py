"""Long work: it goes on without a page, is done once at a time, says how far it is, and can be stopped."""

from __future__ import annotations

from threading import Event

import pytest

from afterglow.errors import AfterglowError, NotFound
from afterglow.web.jobs import Jobs

LONG = 20.0


def test_work_reports_and_ends_with_its_page():
    jobs, go_on, began, ended = Jobs(lambda: 5.0), Event(), Event(), Event()

    def work(job):
        job.report("3 of 6 sessions", 0.5)
        began.set()
        go_on.wait(LONG)
        ended.set()
        return "/replay"

    job = jobs.start("Replay", work, key="replay")
    assert began.wait(LONG)
    assert (job.state, job.words, job.share) == ("running", "3 of 6 sessions", 0.5)
    assert jobs.start("Replay", work, key="replay") is job
    go_on.set()
    job.thread.join(LONG)
    assert ended.is_set()
    assert (job.state, job.result) == ("finished", "/replay")
    assert jobs.running() == []
    assert jobs.latest("replay") is job


def test_stopped_work_ends_at_its_next_step():
    jobs, stop = Jobs(lambda: 5.0), Event()

    def work(job):
        stop.wait(LONG)
        job.report("next")
        return ""

    job = jobs.start("Forget", work)
    jobs.stop(job.id)
    stop.set()
    job.thread.join(LONG)
    assert job.state == "stopped"


def test_an_error_is_said():
    def work(job):
        raise AfterglowError("the disk is full")

    job = Jobs(lambda: 5.0).start("Harvest", work)
    job.thread.join(LONG)
    assert (job.state, job.words) == ("failed", "the disk is full")


def test_unknown_work_is_not_found():
    with pytest.raises(NotFound):
        Jobs(lambda: 5.0).get("nowhere")


def test_a_page_follows_it(browser):
    go_on = Event()

    def work(job):
        job.report("2 of 4", 0.5)
        go_on.wait(LONG)
        return "/"

    job = browser.desk.jobs.start("Harvest", work)
    try:
        assert "Harvest" in browser.get("/")  # on whichever page
        assert "goes on" in browser.get(f"/jobs/{job.id}")
        browser.post(f"/jobs/{job.id}/stop")
        assert job.is_to_stop
    finally:
        go_on.set()
    job.thread.join(LONG)
    answer = browser.client.get(f"/jobs/{job.id}", headers={"hx-request": "true"})
    assert answer.headers["hx-redirect"] == "/"


def test_who_first_sees_that_it_is_finished_is_led_to_what_came_of_it(browser):
    job = browser.desk.jobs.start("Harvest", lambda job: "/knowledge")
    job.thread.join(LONG)
    led = browser.client.get(f"/jobs/{job.id}")
    assert led.url.path == "/knowledge"
    assert "See what came of it" in browser.get(f"/jobs/{job.id}")
