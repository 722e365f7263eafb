"""Trials are read from catalogue and ledger: every assigned session in its arm, found alike in all of them."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.experiment.outcomes import USUAL
from afterglow.experiment.plan import plan_hash
from afterglow.flows.experiment import BEFORE
from afterglow.flows.experiment.trials import check_outcomes, gather
from afterglow.flows.read import scan
from afterglow.flows.session import report_outcome, settle_deliveries, start
from afterglow.records.delivery import Delivery, Given, Verdict
from afterglow.records.experiment import COLD, PLACEBO, WARM, Assignment, Plan
from afterglow.store.experiments import Experiments
from afterglow.store.ledger import Ledger
from keeping import item, keep
from writing import Transcript, ordinary

OCTOBER = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
MINUTE, DAY = 60.0, 86400.0
NOVEMBER = OCTOBER + 31 * DAY


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def plan(*arms: str, **fields) -> Plan:
    arms = arms or (COLD, WARM)
    told = {
        "name": "daily",
        "outcomes": ("early-error-rate", "errors"),
        "created": OCTOBER,
        "salt": "pepper",
    }
    return Plan(
        arms=arms,
        allocation=(1 / len(arms),) * len(arms),
        **{**told, "exclusions": USUAL, **fields},
    )


def given(unit: str, arm: str = WARM, **fields) -> Assignment:
    told = {"time": OCTOBER, "stratum": "harbor · claude-code", **fields}
    return Assignment(experiment="daily", unit=unit, arm=arm, **told)


def saved(config, tmp_path, *sessions: Transcript) -> None:
    for session in sessions:
        session.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])


def test_sessions_are_found_by_their_own_id_in_every_arm(config, tmp_path):
    one, two = (
        ordinary(1),
        Transcript(2).user("ship it").run("make ship").reply("Shipped."),
    )
    saved(config, tmp_path, one, two)
    cold, warm = gather(
        config, plan(), [given(one.id, COLD), given(two.id, WARM)], now=NOVEMBER
    )
    assert (cold.arm, cold.unit, cold.session, cold.outcomes) == (
        COLD, one.id, one.id, {"early-error-rate": 1 / 3, "errors": 1.0},
    )  # fmt: skip
    assert (warm.arm, warm.outcomes, warm.cluster) == (
        WARM,
        {"early-error-rate": 0.0, "errors": 0.0},
        "harbor",
    )
    assert (
        warm.stratum == "harbor · claude-code" and warm.excluded == cold.excluded == ""
    )


def test_a_warm_session_whose_context_never_arrived_stays_warm(config, tmp_path):
    saved(config, tmp_path, ordinary(1))
    (trial,) = gather(
        config,
        plan(),
        [given(ordinary(1).id, WARM, delivery="ag-00000000c1")],
        now=NOVEMBER,
    )
    assert (trial.arm, trial.excluded, trial.outcomes["errors"]) == (WARM, "", 1.0)


def test_a_session_without_a_transcript_is_missing_in_its_arm(config, tmp_path):
    saved(config, tmp_path, ordinary(1))
    trials = gather(
        config, plan(), [given("lost", COLD), given(ordinary(1).id)], now=NOVEMBER
    )
    assert [
        (one.arm, one.session, set(one.outcomes.values()))
        for one in trials
        if not one.session
    ] == [(COLD, "", {None})]


def test_a_session_that_is_gone_since_is_still_known(config, tmp_path):
    path = ordinary(1).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    path.unlink()
    scan(config, [tmp_path / "s"])
    (trial,) = gather(config, plan(), [given(ordinary(1).id)], now=NOVEMBER)
    assert trial.outcomes["errors"] == 1.0


def test_nothing_was_ever_scanned(config):
    assert gather(config, plan(), [], now=NOVEMBER) == []
    (trial,) = gather(config, plan(), [given("s1")], now=NOVEMBER)
    assert trial.session == "" and not config.catalog.exists()


def test_rules_leave_out_both_arms_alike_and_a_session_that_may_go_on_always(
    config, tmp_path
):
    early, late = ordinary(1), ordinary(2)
    saved(config, tmp_path, early, late)
    both = [given(early.id, COLD), given(late.id, WARM)]
    soon = OCTOBER + 12 * MINUTE
    assert [
        one.excluded for one in gather(config, plan(exclusions=()), both, now=soon)
    ] == ["active"] * 2
    much_later = [replace(one, time=OCTOBER + DAY) for one in both]
    assert [
        one.excluded for one in gather(config, plan(), much_later, now=NOVEMBER)
    ] == ["resumed"] * 2


def proved(config, delivery: str, session: str) -> None:
    with Ledger(config.ledger) as ledger:
        ledger.add(Delivery(id=delivery, time=OCTOBER, items=(Given("k0000001", 0.8),)))
        ledger.judge(delivery, session, [Verdict("k0000001")], started=OCTOBER, turn=0)


def test_a_delivery_leads_to_its_session_only_where_every_arm_leaves_one(
    config, tmp_path
):
    saved(config, tmp_path, ordinary(1))
    proved(config, "ag-00000000c1", ordinary(1).id)
    mine = given("a name the agent does not use in its files", delivery="ag-00000000c1")
    assert [
        one.session for one in gather(config, plan(PLACEBO, WARM), [mine], now=NOVEMBER)
    ] == [ordinary(1).id]
    assert [
        one.session for one in gather(config, plan(COLD, WARM), [mine], now=NOVEMBER)
    ] == [""]


def test_a_task_is_found_by_the_context_it_was_run_with(config, tmp_path):
    saved(config, tmp_path, ordinary(1))
    proved(config, "ag-00000000c1", ordinary(1).id)
    paired = plan(COLD, WARM, unit="task", design="paired")
    (trial,) = gather(
        config,
        paired,
        [given("task-7", stratum="task-7", delivery="ag-00000000c1")],
        now=NOVEMBER,
    )
    assert (trial.unit, trial.pair, trial.session) == (
        "task-7",
        "task-7",
        ordinary(1).id,
    )


def test_a_rating_is_that_of_the_session_the_context_was_given_to(config, tmp_path):
    saved(config, tmp_path, ordinary(1), ordinary(2))
    proved(config, "ag-00000000c1", ordinary(1).id)
    report_outcome(
        config, delivery="ag-00000000c1", outcome="success", rating=4, now=NOVEMBER
    )
    rated = plan(outcomes=("errors", "rating"))
    trials = gather(
        config,
        rated,
        [given(ordinary(1).id), given(ordinary(2).id, COLD)],
        now=NOVEMBER,
    )
    assert [one.outcomes["rating"] for one in trials] == [4.0, None]


def test_what_was_known_before_is_how_earlier_sessions_of_the_place_went(
    config, tmp_path
):
    old = [ordinary(n, start=60 * n) for n in range(2, 5)]
    saved(config, tmp_path, *old, ordinary(9, start=1440))
    first, later = given(old[0].id), given(ordinary(9).id)
    later = replace(later, time=OCTOBER + 1440 * MINUTE)
    trials = gather(config, plan(), [first, later], now=NOVEMBER)
    assert [one.before for one in trials] == [{}, {BEFORE: 3 / 9}]


def test_an_outcome_that_sessions_here_do_not_tell_is_refused_before_anybody_waits_for_it(
    config, tmp_path
):
    check_outcomes(config, ["cost"])  # nothing is known of what there will be
    saved(config, tmp_path, ordinary(1))
    check_outcomes(config, ["early-error-rate", "rating"])
    with pytest.raises(
        UsageError,
        match="cost cannot be computed from these 1 session; those that can: early-error",
    ):
        check_outcomes(config, ["errors", "cost"])


def test_from_start_to_trial(config, tmp_path):
    """The whole way: assigned at the start, run, scanned, settled, gathered."""
    config = replace(config, experiment="daily")
    keep(config, item(1))
    made = plan(COLD, WARM, PLACEBO, created=time.time())
    with Experiments(config.experiments) as kept:
        kept.add_plan(made, plan_hash(made))
    arms = {}
    for number in range(1, 7):
        session = Transcript(number)
        begun = start(
            config, agent="claude-code", cwd=tmp_path / "harbor", session=session.id
        )
        arms[session.id] = begun.arm
        if begun.text:
            session.user(begun.text)
        session.user("ship it").run(
            "make ship", "Exit code 1\nno pier", error=begun.arm != WARM
        ).reply("Done.")
        stamp = datetime.fromtimestamp(time.time(), UTC).strftime(
            "%Y-%m-%dT%H:%M:%S.%fZ"
        )
        session.lines = [
            json.dumps({**json.loads(line), "timestamp": stamp})
            for line in session.lines
        ]
        session.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert settle_deliveries(config, ended=list(arms)).proved == sum(
        arm != COLD for arm in arms.values()
    )
    with Experiments(config.experiments) as kept:
        trials = gather(config, made, kept.assignments("daily"), now=time.time() + DAY)
    assert {one.session: one.arm for one in trials} == arms and set(arms.values()) == {
        COLD,
        WARM,
        PLACEBO,
    }
    assert all((one.outcomes["errors"] == 0) == (one.arm == WARM) for one in trials)
    assert {one.excluded for one in trials} == {""}
