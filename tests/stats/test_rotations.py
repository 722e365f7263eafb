"""Survivorship alone: sessions that differ and do not change give the expected rates, and a change stands out."""

import random

import pytest

from afterglow.stats.rotations import chance_of_halves, expected_rate, turned


def test_the_mean_over_all_turns_is_the_sessions_own_rate():
    marks = [1, 1, 0, 0, 0, 0]
    place = turned(marks, [(0, 3, 1.0)])
    assert place.mean == pytest.approx(3 * 2 / 6)
    assert place.variance > 0


def test_failures_that_come_in_runs_leave_more_to_chance_than_single_ones():
    run, spread_out = [1, 1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0, 1, 0, 0]
    first_third = [(0, 3, 1.0)]
    assert turned(spread_out, first_third).variance == pytest.approx(0, abs=1e-12)
    assert turned(run, first_third).variance > 0.5


def test_only_sessions_that_get_there_count():
    """Short sessions fail, long ones do not: later calls look better although no session changes."""
    sessions = [[1, 1, 0, 0]] * 10 + [[0] * 20] * 10
    early, late = expected_rate(sessions, 0, 4), expected_rate(sessions, 4, 20)
    assert early.value == pytest.approx(0.25) and early.sessions == 20
    assert late.value == 0 and late.sessions == 10
    assert expected_rate(sessions, 50, 60).value is None


def test_a_change_inside_sessions_is_told_and_none_is_not():
    improving = [[1] * 5 + [0] * 15 for _ in range(30)]
    assert chance_of_halves(improving) < 0.001
    dealer = random.Random(1)
    steady = [[int(dealer.random() < 0.2) for _ in range(40)] for _ in range(60)]
    assert chance_of_halves(steady) > 0.05
    assert chance_of_halves([[0] * 20]) is None and chance_of_halves([]) is None


def test_by_chance_alone_one_in_twenty_histories_looks_like_a_change():
    dealer = random.Random(7)
    looks_changed = 0
    for _ in range(200):
        history = [[int(dealer.random() < 0.2) for _ in range(30)] for _ in range(25)]
        chance = chance_of_halves(history)
        looks_changed += chance is not None and chance < 0.05
    assert 2 <= looks_changed <= 20
