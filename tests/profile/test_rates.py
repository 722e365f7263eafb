"""Intervals: against textbook values, against a bootstrap over sessions, and by how often they hold the truth."""

import math
import random
from statistics import quantiles

import pytest
from tests.profile.make import letters, session_rate

from afterglow.profile.tables import decided
from afterglow.stats.intervals import Z, student, wilson
from afterglow.stats.rates import (
    design_effect,
    difference,
    rate,
    rate_elsewhere,
    spread,
)

# sessions, mean rate, likeness of calls within a session
DESIGNS = [(40, 0.05, 0.0), (60, 0.05, 0.05), (40, 0.25, 0.1), (120, 0.10, 0.2)]
every_design = pytest.mark.parametrize("design", DESIGNS, ids=str)


def simulate(design, chance):
    sessions, mean, likeness = design
    sizes = [int(chance.lognormvariate(3, 0.7)) + 3 for _ in range(sessions)]
    return [
        decided(letters(session_rate(mean, likeness, chance), size, chance))
        for size in sizes
    ]


def simulate_halves(design, rise, chance):
    """Both halves of each session, the second failing `rise` times more often."""
    made = []
    for _ in range(design[0]):
        size, own = (
            int(chance.lognormvariate(3, 0.7)) + 3,
            session_rate(design[1], design[2], chance),
        )
        made.append(
            (
                decided(letters(own, size, chance)),
                decided(letters(own * (1 + rise), size, chance)),
            )
        )
    return made


def bootstrap(sessions, statistic, chance, times=800):
    drawn = sorted(
        statistic(chance.choices(sessions, k=len(sessions))) for _ in range(times)
    )
    cuts = quantiles(drawn, n=40)
    return cuts[0], cuts[-1]


def pooled(pairs):
    return sum(count for count, _ in pairs) / sum(size for _, size in pairs)


