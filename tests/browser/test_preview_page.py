"""Context preview in a real browser: a slider moves, the context follows; a failure is pasted."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.site import Site
from keeping import item, keep


def test_the_context_follows_the_slider(site: Site):
    page = site.page("/preview?repo=harbor")
    expect(page.locator("#context")).to_contain_text("1 line,")
    slider = page.get_by_label("Surer than")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    expect(page.locator("output[for=confidence]")).to_have_text("0.85")
    expect(page.locator("#context")).to_contain_text("Nothing would be told")


def test_a_pasted_failure_is_answered_and_leaves_no_trace_in_the_address(
    site: Site, home
):
    lesson = item(
        8,
        situation="`crane build`: 'fixtures are stale'",
        remedy="run `crane seed` first",
        fingerprints=("error: fixtures are stale",),
    )
    keep(home, lesson)
    page = site.page("/preview?repo=harbor")
    page.get_by_label("Command").fill("crane build")
    page.get_by_label("What it printed").fill("error: fixtures are stale")
    page.get_by_role("button", name="What would be said?").click()
    expect(page.locator("#failure")).to_contain_text("what helped: run crane seed")
    assert "stale" not in page.url


def test_pictures(site: Site):
    site.shots("/preview?repo=harbor", "preview")
