"""The pages about sessions: the list, one of them, a text of it; what is hidden and what showing it takes."""

from __future__ import annotations

import re

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan, unredacted_views
from afterglow.records.delivery import Delivery, Given
from afterglow.records.selection import below
from afterglow.store.ledger import Ledger
from afterglow.web import static_copy
from keeping import NOW, item, keep, proof
from web.desk import Browser, words_of
from writing import Transcript, ordinary

SCRIPT = "<script>alert('dock')</script>"
TOKEN = "ghp_" + "k3Jx9QmZt7RwB2vN5cYs8LdPa1Fh6Ug4Ei0o"  # invented
ID = Transcript(1).id


@pytest.fixture
def config(tmp_path) -> Config:
    return Config(home=tmp_path / "kept", user_home=tmp_path / "user")


@pytest.fixture
def fleet(config, tmp_path) -> Browser:
    """An ordinary session, one full of markup and a secret, one that is long; one item, given once."""
    folder = tmp_path / "s"
    path = ordinary(1).save(folder)
    (
        Transcript(2, cwd=f"/home/ana/src/{SCRIPT}", start=1440)
        .user(f"{SCRIPT} use {TOKEN}")
        .run(f"echo {SCRIPT}", f"{SCRIPT} {TOKEN}", error=True)
        .ask(SCRIPT, path=f"/tmp/{SCRIPT}.txt")
        .answer("<img src=x onerror=alert(1)>")
        .reply("**done**")
    ).save(folder / SCRIPT.replace("/", "_"))
    long = Transcript(3, start=2880).user("go on")
    for number in range(100):
        long.run(f"make part-{number}", "broken", error=number in (3, 80))
    long.save(folder)
    harvest(config, below(folder))
    scan(config, [folder])
    keep(config, item(1, evidence=(proof(path, "undefined: defaultAgent"),)))
    given = Given("k0000001", 0.8, used=True, met=True, mattered=True)
    delivery = Delivery(
        id="ag-1", time=NOW, session=ID, state="delivered", turn=0, items=(given,)
    )
    with Ledger(config.ledger) as ledger:
        ledger.add(delivery)
    return Browser(config)


def test_the_list_is_searched_and_narrowed(fleet):
    words = words_of(fleet.get("/sessions"))
    assert "3 sessions" in words and "run the tests please" in words
    narrowed = words_of(fleet.get("/sessions?search=tests&failures=yes"))
    assert "1 session" in narrowed and "go on" not in narrowed
    assert "given 1 time" in narrowed and "lesson" in narrowed
    assert "No session fits" in fleet.get("/sessions?search=nobody-said-this")
    assert "1 session" in words_of(fleet.get("/sessions?until=2026-10-01"))
    assert "1 session" in words_of(fleet.get("/sessions?given=yes"))


def test_a_part_of_the_page_is_what_htmx_gets(fleet):
    part = fleet.part("/sessions?search=tests")
    assert part.startswith('<section id="results"') and "<h1" not in part


def test_words_that_are_no_day_or_number_say_so_or_mean_nothing(fleet):
    answer = fleet.client.get("/sessions?since=soon")
    assert answer.status_code == 400 and "2026-11-01" in answer.text
    assert "3 sessions" in fleet.get("/sessions?page=x")
    assert "page 1 of 1" not in fleet.get("/sessions?page=99999999999999999999")


def test_an_empty_home_says_what_brings_sessions(config):
    assert "afterglow scan" in Browser(config).get("/sessions")


def test_one_session_says_what_it_was_given_met_and_taught(fleet):
    page = fleet.get(f"/sessions/{ID}")
    words = words_of(page)
    assert "run the tests please" in words
    assert "At the start" in words and "used" in words
    assert "undefined: defaultAgent" in words
    assert 'href="/knowledge/k0000001"' in page
    assert page.count('id="L2"') == 1
    assert "Given here: 1 item" in words and "Taught:" in words


def test_a_line_is_open_and_marked(fleet):
    page = fleet.get(f"/sessions/{ID}?line=3")
    (call,) = re.findall(
        r'<div class="call failed marked"[^>]*>.*?id="L3"', page, re.DOTALL
    )
    assert "data-stop" in call
    assert len(re.findall(r'class="[^"]* marked"', page)) == 1


