"""Knowledge: the list, one item, and what is decided from there."""

from __future__ import annotations

import re

import pytest

from afterglow.flows.knowledge import retire
from afterglow.records.delivery import Delivery, Given
from afterglow.store.ledger import Ledger
from afterglow.web import static_copy
from keeping import NOW, item, keep, kept, proof
from web.desk import SESSIONS, Browser, words_of

ITEM = "/knowledge/k0000001"


def mark_in(page: str) -> str:
    return re.search(r'name="mark" value="([0-9a-f]+)"', page)[1]


def test_what_holds_is_listed_with_counts_of_the_rest(browser):
    words = words_of(browser.get("/knowledge"))
    assert "pier 1 is built" in words
    assert "pier 2 is built" not in words
    assert "active 1" in words
    assert "candidate 2" in words


def test_words_are_searched_as_they_are_typed(browser):
    part = browser.part("/knowledge?search=curl&status=any")
    assert "<html" not in part
    assert "curl -s example.org/x" in words_of(part)
    assert "pier 1" not in words_of(part)


@pytest.mark.parametrize("word", ["repo=nowhere", "page=99", "order=x", "risky=?"])
def test_an_address_may_say_anything(browser, word):
    assert "Knowledge" in browser.get(f"/knowledge?{word}")


def test_an_empty_list_says_what_would_fill_it(browser):
    words = words_of(browser.get("/knowledge?search=zebra"))
    assert "No item fits" in words
    assert "fewer words" in words


def test_many_items_come_in_pages(browser, home):
    keep(home, *(item(number) for number in range(10, 60)))
    first = browser.get("/knowledge")
    assert "page 1 of 2" in words_of(first)
    assert 'href="/knowledge?page=2"' in first
    assert "Before" in words_of(browser.get("/knowledge?page=2"))


def test_an_item_shows_its_halves_scope_and_history(browser, home):
    keep(home, item(7, situation="`make ship` fails", remedy="build the pier"))
    words = words_of(browser.get("/knowledge/k0000007"))
    for part in ("build the pier", "in harbor", "2 sessions", "harvest", "created"):
        assert part in words


def test_an_id_may_be_shortened_and_an_unknown_one_says_so(browser):
    assert browser.client.get("/knowledge/k000000").status_code == 404
    answer = browser.client.get("/knowledge/zzz")
    assert answer.status_code == 404
    assert "knowledge search" in answer.text


def test_evidence_leads_to_its_line_and_says_whether_it_still_stands_there(
    browser, home
):
    evidence = proof(SESSIONS / "ordinary.jsonl", "undefined: d")
    keep(home, item(8, evidence=(evidence,)))
    page = browser.get("/knowledge/k0000008")
    assert f"/sessions/{evidence.session}?line={evidence.line}#L{evidence.line}" in page
    part = browser.part("/knowledge/k0000008/evidence")
    assert "verified" in words_of(part)
    assert "<mark>" in part


def test_an_injected_script_stays_text(browser, home):
    bad = "<script>alert(1)</script> `<img src=x onerror=alert(2)>`"
    keep(home, item(9, fact=bad, situation=bad, remedy=bad, repo=bad, tags=(bad,)))
    for path in ("/knowledge", "/knowledge/k0000009"):
        page = browser.get(path)
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "&lt;script&gt;" in page


def test_deliveries_say_what_became_of_it(browser, home):
    with Ledger(home.ledger) as ledger:
        given = (Given("k0000001", 0.8),)
        ledger.add(Delivery(id="ag-1", time=NOW, session="s1", items=given))
    words = words_of(browser.get(ITEM))
    assert "Given 1 time" in words
    assert "at its start" in words
    assert "waiting" in words


def test_replaced_items_stand_in_a_chain(browser, home):
    keep(home, item(7, status="superseded", superseded_by="k0000001"))
    page = browser.get(ITEM)
    assert "What replaced what" in page
    assert 'href="/knowledge/k0000007"' in page


def decide(browser, verdict: str, id: str = "k0000002", **form: str):
    mark = mark_in(browser.get(f"/knowledge/{id}"))
    return browser.post(f"/knowledge/{id}/{verdict}", {"mark": mark, **form})


@pytest.mark.parametrize(
    ("verdict", "form", "status"),
    [
        ("approve", {}, "active"),
        ("reject", {"why": "not true"}, "retired"),
        ("retire", {"why": "fixed"}, "retired"),
    ],
)
def test_a_decision_is_taken_and_can_be_undone(browser, home, verdict, form, status):
    answer = decide(browser, verdict, **form)
    assert kept(home, "k0000002").status == status
    assert "/review/undo" in answer.text


def test_other_words_and_another_place(browser, home):
    decide(browser, "edit", fact="Piers are built first.")
    assert kept(home, "k0000002").fact == "Piers are built first."
    decide(browser, "scope", where="everywhere", repo="harbor", agent="")
    assert kept(home, "k0000002").repo == ""


def test_a_deleted_item_is_gone(browser, home):
    answer = decide(browser, "delete", why="names a customer")
    assert "Deleted" in words_of(answer.text)
    assert browser.client.get("/knowledge/k0000002").status_code == 404


def test_what_is_risky_is_approved_only_where_it_was_said_so(browser, home):
    refused = decide(browser, "approve", "k0000003")
    assert refused.status_code == 400
    assert kept(home, "k0000003").status == "candidate"
    decide(browser, "approve", "k0000003", risky="on")
    assert kept(home, "k0000003").status == "active"


def test_why_is_needed_to_reject(browser, home):
    assert decide(browser, "reject").status_code == 400
    assert kept(home, "k0000002").status == "candidate"


@pytest.mark.parametrize("verdict", ["approve", "reject", "edit", "scope", "delete"])
def test_a_page_that_is_old_decides_nothing(browser, home, verdict):
    mark = mark_in(browser.get("/knowledge/k0000002"))
    retire(home, ["k0000002"], why="by the command line", now=NOW)
    form = {"mark": mark, "why": "x", "fact": "y", "where": "everywhere"}
    answer = browser.post(f"/knowledge/k0000002/{verdict}", form)
    assert answer.status_code == 409
    assert "changed since you looked" in words_of(answer.text)
    assert kept(home, "k0000002").reason == "retired: by the command line"


def test_a_server_that_only_looks_offers_no_buttons_and_refuses(home):
    looking = Browser(home, read_only=True)
    assert "<form method" not in looking.get(ITEM)
    assert looking.post(f"{ITEM}/reject", {"why": "x"}).status_code == 403


def test_a_copy_holds_lists_and_items_and_no_form(home, tmp_path):
    static_copy.write(tmp_path / "copy", lambda: home)
    assert (tmp_path / "copy" / "knowledge.html").exists()
    page = (tmp_path / "copy" / "knowledge" / "k0000001.html").read_text()
    assert "<form" not in page and "hx-get" not in page
