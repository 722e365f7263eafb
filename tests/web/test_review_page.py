"""The review page: what waits, what is said beside it, decisions with and without JavaScript, undo, conflicts."""

import re

import pytest
from msgspec.structs import replace

from afterglow.flows import knowledge as flow
from keeping import item, keep, kept
from store.keeping import span
from web.desk import Browser, small_home, words_of

HX = {"hx-request": "true"}


@pytest.fixture
def config(tmp_path):
    return small_home(tmp_path)


@pytest.fixture
def browser(config):
    return Browser(config)


def mark(config, id):
    return f"{id} {flow.item_mark(kept(config, id))}"


def decide(browser, config, verdict, *ids, **more):
    """As the form of the page sends it; headers behind `hx`."""
    headers = HX if more.pop("hx", False) else {}
    marks = [mark(config, id) for id in ids]
    form = {"id": list(ids), "mark": marks, "verdict": verdict, **more}
    return browser.post("/review/decide", form, **headers)


def test_what_waits_stands_in_a_list_with_the_first_beside_it(browser):
    html = browser.get("/review")
    words = words_of(html)
    assert "0 of 2 decided today" in words
    assert html.count("data-row") == 2 and html.count("<h1") == 1
    assert "Why it waits" in words and "each time" in words
    assert "make ship" not in words.split("Waiting")[0]


def test_an_item_is_loaded_beside_the_list(browser):
    html = browser.part("/review/items/k0000002")
    assert "<html" not in html and "k0000002" in html and "one session shows it" in html
    assert "aria-current" in browser.get("/review?item=k0000002")
    assert "<html" in browser.get("/review/items/k0000002")


def test_an_approval_says_so_and_can_be_undone(browser, config):
    answer = decide(browser, config, "approve", "k0000002")
    assert kept(config, "k0000002").status == "active"
    assert "Approved: “" in words_of(answer.text) and ">Undo<" in answer.text
    number = re.search(r'name="decision" value="(\d+)"', answer.text)[1]
    answer = browser.post("/review/undo", {"decision": number})
    assert "Undone: approved." in words_of(answer.text)
    assert kept(config, "k0000002").status == "candidate"


def test_with_htmx_the_list_comes_back_with_the_next_item(browser, config):
    answer = decide(browser, config, "reject", "k0000003", why="", hx=True)
    assert "<html" not in answer.text and 'id="notice"' in answer.text
    assert 'id="row-k0000003"' not in answer.text
    assert "1 of 2 decided today" in words_of(answer.text)
    assert answer.headers["HX-Replace-Url"] == "/review?item=k0000002"
    assert kept(config, "k0000003").reason == "rejected: not useful"


def test_the_last_decision_is_undone_from_the_page(browser, config):
    decide(browser, config, "approve", "k0000002")
    answer = browser.post("/review/undo", {}, **HX)
    assert 'id="row-k0000002"' in answer.text
    assert kept(config, "k0000002").status == "candidate"


def test_undo_leads_back_to_the_page_it_was_pressed_on(browser, config):
    decide(browser, config, "approve", "k0000002")
    referer = {"referer": "http://127.0.0.1:8378/review?tab=held&notice=ab"}
    answer = browser.post("/review/undo", {}, **referer)
    assert answer.url.path == "/review" and "tab=held" in str(answer.url)
    decide(browser, config, "approve", "k0000002")
    answer = browser.post("/review/undo", {}, referer="http://elsewhere.example/x")
    assert answer.url.path == "/review" and answer.url.host == "127.0.0.1"


def test_what_changed_since_is_said_and_nothing_is_done(browser, config):
    seen = mark(config, "k0000002")
    flow.reject(replace(config, person="Bo"), ["k0000002"], why="no pier")
    form = {"id": "k0000002", "mark": seen, "verdict": "approve"}
    answer = browser.post("/review/decide", form)
    assert answer.status_code == 409 and "Bo" in answer.text
    answer = browser.post("/review/decide", form, **HX)
    assert answer.headers["HX-Retarget"] == "#notice" and "has changed" in answer.text
    assert kept(config, "k0000002").status == "retired"


def test_what_is_risky_is_approved_by_a_second_word_only(browser, config):
    html = browser.get("/review?item=k0000003")
    assert "exactly these words" in html and 'data-key="y"' in html
    assert decide(browser, config, "approve", "k0000003").status_code == 400
    assert kept(config, "k0000003").status == "candidate"
    decide(browser, config, "approve", "k0000003", risky="yes")
    assert kept(config, "k0000003").status == "active"


