"""Readings from the ledger: only proved deliveries count, what nobody could judge is no data, never a no."""

import pytest
from tests.measure.measuring import (
    ERROR,
    delivery,
    given,
    glance,
    material,
    met,
    reading,
)

from keeping import item

FROM_LEDGER = ("hits", "junk", "calibration", "reduction")


@pytest.mark.parametrize("metric", FROM_LEDGER)
def test_without_a_ledger_there_is_no_data_and_a_hint(metric):
    for name in _names(metric, material([glance()], items=[item()])):
        assert "no context has been delivered yet" in name.reason and name.value is None


@pytest.mark.parametrize("metric", FROM_LEDGER)
def test_a_delivery_nobody_proved_is_no_data(metric):
    ledger = [
        delivery(n, n, given(used=True, met=True, mattered=True), state="no data")
        for n in range(9)
    ]
    for name in _names(metric, material([glance()], items=[item()], ledger=ledger)):
        assert (name.value, name.reason) == (
            None,
            "no transcript shows yet that a context arrived",
        )


def _names(metric, found):
    from afterglow.measure.readings import METRICS

    return list(METRICS.load(metric).read(found))


def test_hit_rate_leaves_out_what_could_not_be_judged():
    ledger = [
        delivery(1, 3, given(used=True), given("b", used=False), given("c")),
        delivery(2, 2, given(used=False)),
    ]
    one = reading(
        "hits", material(ledger=[*ledger, delivery(3, 1, state="waiting")]), "hit rate"
    )
    assert (one.value, one.n) == (pytest.approx(1 / 3), 3)
    assert one.detail == "2 delivered, 1 waiting"


def test_mattered_is_of_the_situations_that_came_up():
    ledger = [delivery(1, 3, given(met=True, mattered=True), given("b", met=False, mattered=False)),
              delivery(2, 2, given(met=True, mattered=False, failed=True))]  # fmt: skip
    one = reading("hits", material(ledger=ledger), "mattered")
    assert (one.value, one.n, one.nature) == (0.5, 2, "observational")


def test_junk_was_given_five_times_and_never_used():
    ledger = [
        delivery(n, n, given(used=False), given("k0000002", used=n == 4))
        for n in range(5)
    ]
    ledger.append(delivery(9, 9, given("k0000003", used=False)))
    one = reading("junk", material(items=[item(1), item(2), item(3)], ledger=ledger))
    assert (one.value, one.n) == (0.5, 2)


def test_items_that_promise_too_much_are_below_zero():
    ledger = [
        delivery(n, n, given(confidence=0.9, met=True, mattered=n % 2 == 0))
        for n in range(20)
    ]
    one = reading("calibration", material(ledger=ledger))
    assert one.value == pytest.approx(-0.4) and one.low < one.value < one.high < 0
    assert "Brier" in one.detail


def test_error_reduction_is_the_rate_before_less_the_rate_after():
    before = [met(n, 40 - n, ERROR) for n in range(6)] + [
        glance(10 + n, day=33.5 - n / 10) for n in range(5)
    ]
    after = [met(20, 9, ERROR), *(glance(30 + n, day=8 - n / 10) for n in range(9))]
    one = reading(
        "reduction",
        material(before + after, items=[item()], ledger=[delivery(20, 10, given())]),
    )
    assert one.value == pytest.approx(
        5 / 10 - 1 / 10
    )  # the first meeting is not counted
    assert one.n == 20 and one.low < one.value < one.high
    assert one.detail == "50.0 % of 10 before, 10.0 % of 10 after, 1 items"


def test_error_reduction_looks_only_where_the_item_holds():
    sessions = [
        met(1, 40, ERROR),
        met(2, 39, ERROR),
        glance(3, day=5),
        met(4, 4, ERROR, repo="mole"),
    ]
    one = reading(
        "reduction",
        material(sessions, items=[item()], ledger=[delivery(3, 6, given())]),
    )
    assert (one.value, one.n) == (1.0, 2)


def test_the_session_that_got_the_context_is_after_it_also_when_it_began_a_moment_earlier():
    sessions = [met(1, 40, ERROR), met(2, 39, ERROR), glance(3, day=5)]
    late = delivery(3, 4.99, given(), started=sessions[2].start)
    assert (
        reading("reduction", material(sessions, items=[item()], ledger=[late])).n == 2
    )


def test_error_reduction_without_sessions_on_both_sides_is_no_data():
    ledger = [delivery(2, 6, given())]
    only_after = material(
        [met(1, 7, ERROR), glance(2, day=5)], items=[item()], ledger=ledger
    )
    only_before = material(
        [met(1, 9, ERROR), met(2, 8, ERROR)], items=[item()], ledger=ledger
    )
    for found in (only_after, only_before):
        one = reading("reduction", found)
        assert one.value is None and one.reason and one.n == 0


def test_error_reduction_agrees_with_counting_session_by_session():
    from random import Random

    chance = Random(5)
    errors = [f"kind {n}" for n in range(6)]
    sessions = [
        met(
            n,
            60 - n / 4,
            *(e for e in errors if chance.random() < 0.2),
            repo=chance.choice(("harbor", "mole")),
        )
        for n in range(200)
    ]
    items = [item(n, repo=("harbor", "", "mole")[n % 3]) for n in range(6)]
    ledger = [
        delivery(
            900 + n, 40 - 5 * n, given(one.id, fingerprints=(errors[n], errors[n - 1]))
        )
        for n, one in enumerate(items)
    ]
    hit, all_ = {"before": 0, "after": 0}, {"before": 0, "after": 0}
    for n, (one, given_) in enumerate(zip(items, ledger, strict=True)):
        known = False
        for session in sessions:
            if one.repo in ("", session.repo):
                again = bool({errors[n], errors[n - 1]} & session.errors.keys())
                if known:
                    side = "after" if session.start >= given_.time else "before"
                    hit[side] += again
                    all_[side] += 1
                known = known or again
    found = reading("reduction", material(sessions, items=items, ledger=ledger))
    expected = hit["before"] / all_["before"] - hit["after"] / all_["after"]
    assert found.value == pytest.approx(expected) and found.n == sum(all_.values())
