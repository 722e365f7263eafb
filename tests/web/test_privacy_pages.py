"""Excluded places, private folders, repositories, forgetting, backups."""

from __future__ import annotations

import pytest

from afterglow.flows.read import list_sessions
from afterglow.store.private_folders import PrivateFolders
from web.desk import Browser, words_of
from web.test_settings_pages import drafted, field

LONG = 60.0


def test_a_place_is_excluded_after_the_difference_was_shown(browser, home):
    page = browser.get("/settings/privacy")
    form = {"mark": field(page, "mark"), "add": "~/clients"}
    answer = browser.post("/settings/privacy/exclude", form)
    assert "+exclude = [&#34;~/clients&#34;]" in words_of(answer.text)
    answer = browser.post("/settings/write", drafted(answer.text))
    assert answer.url.path == "/settings/privacy"
    assert "<code>~/clients</code>" in answer.text
    form = {"mark": field(answer.text, "mark"), "remove": "~/clients"}
    answer = browser.post("/settings/privacy/exclude", form)
    browser.post("/settings/write", drafted(answer.text))
    assert not (home.home / "config.toml").exists()


def test_what_was_read_of_an_excluded_place_is_counted(browser, home):
    (session,) = list_sessions(home, limit=1)
    form = {"mark": field(browser.get("/settings/privacy"), "mark")}
    form["add"] = session.repo
    answer = browser.post("/settings/privacy/exclude", form)
    assert "were read before" in answer.text


def test_a_folder_is_made_private_and_opened_again(browser, home):
    answer = browser.post("/settings/privacy/private", {"folder": "/srv/clients"})
    assert "told nothing" in words_of(answer.text)
    assert PrivateFolders(home.home).listed()[0].path == "/srv/clients"
    answer = browser.post("/settings/privacy/open", {"folder": "/srv/clients"})
    assert "not private any more" in words_of(answer.text)
    answer = browser.post("/settings/privacy/private", {"folder": "clients"})
    assert answer.status_code == 400 and "whole path" in answer.text


def test_a_folder_is_trusted_and_that_is_taken_back(browser, home, tmp_path):
    folder = tmp_path / "src"
    folder.mkdir()
    answer = browser.post("/settings/repositories/trust", {"folder": str(folder)})
    assert f"<code>{folder}</code>" in answer.text
    answer = browser.post("/settings/repositories/distrust", {"folder": str(folder)})
    assert f"<code>{folder}</code>" not in answer.text
    answer = browser.post("/settings/repositories/trust", {"folder": "/no/such"})
    assert answer.status_code == 404


@pytest.fixture
def outlined(browser, home):
    (session,) = list_sessions(home, limit=1)
    page = browser.get(f"/settings/forget/outline?sessions={session.id}")
    return {"sessions": session.id, "mark": field(page, "mark")}


def test_what_would_go_comes_behind_the_page(browser):
    page = browser.get("/settings/forget?repo=harbor")
    assert 'hx-get="/settings/forget/outline?repo=harbor"' in page
    part = browser.part("/settings/forget/outline?repo=nowhere")
    assert "No session fits" in part and "<h1" not in part


def test_nothing_is_forgotten_without_the_word(browser, home, outlined):
    answer = browser.post("/settings/forget", {**outlined, "typed": "yes"})
    assert answer.status_code == 400 and "type forget" in answer.text
    assert list_sessions(home, limit=1)


def test_the_word_forgets_what_was_shown(browser, home, outlined):
    form = {**outlined, "typed": "forget"}
    page = browser.done("/settings/forget", form, "forget")
    assert "1 session forgotten" in words_of(page)
    assert not list_sessions(home, limit=1)


def test_other_sessions_than_were_shown_stay(browser, home, outlined):
    form = {**outlined, "mark": "another", "typed": "forget"}
    browser.post("/settings/forget", form)
    job = browser.desk.jobs.latest("forget")
    assert job is not None
    job.thread.join(LONG)
    assert job.state == "failed" and "look again" in job.words
    assert list_sessions(home, limit=1)


def test_a_day_that_is_none_is_said(browser):
    answer = browser.client.get("/settings/forget/outline?since=soon")
    assert answer.status_code == 400 and "2026-11-01" in answer.text


def test_a_backup_is_made_and_named(browser, tmp_path):
    assert "None was made yet" in browser.get("/settings/backup")
    form = {"folder": str(tmp_path / "backups")}
    page = browser.done("/settings/backup", form, "backup")
    assert "read again and whole" in page
    assert len(list((tmp_path / "backups").iterdir())) == 1
    answer = browser.post("/settings/backup", {"folder": "backups"})
    assert answer.status_code == 400


def test_who_only_looks_is_refused_everything(home):
    browser = Browser(home, read_only=True)
    for path in (
        "privacy/exclude",
        "privacy/private",
        "privacy/open",
        "repositories/trust",
        "repositories/distrust",
        "forget",
        "backup",
        "connections/writer",
        "connections/codex/connect",
        "connections/codex/disconnect",
    ):
        assert browser.post(f"/settings/{path}").status_code == 403
    for path in ("privacy", "repositories", "forget", "backup", "connections"):
        assert 'method="post"' not in browser.get(f"/settings/{path}")
