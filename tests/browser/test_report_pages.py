"""Reports in a real browser: made while one looks, marks that lead somewhere, an experiment planned and started."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from afterglow.flows.experiment import show
from browser.site import Site


def test_measure_and_profile_come_by_themselves_and_fit_both_widths(site: Site):
    for name in ("measure", "profile"):
        page = site.page(f"/{name}")
        page.wait_for_selector("article.report")
        site.shots(f"/{name}", name)


def test_a_replay_is_made_on_a_word_and_shows_how_far_it_is(site: Site):
    page = site.page("/replay")
    page.get_by_role("button", name="Walk through my sessions").click()
    page.wait_for_selector("article.report")
    expect(page.locator("article.report")).to_contain_text("No error came twice")
    site.shots("/replay", "replay")


def test_a_tool_and_a_week_of_the_profile_lead_to_their_sessions(site: Site):
    page = site.page("/profile")
    page.wait_for_selector("article.report")
    page.locator("article.report td.name a").first.click()
    page.wait_for_url(re.compile(r"/sessions\?tool="))
    page.go_back()
    page.get_by_role("link", name=re.compile(r"2026-W\d\d: ")).first.click()
    page.wait_for_url(re.compile(r"/sessions\?week=2026-W"))


def test_an_experiment_is_planned_and_started_from_the_page(site: Site, home):
    page = site.page("/experiments/new")
    page.wait_for_selector("#forecast:not([hx-trigger])")
    site.shots("/experiments/new", "experiment-plan")
    page.get_by_label("Name").fill("daily-1")
    page.get_by_label("start told lessons when they start").check()
    page.get_by_role("button", name="Write the plan").click()
    page.wait_for_url(re.compile(r"/experiments/daily-1"))
    expect(page.locator("#notice")).to_contain_text("The plan is written")
    assert show(home, "daily-1")[0].arms == ("cold", "start", "both")
    page.wait_for_selector("text=How far it is")
    page.get_by_role("button", name="Start it").click()
    expect(page.locator("#notice")).to_contain_text("daily-1 is under way")
    assert 'name = "daily-1"' in (home.home / "config.toml").read_text()
    page.wait_for_selector("text=How far it is")
    site.shots("/experiments/daily-1", "experiment")
    site.shots("/experiments", "experiments")
