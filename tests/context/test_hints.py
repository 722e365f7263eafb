"""Hints on failure: one line or nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.context.hints import MAX_HINT_TOKENS, hint
from afterglow.harvest.risk import with_risk
from afterglow.records.knowledge import ONE_WITNESS, KnowledgeItem, approval_mark
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
    source_count=2,
    first_seen=1762128000.0,  # 3 and 5 November 2025
    last_confirmed=1762300800.0,
)


def told(event=EVENT, *items, before=()):
    return hint(event, items or (ITEM,), before, estimate)


def test_a_lesson_about_this_failure_is_told_as_what_happened_before():
    answer = told()
    assert answer is not None
    assert answer.text == (
        "`crane build`: 'fixtures are stale' → on 3 and 5 Nov the same; "
        "what helped: run `crane seed` first"
    )
    assert answer.item == "k1"
    assert answer.tokens <= MAX_HINT_TOKENS


@pytest.mark.parametrize(
    ("change", "past"),
    [
        ({"source_count": 7}, "in 7 sessions, last on 5 Nov, the same; what helped: "),
        ({"first_seen": 1762300000.0}, "on 4 and 5 Nov the same; what helped: "),
        ({"first_seen": 1762300900.0}, "twice on 5 Nov the same; what helped: "),
        ({"first_seen": 1761955200.0}, "on 1 and 5 Nov the same; what helped: "),
        ({"first_seen": 1761868800.0}, "on 31 Oct and 5 Nov the same; what helped: "),
        ({"last_confirmed": None}, "before the same; what helped: "),
        ({"source_count": 1}, "once, on 5 Nov, the same; what helped then: "),
    ],
)
def test_days_and_counts_are_told(change, past):
    answer = told(EVENT, replace(ITEM, **change))
    assert answer is not None
    assert f"→ {past}run `crane seed`" in answer.text


def test_what_one_session_shows_is_told_as_once():
    alone = replace(ITEM, status="candidate", reason=ONE_WITNESS)
    answer = told(EVENT, replace(alone, source_count=4))
    assert answer is not None
    assert "in 4 sessions, last on 5 Nov, the same; what helped once: " in answer.text
    assert told(EVENT, replace(alone, reason="a check objects")) is None
    assert told(EVENT, replace(alone, against=1)) is None


def test_of_what_one_session_shows_all_code_must_stand_there():
    both = "`crane build` after `crane pull`: 'fixtures are stale'"
    item = replace(ITEM, situation=both)
    assert told(EVENT, item) is not None
    alone = replace(item, status="candidate", reason=ONE_WITNESS)
    assert told(EVENT, alone) is None
    assert told(replace(EVENT, command="crane pull && crane build"), alone)


def test_what_two_sessions_show_comes_before_what_one_does():
    alone = replace(ITEM, id="k0", status="candidate", reason=ONE_WITNESS)
    answer = told(EVENT, alone, ITEM)
    assert answer is not None
    assert answer.item == "k1"


def test_what_is_past_its_date_is_not_told():
    past = replace(ITEM, expires=50.0)
    assert told(replace(EVENT, time=60.0), past) is None
    assert told(replace(EVENT, time=40.0), past) is not None


def test_a_problem_is_told_once():
    assert told(before=("problem:aaaa1111",)) is None
    assert told(before=EVENT.keys) is None


@pytest.mark.parametrize(
    "change",
    [
        {"status": "candidate"},
        {"remedy": ""},
        {"situation": "`hoist deploy` times out"},
        {"situation": "`crane build --slow`: 'fixtures are stale'"},
    ],
)
def test_what_is_not_sure_to_mean_this_failure_is_not_told(change):
    assert told(EVENT, replace(ITEM, **change)) is None


UNKNOWN_FIELD = replace(
    EVENT,
    program="crane list",
    command="crane list --fields name,hue",
    lines=(TellingLine('unknown field: "hue"', strength=3),),
)
FIELD = replace(
    ITEM,
    situation="`crane list --fields …,hue`: unknown field",
    remedy="leave out `hue`: `crane list --fields name,colour`",
)


def test_a_lesson_about_another_object_of_the_same_error_is_not_told():
    assert told(UNKNOWN_FIELD, FIELD) is not None
    line = TellingLine('unknown field: "tint"', strength=3)
    call = "crane list --fields name,tint"
    assert told(replace(UNKNOWN_FIELD, command=call, lines=(line,)), FIELD) is None


def test_a_lesson_that_leaves_the_object_open_is_told():
    general = replace(FIELD, situation="`crane list --fields <fields>`: unknown field")
    line = TellingLine('unknown field: "tint"', strength=3)
    call = "crane list --fields name,tint"
    event = replace(UNKNOWN_FIELD, command=call, lines=(line,))
    assert told(event, general) is not None


def test_a_call_that_was_made_as_the_lesson_tells_gets_no_hint():
    assert told(replace(EVENT, command="crane seed && crane build --fast")) is None


def test_what_is_to_go_is_told_though_the_rest_of_the_remedy_stands_in_the_call():
    item = replace(
        ITEM,
        situation="`cd yard/…`: fixtures are stale",
        remedy="leave the `cd` out: `crane build --fast`",
    )
    assert told(replace(EVENT, command="cd yard/a && crane build --fast"), item)


def test_of_two_lessons_the_one_that_means_this_failure_is_told():
    near = replace(ITEM, id="k2", situation="`crane build --fast`: fixtures are stale")
    far = replace(ITEM, id="k3", situation="`crane build`: stale lock of the daemon")
    answer = told(EVENT, far, near)
    assert answer is not None
    assert answer.item == "k2"


def test_what_the_error_says_itself_is_not_told():
    line = TellingLine("error: fixtures are stale, run `crane seed`", strength=3)
    assert told(replace(EVENT, lines=(line,))) is None
    question = TellingLine("error: fixtures are stale. crane seed first?", strength=3)
    assert told(replace(EVENT, lines=(question,))) is None


def test_an_error_that_names_the_culprit_needs_a_lesson_that_brings_something():
    bare = replace(FIELD, remedy="leave out `hue`: `crane list --fields name`")
    assert told(UNKNOWN_FIELD, bare) is None
    assert told(UNKNOWN_FIELD, FIELD) is not None


def test_code_that_is_not_finished_yet_gets_no_hint():
    work = TellingLine("--- FAIL: TestStale fixtures are stale", strength=3)
    assert told(replace(EVENT, lines=(work,))) is None


REPORT = replace(
    EVENT,
    program="crane lint",
    command="crane lint --all",
    rules=("rigging loose-ends", "paint"),
    lines=(
        TellingLine("hull.go:7: loose-ends: rope ends loose (rigging)", strength=2),
        TellingLine("mast.go:9: knots of the net may slip (paint)", strength=2),
        TellingLine("2 failed", strength=2),
    ),
)
RULE = replace(
    ITEM,
    situation="`crane lint` reports rigging: rope ends loose",
    remedy="where it is meant, say so on that line: `//free:rigging`",
)
RULE = replace(RULE, fact=f"{RULE.situation}: {RULE.remedy}")


def test_a_lesson_about_a_linters_rule_is_told_whatever_runs_the_linter():
    assert told(REPORT, RULE) is not None
    assert told(replace(REPORT, command="make lint", program="make lint"), RULE)


def test_a_lesson_about_another_rule_of_the_linter_is_not_told():
    other = "`crane lint` reports rigging: knots of the net slip"
    item = replace(RULE, situation=other, fact=f"{other}: {RULE.remedy}")
    assert told(REPORT, item) is None


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


def test_a_message_that_names_its_program_says_what_failed():
    lines = (TellingLine("hoist: no such yard", strength=3),)
    line = "there is no yard here: `hoist --here`"
    call = "crane build | hoist yard"
    event = replace(EVENT, command=call, lines=lines, explanation=line)
    answer = told(event)
    assert answer is not None
    assert answer.text == f"'hoist: no such yard' → {line}"


def test_of_several_errors_the_one_that_is_explained_is_named():
    texts = ("fatal: divergent", "fatal: `yard` is used by another crane")
    lines = tuple(TellingLine(text, strength=3) for text in texts)
    event = replace(EVENT, lines=lines, explanation="another crane has `yard`: wait")
    answer = told(event)
    assert answer is not None
    assert answer.text.startswith(f"`crane build`: '{texts[1]}' → ")


def test_what_state_explains_and_needs_nothing_gets_no_hint():
    assert told(replace(EVENT, state="a pattern that matches no file")) is None


def test_a_long_situation_gives_way_to_a_whole_remedy():
    words = " ".join(f"word{number}" for number in range(40))
    event = replace(EVENT, command=words)
    answer = told(event, replace(ITEM, situation=words))
    assert answer is not None
    assert answer.text.endswith(
        "… → on 3 and 5 Nov the same; what helped: run `crane seed` first"
    )
    assert answer.tokens <= MAX_HINT_TOKENS


def test_a_situation_that_is_cut_within_code_ends_its_code():
    call = " ".join(f"word{number}" for number in range(40))
    answer = told(replace(EVENT, command=call), replace(ITEM, situation=f"`{call}`"))
    assert answer is not None
    assert "…` → on 3 and 5 Nov the same; what helped: run" in answer.text


def test_a_remedy_that_is_too_long_loses_whole_sentences_or_is_not_told():
    long = " ".join(f"word{number}" for number in range(80))
    answer = told(EVENT, replace(ITEM, remedy=f"Run `crane seed`. {long}."))
    assert answer is not None
    assert answer.text.endswith("what helped: Run `crane seed`")
    assert told(EVENT, replace(ITEM, remedy=f"`crane seed` {long}")) is None


@pytest.mark.parametrize(
    "remedy",
    ["`rm -rf lamps`, then again", "`sudo crane build`", "`git push --force`"],
)
def test_nothing_risky_is_told_that_nobody_approved(remedy):
    risky = with_risk(replace(ITEM, remedy=remedy))
    assert told(EVENT, replace(risky, status="active")) is None
    assert told(EVENT, replace(risky, reason=ONE_WITNESS)) is None
    approved = replace(risky, status="active", approved=approval_mark(risky))
    assert told(EVENT, approved) is not None
    other_words = replace(approved, remedy=f"{remedy}, twice")
    assert told(EVENT, other_words) is None
