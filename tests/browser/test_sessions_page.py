"""Sessions in a real browser: search as one types, failure to failure by key, a marked line, markup that stays text."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import unredacted_views
from afterglow.records.selection import below
from browser.site import press, settle
from keeping import item, keep, proof
from writing import Transcript, ordinary

SCRIPT = "<script>document.title = 'taken over'</script>"
SECRET = "ghp_" + "k3Jx9QmZt7RwB2vN5cYs8LdPa1Fh6Ug4Ei0o"  # invented
LONG = Transcript(3).id


@pytest.fixture
def home(tmp_path) -> Config:
    folder = tmp_path / "s"
    path = ordinary(1).save(folder)
    (
        Transcript(2, cwd=f"/home/ana/src/{SCRIPT}", start=1440)
        .user(f"{SCRIPT} with {SECRET}")
        .run(f"echo {SCRIPT}", f"{SCRIPT} <img src=x onerror='alert(1)'>", error=True)
        .reply("Text it is.")
    ).save(folder)
    long = Transcript(3, start=2880).user("build every part")
    for number in range(100):
        long.run(f"make part-{number}", f"broken {number}", error=number in (3, 9, 80))
    long.save(folder)
    config = Config(home=tmp_path / "home", user_home=tmp_path / "user")
    harvest(config, below(folder))
    keep(config, item(1, evidence=(proof(path, "undefined: defaultAgent"),)))
    return config


def expect_focus_on(page: Page, words: str) -> None:
    expect(page.locator(":focus")).to_contain_text(words)


def test_sessions_are_found_while_one_types(site):
    page = site.page("/sessions")
    press(page, "/")
    page.keyboard.type("every part")
    page.get_by_text("1 session", exact=True).wait_for()
    expect(page).to_have_url(re.compile(r"search=every(%20|\+)part"))
    settle(page)
    page.get_by_role("link", name="build every part").click()
    page.get_by_role("heading", name="build every part").wait_for()


@pytest.mark.parametrize("path", ["/sessions", "/knowledge"])
def test_to_leave_a_search_asks_for_nothing_again(site, path):
    page = site.page(path)
    press(page, "/")
    page.keyboard.type("part")
    expect(page).to_have_url(re.compile("=part"))
    settle(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("Tab")
    settle(page)
    assert asked == []


def test_keys_go_from_failure_to_failure_and_on_to_the_next_part(site):
    page = site.page(f"/sessions/{LONG}")
    for number in (3, 9):
        press(page, "n")
        expect_focus_on(page, f"broken {number}")
    press(page, "p")
    expect_focus_on(page, "broken 3")
    press(page, "n")
    press(page, "n")
    page.wait_for_url("**line=162*")
    expect(page.locator(".call.marked")).to_contain_text("broken 80")
    press(page, "p")
    page.wait_for_url("**line=20*")
    press(page, "p")
    expect_focus_on(page, "broken 3")


def test_an_item_leads_to_its_line(site):
    page = site.page(f"/sessions/{Transcript(1).id}?line=3#L3")
    marked = page.locator(".marked")
    expect(marked).to_contain_text("undefined: defaultAgent")
    expect(page.get_by_text("Taught:")).to_be_visible()


def test_a_line_of_the_same_part_is_unfolded(site):
    page = site.page(f"/sessions/{Transcript(1).id}")
    answer = page.get_by_text("All green.").last
    expect(answer).not_to_be_visible()
    page.evaluate("location.hash = '#L8'")
    answer.wait_for(state="visible")


def test_markup_of_a_transcript_stays_text(site):
    for path in (f"/sessions/{Transcript(2).id}", "/sessions"):
        page = site.page(path)
        assert "taken over" not in page.title().partition("document.title")[0]
        assert page.title().endswith("afterglow")
        expect(page.locator("main")).to_contain_text(SCRIPT)


def test_showing_more_is_asked_for_and_noted(site, home):
    page = site.page(f"/sessions/{Transcript(2).id}")
    assert SECRET not in page.content()
    page.get_by_text("Show this part as it stands").click()
    page.get_by_label("I want to see them").check()
    page.get_by_role("button", name="Show").click()
    page.get_by_text("Hide them again").wait_for()
    assert SECRET in page.content()
    assert len(unredacted_views(home)) == 1


def test_pictures(site):
    site.shots("/sessions", "sessions")
    site.shots(f"/sessions/{Transcript(1).id}?line=3", "session")
