"""Length and position: planted survivorship is told from planted change."""

import random

import pytest

from afterglow.measure.research.length_and_position import (
    Lasted,
    going_on_after_failures,
    halves,
    long_against_short,
    stretches,
    went_on,
)
from afterglow.measure.research.length_answer import length_answer
from afterglow.profile.compare import LONG, SHORT
from afterglow.records.research import SessionCourse


def lasted(rates, length: str, seed: int, *, kinds: str = "", repo: str = "harbor"):
    """A session whose call at each place fails with the rate of that place."""
    dealer = random.Random(seed)
    outcomes = "".join("f" if dealer.random() < rate else "o" for rate in rates)
    return Lasted(length, SessionCourse(outcomes, kinds or "l" * len(rates)), repo)


def survivors() -> list[Lasted]:
    """Bad sessions end early, good ones go on; nothing changes inside any of them."""
    short = [lasted([0.25] * 24, SHORT, seed) for seed in range(60)]
    return short + [lasted([0.05] * 120, LONG, 1000 + seed) for seed in range(60)]


def wearers() -> list[Lasted]:
    """All sessions begin alike and become worse."""
    course = [0.04 + 0.003 * place for place in range(120)]
    short = [lasted(course[:24], SHORT, seed) for seed in range(60)]
    return short + [lasted(course, LONG, 1000 + seed) for seed in range(60)]


def test_survivorship_alone_is_recognised_as_such():
    sessions = survivors()
    between, inside = long_against_short(sessions), halves(sessions)
    assert between["whole"].sign == -1 and between["early"].sign == -1
    assert inside["all calls"].sign == 0 and inside["sessions alike"].sign == 0
    rows = stretches(sessions)
    assert rows[0].observed.value > 2 * rows[-1].observed.value
    for row in rows:
        assert row.expected.low <= row.observed.value <= row.expected.high
    assert going_on_after_failures(sessions).sign == -1
    shares = dict(went_on(sessions))
    assert shares["none"].value > shares["two or more"].value
    answer = length_answer(sessions, ())
    assert "fail less often than short ones" in answer.answer
    assert "did so in their first 10 calls already" in answer.answer
    assert "the error rate does not clearly change" in answer.answer


def test_a_change_inside_sessions_is_told_from_it():
    sessions = wearers()
    between, inside = long_against_short(sessions), halves(sessions)
    assert between["whole"].sign == 1 and between["early"].sign == 0
    assert inside["all calls"].sign == 1
    last = stretches(sessions)[-1]
    assert last.observed.value > last.expected.high
    answer = length_answer(sessions, ())
    assert "though not clearly so in their first 10 calls" in answer.answer
    assert "errors become more frequent" in answer.answer


def test_more_runs_in_the_second_half_are_no_decline():
    kinds = "l" * 16 + "r" * 4 + "l" * 4 + "r" * 16
    rates = [0.4 if kind == "r" else 0.02 for kind in kinds]
    sessions = [lasted(rates, SHORT, seed, kinds=kinds) for seed in range(80)]
    inside = halves(sessions)
    assert inside["all calls"].sign == 1
    assert inside["same mix"].sign == 0 and inside["runs only"].sign == 0


def test_each_session_counts_once_where_it_says_so():
    long_one = Lasted(LONG, SessionCourse("o" * 500 + "f" * 500, "l" * 1000))
    others = [
        Lasted(LONG, SessionCourse("fo" * 10 + "oo" * 10, "l" * 40)) for _ in range(9)
    ]
    inside = halves([long_one, *others])
    assert inside["all calls"].value > 0 > inside["sessions alike"].value
    assert inside["sessions alike"].value == pytest.approx((1 - 9 * 0.5) / 10)


def test_repositories_that_point_in_different_directions_are_named():
    falling = [lasted([0.4] * 20 + [0.05] * 20, LONG, seed) for seed in range(20)]
    rising = [
        lasted([0.05] * 20 + [0.4] * 20, LONG, 500 + seed, repo="pier")
        for seed in range(20)
    ]
    answer = length_answer([*falling, *rising], ())
    assert answer.enough and "Too few sessions to compare lengths" in answer.answer
    assert any(
        "rarer in harbor and become more frequent in pier" in words
        for words in answer.findings
    )


@pytest.mark.parametrize("sessions", [[], survivors()[:2]])
def test_too_few_sessions_are_said_to_be_too_few(sessions):
    answer = length_answer(sessions, ())
    assert not answer.enough and answer.answer.startswith("Too few sessions")
    assert answer.findings == () and answer.limits
