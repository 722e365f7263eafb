"""Hints on failure: one line or nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.context.hints import MAX_HINT_TOKENS, hint
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event, TellingLine
from afterglow.text.tokens import estimate

EVENT = Event(
    kind="failed",
    session="s",
    agent="codex",
    line=7,
    result_line=8,
    call=1,
    tool="Bash",
    program="crane build",
    command="crane build --fast",
    lines=(TellingLine("error: fixtures are stale", strength=3),),
    keys=("line fixtures are stale",),
)
ITEM = KnowledgeItem(
    id="k1",
    fact="f",
    category="pitfall",
    status="active",
    situation="`crane build`: 'fixtures are stale'",
    remedy="run `crane seed` first",
    topics=("problem:aaaa1111",),
)


def told(event=EVENT, *items, before=()):
    return hint(event, items or (ITEM,), before, estimate)


def test_a_lesson_about_this_failure_is_told_with_its_id():
    answer = told()
    assert answer is not None
    assert (
        answer.text
        == "`crane build`: 'fixtures are stale' → run `crane seed` first [k1]"
    )
    assert answer.item == "k1"
    assert answer.tokens <= MAX_HINT_TOKENS


def test_a_problem_is_told_once():
    assert told(before=("problem:aaaa1111",)) is None
    assert told(before=EVENT.keys) is None


@pytest.mark.parametrize(
    "change",
    [
        {"status": "candidate"},
        {"remedy": ""},
        {"situation": "`hoist deploy` times out"},
    ],
)
def test_what_is_not_sure_to_mean_this_failure_is_not_told(change):
    assert told(EVENT, replace(ITEM, **change)) is None


def test_of_two_lessons_the_one_that_means_this_failure_is_told():
    near = replace(ITEM, id="k2", situation="`crane build --fast`: fixtures are stale")
    far = replace(ITEM, id="k3", situation="`crane build`: stale lock of the daemon")
    answer = told(EVENT, far, near)
    assert answer is not None
    assert answer.item == "k2"


def test_what_the_error_says_itself_is_not_told():
    line = TellingLine("error: fixtures are stale, run `crane seed`", strength=3)
    assert told(replace(EVENT, lines=(line,))) is None


def test_code_that_is_not_finished_yet_gets_no_hint_but_a_rule_does():
    work = TellingLine("--- FAIL: TestStale fixtures are stale", strength=3)
    failing = replace(EVENT, lines=(work,))
    assert told(failing) is None
    named = replace(ITEM, fact="nilerr: return the error")
    assert told(replace(failing, rules=("nilerr",)), named) is not None


@pytest.mark.parametrize("kind", ["person", "refused"])
def test_what_a_person_did_is_no_failure(kind):
    assert told(replace(EVENT, kind=kind)) is None


def test_what_the_sessions_own_state_explains_comes_first_and_once():
    line = "the shell stands in `web/`: `cd .. && crane build`"
    event = replace(EVENT, keys=("state directory",), explanation=line)
    answer = told(event)
    assert answer is not None
    assert answer.text == f"`crane build`: 'error: fixtures are stale' → {line}"
    assert not answer.item
    assert told(event, before=answer.topics) is None


def test_a_long_situation_gives_way_to_a_whole_remedy():
    words = " ".join(f"word{number}" for number in range(40))
    event = replace(EVENT, command=words)
    answer = told(event, replace(ITEM, situation=words))
    assert answer is not None
    assert answer.text.endswith("… → run `crane seed` first [k1]")
    assert answer.tokens <= MAX_HINT_TOKENS


def test_a_situation_that_is_cut_within_code_ends_its_code():
    call = " ".join(f"word{number}" for number in range(40))
    answer = told(replace(EVENT, command=call), replace(ITEM, situation=f"`{call}`"))
    assert answer is not None
    assert "…` → run `crane seed`" in answer.text


def test_a_remedy_that_is_too_long_loses_whole_sentences_or_is_not_told():
    long = " ".join(f"word{number}" for number in range(80))
    answer = told(EVENT, replace(ITEM, remedy=f"Run `crane seed`. {long}."))
    assert answer is not None
    assert "Run `crane seed` [k1]" in answer.text
    assert told(EVENT, replace(ITEM, remedy=f"`crane seed` {long}")) is None
