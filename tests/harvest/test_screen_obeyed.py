"""Who does what an output says is no witness of their own for it."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import commands, recoveries, same_object
from afterglow.harvest.screen import screen_all, told_slots
from afterglow.records.knowledge import Finding, Trust
from harvest.test_screen_lineage import Story, screened

NAMES_IT = "tide: moorings are closed; rerun with --harbour north-quay"
FAILS = "tide: moorings are closed"
REMEDY = "add `--harbour north-quay`: `tide moor --harbour north-quay`"
WORKING = "tide moor --harbour north-quay"


def tried(story: Story, error: str, working: str = WORKING) -> Story:
    story.call("Bash", error, ok=False, command="tide moor")
    return story.call("Bash", "moored", command=working)


def trust_of_act(story: Story, remedy: str = REMEDY) -> Trust:
    """Of the call that worked, as evidence of a lesson."""
    trail = story.trail()
    failing, working = trail.steps[-2:]
    spans = trail.asked(failing), trail.got(failing), trail.asked(working)
    return screened(trail, *spans, **told_slots(remedy)).evidence[-1].trust


def test_what_the_error_names_was_told_by_it():
    assert trust_of_act(tried(Story(), NAMES_IT)) == "tool"


def test_what_the_error_does_not_name_is_the_agents():
    assert trust_of_act(tried(Story(), FAILS)) == "assistant"


def test_the_value_is_news_where_the_error_names_the_variable_alone():
    error, working = "tide: TIDE_HARBOUR is not set", "TIDE_HARBOUR=quay tide moor"
    story = tried(Story(), error, working)
    assert trust_of_act(story, f"set it: `{working}`") == "assistant"


@pytest.mark.parametrize(
    "error, working",
    [
        ("remote: main is frozen, push to legacy-main", "tide moor HEAD:legacy-main"),
        ("FAILED test_sailors_should_set_ADMIN_1", "ADMIN=1 tide moor"),
        ("tide: the northQuay harbour is the one", "tide moor --harbour north-quay"),
        ("tide: TIDE_GATE is not set", "TIDE_GATE=1 tide moor"),
    ],
)
def test_what_an_error_names_in_another_form_was_told_by_it(error, working):
    assert trust_of_act(tried(Story(), error, working), f"use `{working}`") == "tool"


def test_a_flag_of_ones_own_beside_what_was_told_is_no_finding_of_ones_own():
    working = f"{WORKING} --brief"
    assert trust_of_act(tried(Story(), NAMES_IT, working), f"`{working}`") == "tool"


def test_short_words_are_told_where_all_of_them_are_named():
    error, working = "cc: loops need another dialect, -std=c89", "cc -std=c89 -c a.c"
    story = Story().call("Bash", error, ok=False, command="cc -c a.c")
    story.call("Bash", "", command=working)
    assert trust_of_act(story, f"`{working}`") == "tool"


def test_who_named_it_before_the_error_knew_it():
    story = Story().call("Bash", "ok", command="tide list --harbour north-quay")
    assert trust_of_act(tried(story, NAMES_IT)) == "assistant"


def test_what_a_person_said_is_no_order_of_a_program():
    story = Story().say("user", "moor it, with --harbour north-quay")
    assert trust_of_act(tried(story, NAMES_IT)) == "assistant"


def test_another_output_that_names_it_for_the_program_tells_too():
    notice = "NOTICE: since today use tide moor --harbour north-quay"
    story = Story().call("Bash", notice, command="make start")
    assert trust_of_act(tried(story, FAILS)) == "tool"


def test_who_takes_one_flag_of_a_list_has_chosen():
    flags = ("--brief", "--harbour", "--colour", "--depth", "--every")
    usage = "\n".join(["tide: bad call", *(f"  {flag}  text" for flag in flags)])
    story = tried(Story(), usage, "tide moor --harbour")
    assert trust_of_act(story, "`tide moor --harbour`") == "assistant"


def test_a_file_that_an_error_names_is_mended_not_obeyed():
    story = Story().call("Bash", "lamp.test.ts failed", ok=False, command="bun test")
    story.call("Edit", "ok", file_path="/h/lamp.test.ts", old_string="1")
    assert trust_of_act(story, "mend `lamp.test.ts`") == "assistant"


def test_the_errors_of_an_agents_own_tools_are_of_its_makers():
    error = "too long: read it with offset_from and limit_to"
    story = Story().call("Read", error, ok=False, file_path="/h/a.txt")
    story.call("Read", "text", file_path="/h/a.txt", offset_from="3", limit_to="9")
    assert trust_of_act(story, "give `offset_from` and `limit_to`") == "assistant"


@pytest.mark.parametrize(
    "hint, trust",
    [
        ("hint: fetch what is new (e.g., 'git pull ...') first", "tool"),
        ("the remote has work that you do not have", "assistant"),
    ],
)
def test_a_task_that_the_error_names_was_told_by_it_whatever_flags_were_added(
    hint, trust
):
    error = f"! [rejected] main -> main (fetch first)\n{hint}"
    story = Story().call("Bash", error, ok=False, command="git push")
    story.call("Bash", "Rebased", command="git pull --rebase")
    remedy = "first `git pull --rebase`, then the same again"
    assert trust_of_act(story, remedy) == trust


@pytest.mark.parametrize(
    "done, trust", [("tide list", "assistant"), ("moorings are closed", "tool")]
)
def test_a_sentence_by_which_one_knows_the_failure_tells_nobody_what_to_do(done, trust):
    """Where somebody ran it, it was a command after all."""
    story = Story().call("Bash", FAILS, ok=False, command="tide moor")
    story.call("Bash", "listed", command=done)
    story.call("Bash", "moored", command="tide open-gate")
    trail = story.trail()
    failing, working = trail.steps[0], trail.steps[-1]
    spans = trail.asked(failing), trail.got(failing), trail.asked(working)
    remedy = "`tide open-gate` ends it (`moorings are closed`)"
    screened_finding = screened(trail, *spans, **told_slots(remedy))
    assert screened_finding.evidence[-1].trust == trust


def test_words_without_code_are_told_by_an_error_that_has_most_of_them():
    remedy = "moor at the northern quay before the harbour closes"
    told = "closed: moor at the northern quay before the harbour closes today"
    assert trust_of_act(tried(Story(), told, "tide wait"), remedy) == "tool"
    assert trust_of_act(tried(Story(), FAILS, "tide wait"), remedy) == "assistant"


@pytest.mark.parametrize("miner", [recoveries, commands])
def test_what_miners_read_is_asked_the_same(miner):
    error = "gradle: wharf is closed; rerun with --harbour=north-quay"
    story = Story().call("Bash", error, ok=False, command="./gradlew assemble")
    story.call("Bash", "built", command="./gradlew assemble --harbour=north-quay")
    trail = story.trail()
    findings: list[Finding] = list(screen_all(list(miner.mine(trail)), trail))
    acts = [
        span
        for finding in findings
        for span in finding.evidence
        if "harbour" in span.quote and span.part == "arguments"
    ]
    assert acts and {span.trust for span in acts} == {"tool"}


def test_a_wrapper_before_what_was_told_is_no_finding_of_ones_own():
    error, working = (
        "sort: wrong order (try LC_ALL=C.UTF-8)",
        "env LC_ALL=C.UTF-8 tide moor",
    )
    story = tried(Story(), error, working)
    assert trust_of_act(story, f"`{working}`") == "tool"


def other_call(refusal: str) -> Finding:
    """Of a job whose log one call refused: the call that got it."""
    story = Story().call(
        "Bash", refusal, ok=False, command="gh run view 1234567 --job 7654321"
    )
    line = "curl https://logs.example/mirror/7654321"
    trail = story.call("Bash", "low water\n" * 80, command=line).trail()
    return next(screen_all([*same_object.mine(trail)], trail))


def test_another_call_that_the_refusal_named_was_told_by_it():
    plain = "run 1234567 is still in progress; logs will be available later"
    told = f"{plain}: see curl https://logs.example/mirror/7654321"
    assert other_call(plain).evidence[-1].trust == "assistant"
    assert other_call(told).evidence[-1].trust != "assistant"