def test_wilson_is_the_textbook_interval():
    assert wilson(0.1, 100) == pytest.approx((0.0552, 0.1744), abs=5e-5)
    assert wilson(0.0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


@pytest.mark.parametrize(
    ("freedom", "point"), [(4, 2.776), (9, 2.262), (29, 2.045), (1e9, Z)]
)
def test_student_is_right_to_a_hundredth(freedom, point):
    assert student(freedom) == pytest.approx(point, abs=0.01)


def test_a_rate_says_what_it_was_counted_from():
    found = rate([(1, 10), (0, 0), (3, 30)])
    assert (found.count, found.n, found.sessions, found.value) == (4, 40, 2, 0.1)


def test_nothing_decided_is_no_rate_and_every_rate_is_possible():
    found = rate([(0, 0)])
    assert (found.value, found.low, found.high, found.n) == (None, 0.0, 1.0, 0)


def test_many_calls_of_one_session_say_little_about_others():
    """16 to 25 % of 297 calls is what that session did; the next one may do anything."""
    one = rate_elsewhere([(60, 297)])
    assert one.value == 60 / 297
    assert (one.low, one.high) == pytest.approx(wilson(60 / 297, 1))
    many = [(60, 297)] * 5
    assert rate_elsewhere(many) == rate(many)


@pytest.mark.parametrize("count", [0, 100])
def test_calls_of_sessions_that_are_all_at_one_end_were_taken_for_independent(count):
    """Six sessions of a hundred calls that a template shows none of: the next may still be another."""
    found = rate_elsewhere([(count, 100)] * 6)
    assert (found.low, found.high) == pytest.approx(wilson(count / 100, 6))


def test_one_session_gives_the_plain_interval_and_says_so():
    found = rate([(5, 50)])
    assert found.few
    assert (found.low, found.high) == pytest.approx(wilson(0.1, 50))


def test_no_failure_at_all_still_leaves_room_above():
    found = rate([(0, 10)] * 12)
    assert found.low == 0.0
    assert 0.02 < found.high < 0.06


def test_sessions_that_agree_cost_nothing_and_sessions_that_differ_do():
    assert design_effect({(5, 50): 20}) == 1.0
    assert design_effect({(50, 50): 10, (0, 50): 10}) == pytest.approx(50, rel=0.1)


def test_the_same_calls_in_fewer_sessions_are_known_less_well():
    chance = random.Random(5)
    many = [(chance.random() < 0.1, 1) for _ in range(1000)]
    few = [(chance.choice((0, 0, 20)), 100) for _ in range(10)]
    assert rate(few).high - rate(few).low > 3 * (rate(many).high - rate(many).low)


@every_design
def test_a_rate_agrees_with_a_bootstrap_over_sessions(design):
    chance = random.Random(11)
    pairs = simulate(design, chance)
    found, (low, high) = rate(pairs), bootstrap(pairs, pooled, chance)
    assert abs(found.low - low) < 0.25 * (high - low)
    assert abs(found.high - high) < 0.25 * (high - low)


@every_design
def test_a_difference_within_sessions_agrees_with_a_bootstrap_over_sessions(design):
    chance = random.Random(12)
    halves = simulate_halves(design, 0.3, chance)

    def rise(sessions):
        return pooled([second for _, second in sessions]) - pooled(
            [first for first, _ in sessions]
        )

    found, (low, high) = (
        difference("within sessions", ("a", "b"), halves),
        bootstrap(halves, rise, chance),
    )
    assert abs(found.low - low) < 0.25 * (high - low)
    assert abs(found.high - high) < 0.25 * (high - low)


@every_design
def test_the_interval_of_a_rate_holds_the_truth_about_nineteen_times_in_twenty(design):
    chance = random.Random(13)
    runs = [rate(simulate(design, chance)) for _ in range(300)]
    assert (
        0.90
        <= sum(found.low <= design[1] <= found.high for found in runs) / len(runs)
        <= 0.99
    )


@every_design
def test_the_interval_of_a_difference_holds_the_truth_about_nineteen_times_in_twenty(
    design,
):
    chance = random.Random(14)
    truth = design[1] * 0.3
    runs = [
        difference("within sessions", ("a", "b"), simulate_halves(design, 0.3, chance))
        for _ in range(200)
    ]
    assert (
        0.90
        <= sum(found.low <= truth <= found.high for found in runs) / len(runs)
        <= 0.99
    )


def test_pairing_narrows_a_difference_when_sessions_are_unlike_one_another():
    halves = simulate_halves((60, 0.25, 0.3), 0.0, random.Random(15))
    apart = [(one, (0, 0)) for one, _ in halves] + [
        ((0, 0), other) for _, other in halves
    ]
    paired, unpaired = (
        difference("within sessions", ("a", "b"), halves),
        difference("between sessions", ("a", "b"), apart),
    )
    assert paired.value == unpaired.value
    assert paired.high - paired.low < 0.7 * (unpaired.high - unpaired.low)


def test_two_sessions_never_make_a_difference_certain():
    found = difference(
        "within sessions", ("a", "b"), [((1, 20), (2, 20)), ((3, 20), (4, 20))]
    )
    assert found.low < found.value < found.high
    assert found.sign is None


def test_a_difference_with_an_empty_side_is_no_difference():
    found = difference("between sessions", ("a", "b"), [((1, 20), (0, 0))])
    assert (found.value, found.low, found.high, found.sign, found.sessions) == (
        None,
        -1.0,
        1.0,
        None,
        1,
    )


def test_a_spread_gives_numbers_that_occurred():
    found = spread([9, 1, 2, 3, 4, 5, 6, 7, 8, 100])
    assert (found.n, found.median, found.p90, found.largest, found.total) == (
        10,
        5.5,
        9,
        100,
        145,
    )
    assert spread([]).median is None


def test_intervals_are_numbers_whatever_is_counted():
    for pairs in (
        [(1, 1)],
        [(0, 1)],
        [(1, 1), (0, 1)],
        [(10**9, 10**9), (0, 1)],
        [(1, 1)] * 5,
    ):
        found = rate(pairs)
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert not math.isnan(found.low + found.high)
