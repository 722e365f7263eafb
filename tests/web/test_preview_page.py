"""Context preview: the context as it would be given, why, and what would be said on a failure."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.records.settings import Hooks
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.templates.folder import Templates
from keeping import NOW, item, keep
from web.desk import Browser, words_of


@pytest.fixture
def home(home):
    lesson = {"situation": "`crane build`: 'fixtures are stale'"}
    keep(
        home,
        item(
            8,
            **lesson,
            remedy="run `crane seed` first",
            cost=3.0,
            fingerprints=("error: fixtures are stale",),
        ),
        item(9, confidence=0.5),
    )
    return home


PLACE = "/preview?repo=harbor"


def test_each_line_has_its_worth_and_what_is_left_out_its_reason(browser):
    words = words_of(browser.get(PLACE))
    assert "run crane seed first [k0000008 2+ sessions" in words
    assert "Saves about" in words
    assert "50% sure; told is what is surer than 70%" in words
    assert "one session shows it" in words


def test_sliders_narrow_what_is_told(browser):
    part = browser.part(f"{PLACE}&confidence=0.95")
    assert "<html" not in part
    assert "Nothing would be told" in words_of(part)
    assert "no room left within 50 tokens" in words_of(
        browser.part(f"{PLACE}&budget=50")
    )


@pytest.mark.parametrize("word", ["budget=nan", "budget=x", "confidence=-9", "repo="])
def test_an_address_may_say_anything(browser, word):
    assert "At the start" in browser.get(f"/preview?{word}")


def test_a_folder_that_is_not_there_is_said(browser, tmp_path):
    answer = browser.client.get(f"/preview?folder={tmp_path}/none")
    assert answer.status_code == 400
    assert "is no folder" in answer.text


def test_paths_are_looked_for_in_a_folder(browser, tmp_path):
    page = browser.get(f"{PLACE}&folder={tmp_path}")
    assert f"Paths were looked for in {tmp_path}" in words_of(page)


def ask(browser, **form: str):
    return browser.post("/preview/failure", {"repo": "harbor", **form})


def test_a_pasted_failure_shows_what_would_be_said(browser, home):
    answer = ask(
        browser, command="crane build", error="Exit code 1\nerror: fixtures are stale"
    )
    words = words_of(answer.text)
    assert "what helped: run crane seed first" in words
    assert "k0000008" in words
    assert not home.ledger.exists()


def test_silence_says_why(browser):
    answer = ask(browser, command="crane sink", error="Exit code 1\nerror: no water")
    words = words_of(answer.text)
    assert "Nothing would be said." in words
    assert "Nothing is known about this failure here" in words


def test_a_server_that_only_looks_answers_questions(home):
    looking = Browser(home, read_only=True)
    answer = ask(looking, command="crane sink", error="error: no water")
    assert answer.status_code == 200


def test_a_question_needs_the_token_of_the_form(browser):
    answer = browser.client.post(
        "/preview/failure",
        data={"command": "x"},
        headers={"origin": "http://127.0.0.1:8378"},
    )
    assert answer.status_code == 403


def test_what_was_pasted_stays_text(browser):
    answer = ask(browser, command="<script>x</script>", error="error: <img src=x>")
    assert "<script>x" not in answer.text
    assert "<img" not in answer.text


def test_looking_leaves_the_store_as_it_is(browser, home, tmp_path):
    before = home.knowledge.read_bytes()
    browser.get(f"{PLACE}&folder={tmp_path}")
    assert home.knowledge.read_bytes() == before


def test_where_templates_are_given_the_page_shows_which(home):
    seed = SessionSeed(tool_examples=(ToolCallExample("Bash", "{}", "the pier holds"),))
    template = WarmTemplate(id="", name="P", seed=seed, repo="harbor", approved=True)
    id = Templates(home.templates).add(template, NOW).id
    words = words_of(Browser(home).get(PLACE))
    assert "A template beside it" not in words
    on = Browser(replace(home, hooks=Hooks(templates=True)))
    words = words_of(on.get(PLACE))
    assert f"from {id}" in words and "the pier holds" in words
    assert "no template" in words_of(on.get("/preview?repo=meadow"))