def test_words_and_scope_are_changed_and_the_item_stays_in_sight(browser, config):
    answer = decide(
        browser, config, "edit", "k0000002", fact="the pier is long", hx=True
    )
    assert "The words were changed" in answer.text
    assert answer.headers["HX-Replace-Url"] == "/review?item=k0000002"
    decide(browser, config, "scope", "k0000002", where="everywhere", repo="harbor")
    after = kept(config, "k0000002")
    assert (after.fact, after.repo, after.status) == (
        "the pier is long",
        "",
        "candidate",
    )


def test_several_are_decided_together(browser, config):
    keep(config, item(7, status="candidate", fact="cranes are greased on Mondays"))
    decide(browser, config, "reject", "k0000002", "k0000007", why="both wrong")
    assert (
        kept(config, "k0000002").status == kept(config, "k0000007").status == "retired"
    )
    (taken,) = flow.decisions(config)
    assert len(taken.items) == 2
    assert browser.post("/review/decide", {"verdict": "reject"}).status_code == 400


def test_similar_ones_stand_together_and_share_a_form(browser, config):
    words = "`make ship` in harbor fails until pier {} is built"
    keep(config, item(8, status="candidate", fact=words.format(8)))
    html = browser.get("/review?item=k0000002")
    assert "Says nearly the same" in html
    assert "All 2 that wait, together" in words_of(html)
    assert "nearly the same" in html


def test_the_queue_is_narrowed_by_what_its_address_says(browser, config):
    keep(
        config,
        item(9, status="candidate", repo="pier", miner="rules", evidence=(span("s9"),)),
        item(6, status="quarantined", fact="send it all", reason="gives orders"),
    )
    for address in ("repo=pier", "miner=rules", "session=s9"):
        assert browser.get(f"/review?{address}").count("data-row") == 1
    assert "k0000006" in browser.get("/review?tab=held")
    assert browser.get("/review?marked=all").count(" checked") >= 3
    assert "Nothing waits here" in browser.get("/review?repo=nowhere")


def test_a_quarantined_item_shows_why_before_it_is_approved(browser, config):
    keep(config, item(6, status="quarantined", fact="the pier", reason="gives orders"))
    html = browser.get("/review?tab=held")
    assert "A screen held it back: gives orders" in html
    decide(browser, config, "approve", "k0000006", held="yes")
    assert kept(config, "k0000006").status == "active"


def test_decisions_are_listed_with_who_and_an_undo_each(browser, config):
    decide(browser, config, "approve", "k0000002")
    flow.delete(config, ["k0000001"], why="private")
    words = words_of(browser.get("/review?tab=decided"))
    assert "approved person" in words and "deleted person" in words
    assert "its words are gone" in words and words.count("Undo ") >= 1


def test_words_of_a_transcript_stay_text(browser, config):
    keep(
        config,
        item(5, status="candidate", fact="<script>alert(1)</script> and `<b>x</b>`",
             reason="<i>why</i>", cost=99.0, evidence=(span("<s>", quote="<img src=x>"),)),
    )  # fmt: skip
    html = browser.get("/review?item=k0000005")
    for tag in ("<script>alert", "<b>x", "<i>why", "<img src=x"):
        assert tag not in html
    assert "&lt;script&gt;alert(1)" in html


def test_a_server_that_only_looks_has_no_forms_that_decide(config):
    browser = Browser(config, read_only=True)
    html = browser.get("/review")
    assert 'method="post"' not in html and "k0000002" in html
    assert decide(browser, config, "approve", "k0000002").status_code == 403


def test_an_empty_queue_says_what_would_fill_it(browser, config):
    decide(browser, config, "reject", "k0000002")
    decide(browser, config, "reject", "k0000003")
    assert "Nothing waits for you" in browser.get("/review")


def test_nothing_on_the_page_needs_what_the_content_policy_forbids(browser):
    html = browser.get("/review")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! src)", html)


def test_what_follows_is_something_that_still_waits(browser, config):
    """The next one in the list says the same, and is set aside by the rejection."""
    words = {"situation": "`npm ship` fails with 'no quay'", "remedy": "run `npm quay`"}
    same = {"status": "candidate", "cost": 30.0, "fact": "no quay: run `npm quay`"}
    keep(config, item(10, **same, **words), item(11, **same, **words))
    answer = decide(browser, config, "reject", "k0000010", hx=True)
    assert kept(config, "k0000011").status == "retired"
    assert answer.headers["HX-Replace-Url"] == "/review?item=k0000003"
