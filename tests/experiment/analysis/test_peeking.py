"""What may be read at any time. The full runs are in bench/statistics.py; these are small, with fixed seeds."""

import math

import numpy as np
import pytest

from afterglow.experiment.analysis.sequential import half_width, log_e
from afterglow_demo.simulated_trials import World
from bench import statistics as bench


@pytest.mark.parametrize(
    "name",
    [
        "yes-no, 20 %",
        "count, mean 3, skewed",
        "amount, 20 whole clusters",
        "count, 20 mixed clusters",
    ],
)
@pytest.mark.parametrize("shares", [bench.HALF, bench.FIFTH])
def test_looking_after_every_unit_rarely_raises_a_false_alarm(name, shares):
    peeked = bench._peek(bench.ALIKE[name], 400, 200, shares, seed=3)
    assert peeked.alarm.mean() <= 0.05
    assert (
        peeked.naive.mean() > 0.12
    )  # what an ordinary test does when it is read again and again


def test_a_real_effect_is_found():
    world = World(scale="yes-no", mean=0.4, effects={"arm": 0.3})
    peeked = bench._peek(world, 200, 300, bench.HALF, seed=4)
    assert peeked.alarm.mean() > 0.9
    assert peeked.missed.mean() <= 0.05


def test_the_cumulative_form_is_that_of_the_package():
    assert bench.agreement() < 1e-9


def test_the_sequence_holds_what_the_bet_has_not_refuted():
    variance, freedom, spread = 0.04, 57.0, 1.0
    edge = float(half_width(variance, freedom, spread, 0.05))
    assert float(log_e(edge, variance, freedom, spread)) == pytest.approx(math.log(20))
    assert float(log_e(edge * 0.99, variance, freedom, spread)) < math.log(20)


def test_too_few_units_refute_nothing():
    assert half_width(1.0, 2.0, 1.0, 0.05) == math.inf


def test_arrays_are_taken_as_well():
    assert np.shape(
        half_width(np.ones(3) / 50, np.full(3, 98.0), np.ones(3), 0.05)
    ) == (3,)
