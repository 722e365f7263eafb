"""Settings in a real browser: change a key by form, connect with what was shown, forget by typing the word."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from afterglow.flows.read import list_sessions
from browser.site import Site, press

MINE = "# mine\n[hooks]\nbudget = 300  # small\n"


@pytest.fixture
def toml(home):
    path = home.home / "config.toml"
    path.write_text(MINE)
    return path


def test_a_key_is_changed_by_form_and_comments_stay(site: Site, toml):
    page = site.page("/settings#hooks.budget")
    page.locator("[name='hooks.budget']").fill("450")
    page.get_by_role("button", name="See the difference").first.click()
    expect(page.locator("ins")).to_have_text("+budget = 450  # small")
    assert toml.read_text() == MINE
    expect(page.get_by_role("button", name="Write it")).to_be_focused()
    press(page, "Enter")
    expect(page.locator("#notice")).to_contain_text("Written to")
    assert toml.read_text() == MINE.replace("300", "450")


def test_two_windows_and_the_later_one_is_told(site: Site, toml):
    first, second = site.page("/settings/text"), site.page("/settings/text")
    for page, budget in ((first, "400"), (second, "500")):
        page.get_by_label("The file").fill(MINE.replace("300", budget))
        page.get_by_role("button", name="See the difference").click()
        expect(page.get_by_role("button", name="Write it")).to_be_visible()
    first.get_by_role("button", name="Write it").click()
    expect(first.locator("#notice")).to_contain_text("Written to")
    second.get_by_role("button", name="Write it").click()
    expect(second.get_by_role("heading", level=1)).to_have_text(
        "This changed since you looked"
    )
    assert "400" in toml.read_text()
    site.complaints.clear()  # the browser says that the answer was a 409


def test_an_agent_is_connected_and_put_back(site: Site, home):
    settings = home.user_home / ".claude/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"model": "opus"}')
    page = site.page("/settings/connections")
    page.get_by_role("link", name="Connect…").first.click()
    expect(page.locator("ins").first).to_contain_text("SessionStart")
    page.get_by_role("button", name="Write this").click()
    expect(page.locator("#notice")).to_contain_text("claude-code is connected")
    page.get_by_role("link", name="Disconnect…").click()
    page.get_by_role("button", name="Put the files back").click()
    expect(page.locator("#notice")).to_contain_text("disconnected")
    assert settings.read_text() == '{"model": "opus"}'


def test_a_session_is_forgotten_by_typing_the_word(site: Site, home):
    (session,) = list_sessions(home, limit=1)
    page = site.page(f"/settings/forget?sessions={session.id}")
    page.get_by_label("Type “forget” to confirm").fill("forget")
    page.get_by_role("button", name="Forget for good").click()
    expect(page.locator("#notice")).to_contain_text("1 session forgotten")
    assert not list_sessions(home, limit=1)


def test_pictures(site: Site, toml):
    for name in ("", "text", "connections", "privacy", "repositories", "backup"):
        site.shots(f"/settings/{name}".rstrip("/"), f"settings-{name or 'form'}")
    site.shots("/settings/forget?repo=harbor", "settings-forget")
    site.shots("/settings/connections/codex", "settings-connect")
