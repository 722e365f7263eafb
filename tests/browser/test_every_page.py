"""What holds for every page in a real browser: who is let in, that it fits, that it complains about nothing."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.site import Site, press


def test_home_at_both_widths(site: Site):
    site.shots("/", "home")


def test_a_page_of_a_stranger_changes_nothing(site: Site, home):
    """A form on another origin, sent by a browser that has been let in."""
    page = site.page("/")
    page.route(
        "http://stranger.example/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f"<form method=post action='{site.address}/jobs/x/stop'><button>go</button></form>",
        ),
    )
    page.goto("http://stranger.example/")
    page.get_by_role("button", name="go").click()
    page.wait_for_url(f"{site.address}/jobs/x/stop")
    expect(page.locator("body")).to_contain_text("needs the token")
    site.complaints.clear()  # the browser says that the answer was a 403


def test_the_menu_is_usable_by_keyboard(site: Site):
    page = site.page("/", width=390)
    press(page, "Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.locator("summary", has_text="Pages").press("Enter")
    expect(page.get_by_role("link", name="Settings")).to_be_visible()
