"""A published claim is reproduced, not reproduced, or cannot be told; and the numbers stand beside the verdict."""

import random

import pytest
from tests.profile.make import entry, letters

from afterglow.profile.published_claims import judge
from afterglow.profile.report import summarise
from afterglow.stats.rates import difference

LEVELS, ORDER, LATE, CODE, FILE = range(5)


def claims(*groups):
    """Groups of (sessions, calls, first-half rate, second-half rate, family)."""
    chance = random.Random(8)
    entries = [
        entry(
            letters(first, calls // 2, chance)
            + letters(second, calls - calls // 2, chance),
            early_families={family: 1},
        )
        for sessions, calls, first, second, family in groups
        for _ in range(sessions)
    ]
    return summarise(entries).claims


def by_length(short, middle, long, sessions=400):
    return claims(
        *(
            (sessions, calls, rate, rate, "code")
            for calls, rate in ((22, short), (40, middle), (90, long))
        )
    )


def compared(first, second, sessions=40, calls=100):
    pairs = [((round(first * calls), calls), (0, 0))] * sessions + [
        ((0, 0), (round(second * calls), calls))
    ] * sessions
    return difference("between sessions", ("a", "b"), pairs)


@pytest.mark.parametrize(
    ("first", "second", "side", "published", "verdict"),
    [
        (0.05, 0.10, 1, 0.02, "reproduced"),
        (0.10, 0.05, 1, 0.02, "not reproduced"),
        (0.05, 0.05, 1, 0.05, "not reproduced"),
        (0.05, 0.06, 1, 0.01, "cannot tell"),
        (0.05, 0.05, 1, None, "cannot tell"),
    ],
)
def test_a_verdict_needs_an_interval_that_rules_something_out(
    first, second, side, published, verdict
):
    assert judge(compared(first, second), side, published) == verdict


def test_too_few_sessions_cannot_tell_whatever_they_show():
    assert judge(compared(0.05, 0.5, sessions=3), 1) == "cannot tell"


def test_the_published_numbers_are_recognised_where_they_hold():
    found = by_length(0.072, 0.090, 0.057)
    assert (found[LEVELS].verdict, found[ORDER].verdict) == ("reproduced", "reproduced")


def test_other_numbers_in_the_same_order_reproduce_the_order_only():
    found = by_length(0.15, 0.20, 0.10)
    assert (found[LEVELS].verdict, found[ORDER].verdict) == (
        "not reproduced",
        "reproduced",
    )


def test_the_opposite_order_is_not_reproduced():
    assert by_length(0.05, 0.05, 0.09)[ORDER].verdict == "not reproduced"


def test_a_handful_of_sessions_cannot_tell():
    assert {claim.verdict for claim in by_length(0.07, 0.09, 0.06, sessions=3)} == {
        "cannot tell"
    }


def test_no_sessions_at_all_cannot_tell():
    assert {claim.verdict for claim in summarise([]).claims} == {"cannot tell"}


def test_a_rise_inside_long_sessions_is_reproduced():
    found = claims((60, 120, 0.10, 0.16, "code"))[LATE]
    assert (found.verdict, found.effect) == ("reproduced", "within sessions")
    assert "60 sessions" in found.sentence


def test_starting_with_code_or_files_is_judged_apart():
    found = claims((60, 60, 0.20, 0.08, "code"), (60, 60, 0.20, 0.08, "file"))
    assert (found[CODE].verdict, found[FILE].verdict) == (
        "reproduced",
        "not reproduced",
    )


def test_every_sentence_carries_its_numbers():
    for claim in by_length(0.072, 0.090, 0.057):
        assert "n = " in claim.sentence or "no such session" in claim.sentence
        assert claim.effect in ("between sessions", "within sessions")
