"""A standing experiment as agents meet it: the hook gives what the arm gets, and trouble with it stays in the log."""

from __future__ import annotations

import time

import pytest

from afterglow.config import Config, load
from afterglow.errors import ConfigError
from afterglow.experiment.plan import plan_hash
from afterglow.flows.harvest import log_of
from afterglow.flows.session import handed
from afterglow.records.experiment import (
    BOTH,
    COLD,
    FAILURE,
    PLACEBO,
    START,
    WARM,
    Plan,
)
from afterglow.store.experiments import Experiments
from afterglow.text.fingerprint import fingerprint
from hooks.calling import context_of, event, hook
from keeping import DAY, NOW, home_with_rules, item, keep


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    (home / "config.toml").write_text('[experiment]\nname = "daily"\n')
    config = Config(home=home, user_home=tmp_path / "home")
    keep(config, item(1), item(2))
    return config


def planned(config: Config, *arms: str) -> None:
    arms = arms or (COLD, WARM, PLACEBO)
    plan = Plan(
        name="daily", arms=arms, allocation=tuple(1 / len(arms) for _ in arms), outcomes=("errors",), created=NOW,
        salt="pepper",
    )  # fmt: skip
    with Experiments(config.experiments) as kept:
        kept.add_plan(plan, plan_hash(plan))


def began(config: Config, session: str, source: str = "startup") -> str:
    return context_of(
        hook(
            config,
            event("SessionStart", session_id=session, source=source),
            "SessionStart",
        )
    )


def test_each_session_gets_what_its_arm_gets_and_the_same_after_a_compaction(config):
    planned(config)
    contexts = {f"s{n}": began(config, f"s{n}") for n in range(6)}  # a block
    with Experiments(config.experiments) as kept:
        arms = {one.unit: (one.arm, one.delivery) for one in kept.assignments("daily")}
    assert {arm for arm, _ in arms.values()} == {COLD, WARM, PLACEBO}
    for session, text in contexts.items():
        arm, delivery = arms[session]
        assert (bool(text), "make ship" in text) == (arm != COLD, arm == WARM)
        assert [one.id for one in handed(config, session)] == [delivery] * (arm != COLD)
    for arm in (COLD, WARM, PLACEBO):
        session = next(session for session, one in arms.items() if one[0] == arm)
        assert began(config, session, "compact") == contexts[session]
    with Experiments(config.experiments) as kept:
        assert len(kept.assignments("daily")) == 6
    assert log_of(config).recent() == []


def test_each_session_is_told_at_the_moments_of_its_arm(config):
    arms = (COLD, START, FAILURE, BOTH, PLACEBO)
    planned(config, *arms)
    lesson = item(
        3, situation="`lampctl ignite` fails with 'the oil is low'", remedy="`lampctl fill` first, then the same again",
        fingerprints=(fingerprint("lampctl: error: the oil is low"),), first_seen=time.time() - 9 * DAY,
        last_confirmed=time.time() - DAY,
    )  # fmt: skip
    keep(config, lesson)
    told = {}
    for number in range(len(arms)):  # a block
        session = f"s{number}"
        started = began(config, session)
        failed = event("PostToolUseFailure", session_id=session)
        line = context_of(hook(config, failed, "PostToolUseFailure"))
        told[session] = started, line
    with Experiments(config.experiments) as kept:
        for one in kept.assignments("daily"):
            started, line = told[one.unit]
            assert bool(started) == (one.arm in (START, BOTH, PLACEBO))
            assert bool(line) == (one.arm in (FAILURE, BOTH, PLACEBO))
            assert ("make ship" in started) == (one.arm in (START, BOTH))
            assert ("lampctl fill" in line) == (one.arm in (FAILURE, BOTH))
            moments = [delivery.when for delivery in handed(config, one.unit)]
            assert moments == ["start"] * bool(started) + ["failure"] * bool(line)
        assert {one.arm for one in kept.assignments("daily")} == set(arms)


def test_an_experiment_that_is_not_there_is_noted_and_the_session_starts_warm(config):
    assert "make ship" in began(config, "s1")
    (line,) = log_of(config).recent()
    assert (
        "[experiment]" in line.detail
        and "afterglow experiment new daily" in line.detail
    )


def test_the_config_file_names_the_standing_experiment(tmp_path, monkeypatch):
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    assert load().experiment == ""
    (tmp_path / "config.toml").write_text('[experiment]\nname = " daily "\n')
    assert load().experiment == "daily"
    (tmp_path / "config.toml").write_text("[experiment]\nname = 3\n")
    with pytest.raises(
        ConfigError, match=r"\[experiment\] name: .* name must be that of a plan"
    ):
        load()


def test_a_codex_session_takes_part_too(config):
    planned(config)
    hook(config, event("SessionStart", "codex"), "SessionStart", "--agent", "codex")
    with Experiments(config.experiments) as kept:
        (mine,) = kept.assignments("daily")
    assert mine.unit == event("SessionStart", "codex")[
        "session_id"
    ] and mine.stratum.endswith("codex")