def test_failures_are_jumped_between_across_windows(fleet):
    long = Transcript(3).id
    page = fleet.get(f"/sessions/{long}")
    assert "2 failures" in words_of(page)
    assert f'data-beyond="n" href="/sessions/{long}?line=162#L162"' in page
    assert f'href="/sessions/{long}?window=2"' in page
    later = fleet.get(f"/sessions/{long}?line=162")
    assert 'id="L162"' in later and "data-beyond" in later


def test_what_a_transcript_says_stays_text(fleet):
    """In the title, the request, calls, results, names of tools, files, folders and repositories."""
    id = Transcript(2).id
    for path in (
        "/sessions",
        f"/sessions?search={SCRIPT}",
        f"/sessions?repo={SCRIPT}",
        f"/sessions/{id}",
        f"/sessions/{id}/text?turn=1&call=0&part=result",
        f"/sessions/{id}/text?turn=1&call=0&part=request",
    ):
        page = fleet.get(path)
        assert "alert(" in page
        assert "<script>" not in page and "<img" not in page
        assert TOKEN not in page


def test_showing_more_takes_a_deliberate_word_and_is_noted(fleet, config):
    id = Transcript(2).id
    path = f"/sessions/{id}/unredacted"
    refused = fleet.post(path, {"window": "1"})
    assert refused.status_code == 400 and "tick the box" in refused.text
    assert unredacted_views(config) == []
    shown = fleet.post(path, {"window": "1", "confirm": "yes"})
    assert TOKEN in shown.text and "<script>" not in shown.text
    assert "Hide them again" in shown.text
    (view,) = unredacted_views(config)
    assert (view.session, view.time, view.first, view.last) == (id, NOW, 1, 6)
    again = fleet.get(f"/sessions/{id}")
    assert TOKEN not in again and "Shown as it stands" in again
    assert TOKEN.encode() not in config.ledger.read_bytes()


def test_a_server_that_only_looks_shows_nothing_as_it_stands(fleet, config):
    reader = Browser(config, read_only=True)
    assert "<form method" not in reader.get(f"/sessions/{ID}")
    answer = reader.post(f"/sessions/{ID}/unredacted", {"confirm": "yes"})
    assert answer.status_code == 403 and unredacted_views(config) == []


def test_a_page_stays_below_its_weight(config, tmp_path):
    heavy = Transcript(9).user("<&>" * 50_000)
    for _ in range(120):
        heavy.run("<&>" * 3000, "<&>" * 50_000, error=True)
    heavy.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    browser = Browser(config)
    for path in (f"/sessions/{heavy.id}", f"/sessions/{heavy.id}?window=2"):
        assert len(browser.get(path).encode()) < 200_000


def test_a_transcript_that_is_gone_still_tells_its_story(fleet, tmp_path):
    (tmp_path / "s" / f"{ID}.jsonl").unlink()
    page = words_of(fleet.get(f"/sessions/{ID}"))
    assert "is gone" in page and "Given" in page
    answer = fleet.client.get("/sessions/nowhere")
    assert answer.status_code == 404 and "sessions list" in answer.text


def test_a_copy_holds_the_list_and_the_places_items_point_to(fleet, config, tmp_path):
    folder = tmp_path / "copy"
    static_copy.write(folder, lambda: config)
    listing = (folder / "sessions.html").read_text()
    assert f"sessions/{ID}.html" in listing and "<form" not in listing
    place = (folder / "sessions" / f"{ID}-line-3.html").read_text()
    assert 'id="L3"' in place and "<form" not in place and TOKEN not in place


@pytest.mark.parametrize("week", ["soon", "2026-W99", f"{10**30}-W1"])
def test_a_week_that_is_none_is_said(browser, week):
    answer = browser.client.get(f"/sessions?week={week}")
    assert answer.status_code == 400
    assert "2026-W07 would be" in answer.text


def test_a_week_narrows_to_the_sessions_that_started_in_it(browser):
    assert "2026-W10" in browser.get("/sessions?week=2026-W10")
