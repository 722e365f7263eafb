"""The closed loop on simulated agents: the experiment finds what was planted, and nothing where nothing was."""

from __future__ import annotations

import pytest

from afterglow import sessions
from afterglow.config import Config
from afterglow.flows.experiment import gathered
from afterglow.flows.session.deliveries import Ledger
from afterglow_demo.agent import HEEDING, IGNORING
from afterglow_demo.closed_loop import NAME, TRUE_OUTCOMES, Loop, Run, loop, page
from afterglow_demo.loop_text import describe

UNTIL = 1_782_777_600.0
SMALL = {"seed": 5, "sessions": 150, "weeks": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("loop")


@pytest.fixture(scope="module")
def heeded(folder) -> Loop:
    return loop(Run(folder / "heeded", UNTIL, temper=HEEDING, **SMALL))


@pytest.fixture(scope="module")
def ignored(folder) -> Loop:
    return loop(Run(folder / "ignored", UNTIL, temper=IGNORING, **SMALL))


def estimate(found: Loop, outcome: str, arm: str):
    return next(
        one
        for one in found.analysis.estimates
        if (one.outcome, one.arm) == (outcome, arm)
    )


def truth(found: Loop, outcome: str, arm: str) -> float:
    return next(
        one.difference
        for one in found.effects
        if (one.outcome, one.arm) == (outcome, arm)
    )


def differences(found: Loop) -> list[tuple[str, str, float]]:
    return [
        (one.outcome, one.arm, one.difference)
        for one in found.analysis.estimates
        if one.outcome in TRUE_OUTCOMES
    ]


def test_the_planted_effect_is_found_with_its_size(heeded):
    found, true = (
        estimate(heeded, "early-error-rate", "warm"),
        truth(heeded, "early-error-rate", "warm"),
    )
    assert true < -0.05
    assert found.verdict == "better"
    assert found.sequence.low <= true <= found.sequence.high < 0


def test_the_planted_harm_is_found_too(heeded):
    for arm in ("warm", "placebo"):
        found, true = (
            estimate(heeded, "first-success-seconds", arm),
            truth(heeded, "first-success-seconds", arm),
        )
        assert true > 15
        assert found.interval.low > 0
        assert found.sequence.low <= true <= found.sequence.high


def test_a_placebo_does_not_help(heeded):
    assert truth(heeded, "early-error-rate", "placebo") == 0
    assert estimate(heeded, "early-error-rate", "placebo").verdict != "better"


def test_nothing_is_found_where_nothing_was_planted(ignored):
    assert {one.difference for one in ignored.effects} == {0}
    assert {one.verdict for one in ignored.analysis.estimates} <= {
        "could not tell",
        "no difference that matters",
    }


def test_what_is_measured_of_a_session_is_what_came_of_it(heeded, folder):
    config = Config(home=folder / "heeded/afterglow", user_home=folder / "heeded/home")
    trials = {trial.unit: trial for trial in gathered(config, NAME, now=UNTIL).trials}
    assert len(trials) == len(heeded.sessions) == 100
    for one in heeded.sessions:
        trial = trials[one.session]
        assert trial.arm == one.arm
        for outcome in ("early-error-rate", "errors", "calls"):
            assert trial.outcomes[outcome] == pytest.approx(
                TRUE_OUTCOMES[outcome](one.would[one.arm])
            )


def test_contexts_arrive_where_they_were_given_and_nowhere_else(heeded, folder):
    home = folder / "heeded/home"
    files = [*home.rglob("*.jsonl"), home / ".hermes/state.db"]
    found = {session.id: session for file in files for session in sessions.load(file)}
    given = {one.session for one in heeded.sessions if one.arm != "cold"}
    with_context = {
        id
        for id, one in found.items()
        if any(turn.kind == "injected" for turn in one.turns)
    }
    assert with_context == given
    assert heeded.proved == len(given)
    with Ledger(folder / "heeded/afterglow/ledger.db") as ledger:
        assert {one.session for one in ledger.deliveries()} == given


def test_the_agents_learn_from_what_was_harvested_the_days_before(heeded):
    warm = [one.would["warm"] for one in heeded.sessions]
    assert heeded.items > 20
    assert sum(one.warned for one in warm) > 0.7 * sum(one.met for one in warm)


def test_everything_says_that_it_is_simulated(heeded, ignored):
    for one in (heeded, ignored):
        assert one.analysis.simulated
        assert one.analysis.plan.simulated
        assert "simulated" in page(one).lower()
    assert describe(heeded, ignored).startswith("SIMULATED")


def test_the_same_seed_says_the_same_again(tmp_path):
    one, two = (
        loop(Run(tmp_path / name, UNTIL, seed=2, sessions=40, weeks=2)) for name in "ab"
    )
    assert one.effects == two.effects
    assert differences(one) == differences(two)
