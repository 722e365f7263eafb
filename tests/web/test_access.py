"""Who is let in, what is refused, and what a browser may do with an answer."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from afterglow.web.app import make_app
from web.desk import HOST, ORIGIN, TOKEN, Browser


def stranger(browser: Browser, host: str = HOST) -> TestClient:
    app = make_app(browser.desk, [HOST])
    return TestClient(app, base_url=f"http://{host}", follow_redirects=False)


def test_the_address_with_the_token_gives_a_cookie_and_leaves_the_history(browser):
    answer = stranger(browser).get(f"/sessions?repo=harbor&token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sessions?repo=harbor"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie


def test_the_redirect_stays_on_this_machine(browser):
    answer = stranger(browser).get(f"{ORIGIN}//example.org/x?token={TOKEN}")
    assert answer.headers["location"].startswith("/example.org")


@pytest.mark.parametrize("path", ["/", "/sessions", "/?token=guessed", "/jobs/x"])
def test_without_the_token_nothing_is_shown(browser, path):
    answer = stranger(browser).get(path)
    assert answer.status_code == 403
    assert "afterglow serve" in answer.text


def test_another_name_for_this_machine_is_refused(browser):
    """A name of a stranger may be made to lead to loopback."""
    answer = stranger(browser, "rebound.example:8378").get(f"/?token={TOKEN}")
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "origin", ["", "null", "http://example.org", "http://127.0.0.1:1"]
)
def test_a_change_from_elsewhere_is_refused(browser, origin):
    headers = {"origin": origin} if origin else {}
    form = {"csrf": browser.desk.form_token}
    answer = browser.client.post("/jobs/x/stop", data=form, headers=headers)
    assert answer.status_code == 403


def test_a_change_needs_the_token_of_the_form(browser):
    answer = browser.client.post("/jobs/x/stop", headers={"origin": ORIGIN})
    assert answer.status_code == 403
    assert "open it again" in answer.text


def test_a_server_that_only_looks_changes_nothing(home):
    answer = Browser(home, read_only=True).post("/jobs/x/stop")
    assert answer.status_code == 403
    assert "--read-only" in answer.text


def test_a_form_has_an_end(browser):
    answer = browser.post("/jobs/x/stop", {"words": "x" * 1_000_001})
    assert answer.status_code == 400


def test_every_answer_says_what_a_browser_may_do(browser):
    for path in ("/", "/nowhere", "/static/site.css"):
        headers = browser.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert browser.client.get("/").headers["cache-control"] == "no-store"


def test_a_page_that_is_not_there_says_so(browser):
    answer = browser.client.get("/nowhere")
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    part = browser.client.get("/nowhere", headers={"hx-request": "true"})
    assert part.headers["hx-retarget"] == "#notice"
