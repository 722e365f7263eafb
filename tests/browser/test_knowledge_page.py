"""Knowledge in a real browser: type, narrow, open, follow to the line, decide, go back."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.site import Site, press, settle
from keeping import item, keep, kept, proof
from web.desk import SESSIONS


def test_search_as_you_type_open_and_go_back(site: Site, home):
    keep(home, item(7, fact="The tide table is in `quay/tides.csv`."))
    page = site.page("/knowledge")
    press(page, "/")
    page.keyboard.type("tide table")
    expect(page.locator("#found li")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"/knowledge\?search=tide\+table$"))
    settle(page)
    page.get_by_role("link", name="The tide table").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("tide table")
    page.go_back()
    expect(page.locator("#search")).to_have_value("tide table")
    expect(page.locator("#found li")).to_have_count(1)


def test_the_list_is_walked_by_keys(site: Site, home):
    keep(home, item(7, confidence=0.99))
    page = site.page("/knowledge")
    press(page, "j")
    press(page, "j")
    press(page, "k")
    press(page, "Enter")
    page.wait_for_url("**/knowledge/k0000007")


def test_an_item_is_followed_to_its_line_and_decided(site: Site, home):
    evidence = proof(SESSIONS / "ordinary.jsonl", "undefined: d")
    keep(home, item(8, status="candidate", evidence=(evidence,)))
    page = site.page("/knowledge/k0000008")
    expect(page.get_by_text("verified")).to_be_visible()
    link = page.locator(f'a[href*="line={evidence.line}#L{evidence.line}"]')
    expect(link).to_be_visible()
    press(page, "a")
    expect(page.get_by_text("Approved:")).to_be_visible()
    assert kept(home, "k0000008").status == "active"


def test_an_injected_script_stays_text(site: Site, home):
    bad = "<script>document.title = 'stolen'</script> `<img src=x onerror=alert(1)>`"
    keep(home, item(9, fact=bad, situation=bad, remedy=bad, reason=bad))
    for path in ("/knowledge", "/knowledge/k0000009", "/preview?repo=harbor"):
        page = site.page(path)
        expect(page.get_by_text("document.title =").first).to_be_visible()
        assert page.title() != "stolen"
        expect(page.locator("main img")).to_have_count(0)


def test_pictures(site: Site):
    site.shots("/knowledge?status=any", "knowledge")
    site.shots("/knowledge/k0000003", "item")
