"""Assignment keeps shares within every stratum, gives the same answer every time, and cannot be guessed."""

from __future__ import annotations

from collections import Counter

import pytest

from afterglow.experiment.assign import MAX_BLOCK_UNITS, arm_of, block_of, stratum_of
from afterglow.records.experiment import Assignment, Plan


def plan(**fields) -> Plan:
    told = {
        "name": "study",
        "arms": ("cold", "warm", "placebo"),
        "allocation": (1 / 3, 1 / 3, 1 / 3),
        "outcomes": ("success",),
        "created": 1.0,
        "salt": "pepper",
    }
    return Plan(**{**told, **fields})


def draw(
    plan: Plan, count: int, stratum: str = "harbor · codex", prefix: str = "s"
) -> list[Assignment]:
    before: list[Assignment] = []
    for number in range(count):
        unit = f"{prefix}{number}"
        arm = arm_of(plan, unit, stratum, before)
        before.append(
            Assignment(
                experiment=plan.name, unit=unit, arm=arm, time=1.0, stratum=stratum
            )
        )
    return before


def arms(assignments: list[Assignment]) -> list[str]:
    return [one.arm for one in assignments]


@pytest.mark.parametrize(
    ("shares", "block"),
    [
        ((0.8, 0.1, 0.1), (8, 1, 1)),
        ((1, 1), (1, 1)),
        ((1 / 3, 2 / 3), (1, 2)),
        ((70, 20, 10), (7, 2, 1)),
        ((33, 33, 34), (33, 33, 34)),
    ],
)
def test_the_smallest_block_has_the_shares_exactly(shares, block):
    assert block_of(shares) == block


def test_shares_that_need_a_huge_block_have_none():
    assert block_of((0.999, 0.001)) is None
    assert block_of((3.14159, 2.71828)) is None


@pytest.mark.parametrize(
    ("shares", "size"),
    [((0.8, 0.1, 0.1), 10), ((1 / 3,) * 3, 6), ((0.5, 0.5), 4), ((0.95, 0.05), 20)],
)
def test_every_block_of_a_stratum_has_the_shares(shares, size):
    study = plan(arms=("cold", "warm", "placebo")[: len(shares)], allocation=shares)
    drawn = arms(draw(study, 10 * size))
    wanted = Counter(
        {
            arm: round(share * size)
            for arm, share in zip(study.arms, shares, strict=True)
        }
    )
    assert [Counter(drawn[at : at + size]) for at in range(0, len(drawn), size)] == [
        wanted
    ] * 10


def test_the_same_plan_and_history_give_the_same_arm():
    assert arms(draw(plan(), 60)) == arms(draw(plan(), 60))


def test_another_salt_or_stratum_gives_another_order():
    orders = {
        tuple(arms(draw(plan(), 30))),
        tuple(arms(draw(plan(salt="salt"), 30))),
        tuple(arms(draw(plan(), 30, stratum="quay · codex"))),
    }
    assert len(orders) == 3


def test_other_strata_do_not_disturb_a_stratum():
    study = plan()
    mine = draw(study, 12)
    others = draw(study, 7, stratum="quay · hermes", prefix="q")
    assert arm_of(study, "new", mine[0].stratum, [*mine, *others]) == arm_of(
        study, "new", mine[0].stratum, mine
    )


def test_each_place_in_a_block_is_as_likely_to_hold_each_arm():
    first = Counter(
        arm_of(plan(salt=f"salt {number}"), "s", "", []) for number in range(3000)
    )
    last = Counter(
        arms(draw(plan(salt=f"salt {number}"), 6))[-1] for number in range(1500)
    )
    assert all(900 < count < 1100 for count in first.values())
    assert all(425 < count < 575 for count in last.values())


def test_the_order_does_not_depend_on_how_python_hashes():
    """Written down once: another version or machine must assign the same."""
    assert arms(draw(plan(), 6)) == [
        "cold",
        "placebo",
        "warm",
        "placebo",
        "warm",
        "cold",
    ]


def test_a_paired_task_gets_every_arm_once_in_an_order_of_its_own():
    study = plan(design="paired", unit="task", strata=("task",))
    orders = {
        tuple(arms(draw(study, 3, stratum=f"task {number}"))) for number in range(60)
    }
    assert all(sorted(order) == ["cold", "placebo", "warm"] for order in orders)
    assert len(orders) == 6


def test_a_stratum_is_named_by_what_the_plan_is_blocked_by():
    assert (
        stratum_of(plan(), repo="acme/harbor", agent="codex") == "acme/harbor · codex"
    )
    assert stratum_of(plan(), repo="harbor") == "harbor · –"
    assert stratum_of(plan(strata=("agent",)), repo="harbor", agent="codex") == "codex"
    assert stratum_of(plan(strata=()), repo="harbor") == ""
    assert stratum_of(plan()) == ""
    assert (
        stratum_of(plan(design="paired", strata=("task",)), repo="harbor", task="t1")
        == "t1"
    )


def test_a_name_that_is_no_text_can_be_assigned():
    assert arm_of(plan(), "s", "har\udcffbor", []) in plan().arms


def test_no_block_is_larger_than_the_largest():
    assert sum(block_of((0.98, 0.01, 0.01))) == MAX_BLOCK_UNITS
