"""Home, and what all pages share."""

from __future__ import annotations

import os

from afterglow.web import static_copy
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
