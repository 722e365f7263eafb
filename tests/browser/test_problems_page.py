"""Problems in a real browser: from the list to an episode's line, a lesson written by hand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from browser.site import press, settle
from web.gulls import gull_home


@pytest.fixture
def home(tmp_path):
    return gull_home(tmp_path)


def test_from_the_list_to_a_lesson_of_ones_own(site):
    page = site.page("/problems")
    page.select_option("select[name=lesson]", "without")
    page.wait_for_selector("#list:not(:has-text('crane'))")
    expect(page).to_have_url(re.compile("lesson=without"))
    settle(page)
    page.click("text=buoy: no lamp in it")
    expect(page.locator("article.episode")).to_have_count(3)
    press(page, "w")
    page.fill("#by-hand textarea[name=situation]", "`buoy light`: no lamp in it")
    page.fill("#by-hand textarea[name=remedy]", "put one in: `buoy load --lamp`")
    page.click("text=Check and keep")
    page.wait_for_selector("#notice:has-text('and waiting:')")
    page.click("text=In your own words")
    page.fill("#own-words textarea[name=remedy]", "ask the harbour master")
    page.click("#own-words button.main")
    page.wait_for_selector("#notice:has-text('told from now on')")
    expect(page.locator("main")).to_contain_text("ask the harbour master")


def test_what_a_transcript_holds_does_nothing(site):
    page = site.page("/problems")
    page.click("text=gull: every pier is shut")
    expect(page.locator("main")).to_contain_text("taken over")
    assert page.title() != "taken over"


def test_problems_fit_every_width(site):
    site.shots("/problems", "problems")
    page = site.page("/problems")
    path = page.get_attribute("table.problems tbody a", "href")
    site.shots(path, "problem")
    site.shots("/problems/write", "problems-write")
