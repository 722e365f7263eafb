"""Outcomes are told from what the catalogue holds; what cannot be told is None, never 0."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.experiment.outcomes import (
    EXCLUSIONS,
    OUTCOMES,
    PRIMARY,
    USUAL,
    Case,
    check_measurable,
    excluded,
    measure,
)
from afterglow.records.catalog import Entry
from afterglow.records.profile import Manner, Profile
from afterglow.records.session import Usage

NOW = 1_795_000_000.0
LATE = NOW + 7200


def entry(outcomes: str = "fooo", **fields) -> Entry:
    """A finished session of a few minutes."""
    profile = Profile(
        messages=8, requests=2, replies=6, outcomes=outcomes, early=outcomes, tools={"Bash": outcomes},
        first_success_call=outcomes.find("o") + 1 or None, first_success_seconds=20.0 if "o" in outcomes else None,
        manner=Manner(requests=2, corrections=1), usage=Usage(input=10, output=5, cache_read=100, cost=0.25),
    )  # fmt: skip
    told = {
        "key": 1, "id": "s1", "agent": "claude-code", "format": "claude-code", "source": "s1.jsonl", "repo": "harbor",
        "start": NOW, "end": NOW + 300, "messages": 8, "calls": len(outcomes), "ending": "answered",
        "outcome": "success", "outcome_by": "ending", "profile": profile,
    }  # fmt: skip
    return Entry(**{**told, **fields})


def changed(one: Entry, **fields) -> Entry:
    assert one.profile
    return replace(one, profile=replace(one.profile, **fields))


def told(*entries: Entry, rating: int | None = None) -> dict[str, float | None]:
    return measure(Case(entries, NOW, rating), OUTCOMES)


def test_every_outcome_of_an_ordinary_session():
    assert told(entry(), rating=4) == {
        "early-error-rate": 0.25, "first-success-seconds": 20.0, "first-success-calls": 2.0, "errors": 1.0,
        "calls": 4.0, "tools": 1.0, "success": 1.0, "seconds": 300.0, "rating": 4.0, "corrections": 0.5,
        "tokens": 115.0, "cost": 0.25, "compactions": 0.0, "calls-until-solved": None, "failed-after-first": None,
        "calls-lost": None,
    }  # fmt: skip


def test_each_outcome_says_which_way_is_better_and_what_it_is():
    assert next(iter(OUTCOMES)) == PRIMARY
    assert [
        name for name, spec in OUTCOMES.items() if not spec.words or name != spec.name
    ] == []
    assert [name for name, spec in OUTCOMES.items() if spec.proxy] == ["corrections"]
    assert [name for name, spec in OUTCOMES.items() if spec.direction == "none"] == [
        "tools"
    ]


def test_what_was_not_recorded_is_not_zero():
    silent = replace(
        changed(entry(outcomes=""), usage=Usage(), manner=Manner()),
        start=None,
        outcome="unknown",
        format="sharegpt",
    )
    found = told(silent)
    assert {name for name, value in found.items() if value is not None} == {
        "errors",
        "calls",
        "tools",
    }


def test_calls_that_do_not_say_how_they_ended_tell_nothing_of_errors():
    found = told(entry(outcomes="uuu"))
    assert [
        found[name]
        for name in (PRIMARY, "errors", "first-success-calls", "first-success-seconds")
    ] == [None] * 4
    assert found["calls"] == 3


def test_a_session_without_a_success_counts_its_whole_length():
    found = told(entry(outcomes="fff"))
    assert (found["first-success-seconds"], found["first-success-calls"]) == (
        300.0,
        4.0,
    )


def test_a_session_that_was_never_profiled_tells_nothing():
    assert set(told(entry(profile=None)).values()) == {None}


def test_a_session_goes_on_in_those_it_was_compacted_into():
    first = entry(outcomes="ff", outcome="failure")
    then = changed(
        entry(outcomes="fo", id="s2", start=NOW + 400, end=NOW + 900, parent="s1", parent_by="compaction"),
        compactions=1, tools={"Read": "fo"},
    )  # fmt: skip
    found = told(first, then)
    assert found[PRIMARY] == 1.0  # its first turns are those of the first
    assert (found["errors"], found["calls"], found["tools"], found["compactions"]) == (
        3,
        4,
        2,
        1,
    )
    assert (found["success"], found["seconds"], found["first-success-seconds"]) == (
        1.0,
        900.0,
        420.0,
    )
    assert found["first-success-calls"] == 4


@pytest.mark.parametrize(
    ("rule", "one"),
    [
        ("machinery", entry(origin="cron")),
        ("resumed", entry(parent="s0", parent_by="branch")),
        ("resumed", entry(start=NOW - 7200)),
        ("unused", entry(empty=True)),
        ("no-calls", entry(outcomes="")),
        ("short", changed(entry(), messages=4)),
    ],
)
def test_a_rule_leaves_out_what_its_words_say_and_only_if_it_is_asked_to(rule, one):
    case = Case((one,), NOW)
    assert excluded(case, [rule], LATE) == rule
    assert excluded(case, [name for name in EXCLUSIONS if name != rule], LATE) == ""


def test_an_ordinary_session_is_left_out_by_no_rule():
    assert excluded(Case((entry(),), NOW), list(EXCLUSIONS), LATE) == ""


def test_a_session_that_may_go_on_is_always_left_out():
    assert excluded(Case((entry(),), NOW), (), NOW + 400) == "active"
    closed = entry(ending="closed")
    assert excluded(Case((closed,), NOW), (), NOW + 400) == ""


def test_the_usual_rules_look_at_nothing_that_an_arm_could_change():
    assert set(EXCLUSIONS) - set(USUAL) == {"no-calls", "short"}
    assert all("only afterwards" in EXCLUSIONS[name] for name in ("no-calls", "short"))


def test_an_outcome_no_session_tells_is_an_error_that_names_those_they_tell():
    without = told(changed(entry(), usage=Usage()))
    with pytest.raises(
        UsageError,
        match=r"cost, tokens cannot be computed from these 2 sessions; .*early-error-rate",
    ):
        check_measurable([PRIMARY, "cost", "tokens"], [without, without])
    check_measurable(["cost"], [without, told(entry())])
    check_measurable(["cost"], [])
