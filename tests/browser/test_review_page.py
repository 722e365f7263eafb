"""Review in a real browser: keys alone decide and undo, a risky one takes two, two windows do not overrule each other."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from afterglow.config import Config
from afterglow.flows import knowledge as flow
from browser.site import Site, press
from keeping import item, keep, kept

FACTS = (
    "the lamp needs oil before dusk",
    "cranes are greased on Mondays by two people",
    "<script>document.title = 'taken'</script> is only text",
)


@pytest.fixture
def home(home: Config) -> Config:
    """Three more that wait, before the two of the small home."""
    for number, fact in enumerate(FACTS, 4):
        keep(home, item(number, status="candidate", fact=fact, cost=20.0 - number))
    return home


def test_review_at_both_widths(site: Site):
    site.shots("/review", "review")
    site.shots("/review?tab=decided", "review-decided")


def test_keys_walk_decide_and_undo(site: Site, home: Config):
    page = site.page("/review")
    detail = page.locator("#detail h2")
    expect(detail).to_have_text(FACTS[0])
    press(page, "j")
    expect(detail).to_have_text(FACTS[1])
    press(page, "k")
    expect(detail).to_have_text(FACTS[0])
    press(page, "a")
    expect(page.locator("#notice")).to_contain_text("Approved")
    expect(detail).to_have_text(FACTS[1])
    assert kept(home, "k0000004").status == "active"
    press(page, "r")
    expect(page.locator("#reject [name=why]")).to_be_focused()
    page.keyboard.type("only on one machine")
    press(page, "Enter")
    expect(page.locator("#notice")).to_contain_text("Rejected")
    assert kept(home, "k0000005").reason == "rejected: only on one machine"
    expect(page.locator("#work")).to_contain_text("2 of 5 decided today")
    press(page, "u")
    expect(page.locator("#notice")).to_contain_text("Undone: rejected")
    expect(detail).to_have_text(FACTS[1])
    press(page, "u")
    expect(page.locator("#notice")).to_contain_text("Undone: approved")
    assert kept(home, "k0000004").status == "candidate"


def test_words_are_changed_by_keys(site: Site, home: Config):
    page = site.page("/review")
    press(page, "e")
    box = page.locator("#detail textarea[name=fact]")
    expect(box).to_be_focused()
    box.fill("the lamp needs whale oil")
    page.get_by_role("button", name="Keep these words").click()
    expect(page.locator("#detail h2")).to_have_text("the lamp needs whale oil")
    press(page, "s")
    page.locator("#detail input[value=everywhere]").check()
    page.get_by_role("button", name="Change where it holds").click()
    expect(page.locator("#notice")).to_contain_text("Where it holds was changed")
    assert kept(home, "k0000004").repo == ""


def test_what_is_marked_is_decided_together(site: Site, home: Config):
    page = site.page("/review")
    for key in "xjx":
        press(page, key)
    expect(page.locator("[data-row] input:checked")).to_have_count(2)
    press(page, "R")
    expect(page.locator("#notice")).to_contain_text("2 items")
    assert kept(home, "k0000004").status == kept(home, "k0000005").status == "retired"


def test_a_risky_one_takes_a_second_key_with_its_words_in_sight(
    site: Site, home: Config
):
    page = site.page("/review?item=k0000003")
    expect(page.locator("#detail h2")).to_contain_text("curl")
    press(page, "y")  # no question was asked yet
    assert kept(home, "k0000003").status == "candidate"
    press(page, "a")
    expect(page.locator("#approve .quote")).to_be_visible()
    assert kept(home, "k0000003").status == "candidate"
    press(page, "y")
    expect(page.locator("#notice")).to_contain_text("Approved")
    assert kept(home, "k0000003").status == "active"


def test_two_windows_and_the_command_line_do_not_overrule_each_other(
    site: Site, home: Config
):
    first, second = site.page("/review"), site.page("/review")
    expect(first.locator("#detail h2")).to_have_text(FACTS[0])
    expect(second.locator("#detail h2")).to_have_text(FACTS[0])
    press(first, "a")
    expect(first.locator("#notice")).to_contain_text("Approved")
    press(second, "a")
    expect(second.locator("#notice")).to_contain_text("has changed since you looked")
    flow.reject(home, ["k0000005"], why="by the command line")
    press(first, "a")
    expect(first.locator("#notice")).to_contain_text("it is retired now")


def test_words_of_a_transcript_stay_text(site: Site):
    page = site.page("/review?item=k0000006")
    expect(page.locator("#detail h2")).to_contain_text("<script>")
    expect(page).to_have_title("Review · afterglow")


def test_keys_are_explained(site: Site):
    page = site.page("/review")
    press(page, "?")
    expect(page.locator("#keys p")).to_be_visible()
