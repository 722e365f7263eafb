"""Connections: the very lines that would be written, written only if they are still what was shown, and put back."""

from __future__ import annotations

import html
import os

import pytest

from afterglow.flows.connect import connected_files
from llm.fake_agents import put_program
from web.desk import words_of
from web.test_settings_pages import field

MINE = '{"model": "opus"}'
LIST = "/settings/connections"


@pytest.fixture
def settings(home, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv(
        "PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    )
    path = home.user_home / ".claude/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(MINE)
    return path


def test_an_agent_is_connected_with_what_was_shown_and_put_back(
    browser, home, settings
):
    assert "claude-code not connected" in words_of(browser.get(LIST))
    page = browser.get(f"{LIST}/claude-code")
    assert "SessionStart" in page and settings.read_text() == MINE
    form = {"mark": field(page, "mark")}
    answer = browser.post(f"{LIST}/claude-code/connect", form)
    assert "claude-code is connected" in words_of(answer.text)
    assert "SessionStart" in settings.read_text()
    page = browser.get(f"{LIST}/claude-code?undo=1")
    assert html.escape(MINE) in page or "opus" in page
    form = {"mark": field(page, "mark")}
    answer = browser.post(f"{LIST}/claude-code/disconnect", form)
    assert "claude-code is disconnected" in words_of(answer.text)
    assert settings.read_text() == MINE


def test_a_file_that_changed_since_is_not_written(browser, home, settings):
    form = {"mark": field(browser.get(f"{LIST}/claude-code"), "mark")}
    settings.write_text('{"model": "haiku"}')
    answer = browser.post(f"{LIST}/claude-code/connect", form)
    assert answer.status_code == 409 and "since you looked" in answer.text
    assert not connected_files(home.home)


def test_an_agent_that_cannot_be_connected_is_refused(browser, settings):
    answer = browser.client.get(f"{LIST}/nobody")
    assert answer.status_code == 400 and "AGENTS.md" in answer.text


def test_a_file_that_is_not_understood_says_so(browser, settings):
    settings.write_text("{")
    page = browser.get(f"{LIST}/claude-code")
    assert 'role="alert"' in page and "Write this" not in page


def test_who_writes_lessons_is_said_and_ended(browser, home, settings, tmp_path):
    put_program(tmp_path / "bin", "claude")
    answer = browser.post(f"{LIST}/writer", {"writer": "claude"})
    assert "claude writes lessons" in words_of(answer.text)
    assert 'on = "yes"' in (home.home / "config.toml").read_text()
    browser.post(f"{LIST}/writer", {"writer": "nobody"})
    assert 'on = "no"' in (home.home / "config.toml").read_text()
    assert browser.post(f"{LIST}/writer", {"writer": ""}).status_code == 400


def test_what_writing_would_cost_comes_behind_the_page(browser, settings):
    assert f'hx-get="{LIST}/writer"' in browser.get(LIST)
    assert "no history yet" in browser.part(f"{LIST}/writer")
