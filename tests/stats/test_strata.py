"""Groups compared within strata: what differs between strata does not count, what differs inside them does."""

import random

import pytest

from afterglow.stats.strata import Case, difference_within, shuffled, within


def cases(gap: float, seed: int = 1, sessions: int = 40) -> list[Case]:
    """Two repositories of different level; the second group is more frequent in the worse one."""
    dealer = random.Random(seed)
    made = []
    for repo, level, share in (("good", 0.1, 0.2), ("bad", 0.5, 0.8)):
        for _ in range(sessions):
            second = dealer.random() < share
            value = level + gap * second + dealer.gauss(0, 0.05)
            made.append(Case(second, value, repo))
    return made


def test_a_difference_between_repositories_is_not_one_between_groups():
    together = [case._replace(stratum="") for case in cases(gap=0.0)]
    assert within(together).low > 0.1
    inside = within(cases(gap=0.0))
    assert inside.low < 0 < inside.high and inside.strata == 2


def test_a_difference_inside_them_is_found_and_shuffling_would_not_give_it():
    made = cases(gap=0.1)
    inside = within(made)
    assert inside.value == pytest.approx(0.1, abs=0.03) and inside.low > 0
    by_chance = shuffled(made, inside.value)
    assert by_chance.p < 0.01
    assert by_chance.low < by_chance.mean < by_chance.high < inside.value
    assert by_chance == shuffled(made, inside.value)


def test_shuffled_groups_come_out_as_far_as_their_interval_says():
    made = cases(gap=0.0, seed=4)
    inside = within(made)
    by_chance = shuffled(made, inside.value)
    width = inside.high - inside.low
    assert by_chance.high - by_chance.low == pytest.approx(width, rel=0.25)


def test_its_interval_holds_the_truth_nineteen_times_in_twenty():
    compared = [within(cases(0.1, seed, sessions=16)) for seed in range(300)]
    holds = [each.low <= 0.1 <= each.high for each in compared if each]
    assert len(holds) > 250 and 0.9 <= sum(holds) / len(holds) <= 0.99


def test_a_group_of_a_few_sessions_is_not_compared():
    few = [Case(number < 4, number / 50, "harbor") for number in range(40)]
    assert within(few) is None
    assert within([*few, Case(True, 0.1, "harbor")]) is not None


def test_strata_with_one_group_tell_nothing():
    one_sided = [Case(False, 0.1, "a")] * 9 + [Case(True, 0.4, "b")] * 9
    assert within(one_sided) is None
    compared = difference_within(("first", "second"), one_sided)
    assert compared.value is None and compared.sign is None
