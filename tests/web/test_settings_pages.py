"""Settings: a form and a text, the difference before it is written, and nothing over a file that changed."""

from __future__ import annotations

import html
import re

import pytest

from web.desk import ORIGIN, Browser, words_of

MINE = "# mine\n[hooks]\nbudget = 300  # small\n"


@pytest.fixture
def toml(home):
    path = home.home / "config.toml"
    path.write_text(MINE)
    return path


def field(page: str, name: str) -> str:
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


def drafted(page: str) -> dict[str, str]:
    """What the form under a difference sends."""
    text = re.search(r'<textarea name="text" hidden>\n(.*?)</textarea>', page, re.S)
    assert text is not None
    return {
        "mark": field(page, "mark"),
        "origin": field(page, "origin"),
        "text": html.unescape(text[1]).replace("\n", "\r\n"),
    }


def test_every_key_has_its_meaning_and_value(browser, toml):
    page = browser.get("/settings")
    assert "Tokens of that context, at most." in page
    assert 'name="hooks.budget" value="300"' in page
    assert 'placeholder="800"' in page


def test_the_difference_is_shown_and_then_written(browser, toml):
    page = browser.get("/settings")
    form = {"mark": field(page, "mark"), "hooks.budget": "400"}
    answer = browser.post("/settings/draft", form)
    assert "<ins>+budget = 400  # small</ins>" in answer.text
    assert toml.read_text() == MINE
    answer = browser.post("/settings/write", drafted(answer.text))
    assert "Written to" in words_of(answer.text)
    assert toml.read_text() == MINE.replace("300", "400")


def test_what_would_not_work_is_said_and_what_was_typed_stays(browser, toml):
    page = browser.get("/settings")
    form = {"mark": field(page, "mark"), "hooks.budget": "7", "scan.paths": "~/x"}
    answer = browser.post("/settings/draft", form)
    assert answer.status_code == 400
    assert "Expected `int` &gt;= 50" in answer.text
    assert '<a href="#hooks.budget">Go to hooks.budget</a>' in answer.text
    assert 'name="hooks.budget" value="7"' in answer.text and "~/x" in answer.text
    assert toml.read_text() == MINE


def test_a_form_nobody_touched_writes_nothing(browser, toml):
    mark = field(browser.get("/settings"), "mark")
    answer = browser.post("/settings/draft", {"mark": mark, "hooks.budget": "300"})
    assert "Nothing was changed" in words_of(answer.text)


def test_a_file_that_changed_meanwhile_is_left_alone(browser, toml):
    page = browser.get("/settings")
    form = {"mark": field(page, "mark"), "hooks.budget": "400"}
    draft = drafted(browser.post("/settings/draft", form).text)
    toml.write_text(MINE + "failures = false\n")
    assert browser.post("/settings/write", draft).status_code == 409
    assert browser.post("/settings/draft", form).status_code == 409
    assert "failures" in toml.read_text()


def test_who_was_told_that_it_changed_is_led_back_to_the_form(browser, toml):
    form = {"mark": "another", "hooks.budget": "400"}
    referer = f"{ORIGIN}/settings?x=1"
    answer = browser.post("/settings/draft", form, referer=referer)
    assert '<a href="/settings?x=1">Open the page again</a>' in answer.text
    answer = browser.post(
        "/settings/draft", form, referer="http://example.org/settings"
    )
    assert "example.org" not in answer.text
    for path in ("/settings", "/settings/text"):
        assert browser.client.get(f"{path}/draft").url.path == path


def test_a_broken_file_is_mended_as_text(home, toml, monkeypatch):
    toml.write_text("[hooks\nbudget = 1\n")
    monkeypatch.setenv("AFTERGLOW_HOME", str(home.home))
    browser = Browser(home)
    assert "mended" in browser.get("/settings")
    page = browser.get("/settings/text")
    assert "config.toml" in page and 'role="alert"' in page
    form = {"mark": field(page, "mark"), "text": "[hooks]\r\nbudge = 90\r\n"}
    answer = browser.post("/settings/text/draft", form)
    assert answer.status_code == 400 and "did you mean budget" in answer.text
    form["text"] = "[hooks]\r\nbudget = 90\r\n"
    answer = browser.post("/settings/text/draft", form)
    browser.post("/settings/write", drafted(answer.text))
    assert toml.read_text() == "[hooks]\nbudget = 90\n"


def test_what_a_setting_leads_to_is_said_before(browser, home, toml):
    page = browser.get("/settings")
    form = {"mark": field(page, "mark"), "privacy.keep_sessions_days": "1"}
    answer = words_of(browser.post("/settings/draft", form).text)
    assert "The next scan or harvest forgets 1 session" in answer


def test_a_foreign_page_after_writing_is_not_gone_to(browser, toml):
    page = browser.get("/settings")
    form = {"mark": field(page, "mark"), "hooks.budget": "400"}
    draft = drafted(browser.post("/settings/draft", form).text)
    draft["origin"] = "//example.org/settings"
    assert browser.post("/settings/write", draft).url.path == "/settings"


def test_who_only_looks_writes_nothing(home, toml):
    browser = Browser(home, read_only=True)
    assert "See the difference" not in browser.get("/settings")
    for path in ("draft", "text/draft", "write"):
        assert browser.post(f"/settings/{path}").status_code == 403
