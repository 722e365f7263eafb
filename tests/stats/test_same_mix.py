"""Two shares as if both had the same mix of kinds."""

import pytest

from afterglow.stats.same_mix import same_mix

NAMES = ("first", "second")


def test_a_difference_that_is_only_the_mix_goes_away():
    """Runs fail 1 in 2, looks never; the second side has more runs."""
    sessions = [{"l": ((0, 8), (0, 2)), "r": ((1, 2), (4, 8))} for _ in range(10)]
    raw = (4 + 0) / 10 - 1 / 10
    assert raw == pytest.approx(0.3)
    compared = same_mix("within sessions", NAMES, sessions)
    assert compared.value == pytest.approx(0.0)
    assert compared.first.value == compared.second.value == pytest.approx(0.25)
    assert compared.sessions == 10


def test_a_difference_inside_a_kind_stays():
    sessions = [
        {"l": ((0, 5), (0, 5)), "r": ((3, 5), (1 + number % 2, 5))}
        for number in range(20)
    ]
    compared = same_mix("within sessions", NAMES, sessions)
    assert compared.value == pytest.approx(-0.15)
    assert compared.low < compared.value < compared.high < 0


def test_kinds_that_one_side_does_not_have_are_left_out():
    sessions = [{"l": ((1, 4), (1, 4)), "x": ((4, 4), (0, 0))} for _ in range(6)]
    assert same_mix("within sessions", NAMES, sessions).value == pytest.approx(0.0)
    lacking = [{"x": ((4, 4), (0, 0))}]
    assert same_mix("within sessions", NAMES, lacking).value is None
    assert same_mix("within sessions", NAMES, []).value is None


def test_its_interval_is_by_sessions_and_holds_the_truth_nineteen_times_in_twenty():
    import random

    dealer = random.Random(3)
    holds = 0
    for _ in range(200):
        sessions = [
            {
                kind: (_failed(dealer, rate, 6), _failed(dealer, rate, 6))
                for kind, rate in (("l", 0.05), ("r", 0.3))
            }
            for _ in range(25)
        ]
        compared = same_mix("within sessions", NAMES, sessions)
        holds += compared.low <= 0 <= compared.high
    assert 180 <= holds <= 199


def _failed(dealer, rate: float, n: int) -> tuple[int, int]:
    return sum(dealer.random() < rate for _ in range(n)), n
