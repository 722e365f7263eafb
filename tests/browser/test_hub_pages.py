"""A hub as its members meet it: logging in, reviewing what one may, a token that is shown once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from afterglow.store.postgres.connection import pooled
from browser.hub_site import HubBrowsers
from browser.site import press
from hub_database import HubDatabase, token_of
from web.hub.members import bring_items

pytestmark = pytest.mark.slow


@pytest.fixture
def hub(
    hub_database: HubDatabase, chromium_browser: Browser, tmp_path: Path
) -> Iterator[HubBrowsers]:
    bring_items(hub_database)
    with pooled(hub_database.app.url, 8):
        browsers = HubBrowsers(hub_database, chromium_browser, tmp_path)
        try:
            yield browsers
        finally:
            browsers.close()
    assert browsers.complaints == []


def test_a_member_logs_in_where_they_wanted_to_go_and_out_again(hub: HubBrowsers):
    page = hub.window()
    page.goto(f"{hub.address}/knowledge")
    page.get_by_label("Your token").fill("mistyped")
    hub.complaints.clear()
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("not known here")
    hub.complaints.clear()  # the browser notes that it was refused
    page.get_by_label("Your token").fill(token_of("ben"))
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(f"{hub.address}/knowledge")
    expect(page.locator(".who")).to_contain_text("ben at acme")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Your token")).to_be_visible()
    page.goto(f"{hub.address}/knowledge")
    expect(page.get_by_label("Your token")).to_be_visible()


def test_an_address_with_a_token_leaves_it_in_no_history(hub: HubBrowsers):
    page = hub.window()
    page.goto(f"{hub.address}/review?token={token_of('ben')}")
    expect(page).to_have_url(f"{hub.address}/review")


def test_a_reviewer_decides_with_keys_and_others_are_told(hub: HubBrowsers):
    page = hub.member("ben", "/review?repo=acme%2Fharbor")
    expect(page.locator("#detail h2")).to_contain_text("pier 2")
    press(page, "a")
    expect(page.locator("#notice")).to_contain_text("Approved")
    reader = hub.member("cyd", "/knowledge")
    expect(reader.locator("#found")).to_contain_text("pier 2")


def test_a_reader_looks_and_finds_nothing_to_press(hub: HubBrowsers):
    page = hub.member("cyd", "/review")
    expect(page.locator("main")).to_contain_text("an admin can give you the right")
    expect(page.locator("#detail h2")).to_contain_text("pier 2")
    expect(page.locator(".verdicts")).to_have_count(0)
    press(page, "a")
    expect(page.locator("#notice")).to_be_empty()


def test_what_is_not_ones_to_decide_says_who_does(hub: HubBrowsers):
    page = hub.member("ben", "/review?item=k0000005")
    expect(page.locator("#detail")).to_contain_text("Those who review every repository")
    expect(page.locator("#detail .verdicts")).to_have_count(0)


def test_a_token_is_shown_once(hub: HubBrowsers):
    page = hub.member("ben", "/tokens")
    page.get_by_label("What it is for").fill("laptop")
    page.get_by_role("button", name="Make a token").click()
    token = page.get_by_label("Token", exact=True).input_value()
    assert token.startswith("agl_")
    page.goto(f"{hub.address}/tokens")
    expect(page.get_by_role("cell", name="laptop", exact=True)).to_be_visible()
    assert token not in page.content()
    page.get_by_role("button", name="Revoke laptop").click()
    expect(page.locator("#notice")).to_contain_text("lets nobody in")


def test_an_admin_adds_somebody_without_a_script(hub: HubBrowsers):
    page = hub.member("ada", "/people")
    page.get_by_label("Name").first.fill("fay")
    page.get_by_role("button", name="Add a member").click()
    expect(page.locator("#notice")).to_contain_text("fay is a member now")
    expect(page.get_by_role("cell", name="fay", exact=True)).to_be_visible()


@pytest.mark.parametrize(
    ("member", "path", "name"),
    [
        ("ada", "/", "hub-home"),
        ("ada", "/people", "hub-people"),
        ("ada", "/audit", "hub-audit"),
        ("ben", "/review", "hub-review"),
        ("ben", "/tokens", "hub-tokens"),
        ("ben", "/contributions", "hub-contributions"),
        ("ben", "/helped", "hub-helped"),
        ("ben", "/knowledge/k0000001", "hub-item"),
        ("ben", "/preview", "hub-preview"),
    ],
)
def test_pages_fit_at_both_widths(hub: HubBrowsers, member: str, path: str, name: str):
    hub.shots(member, path, name)
