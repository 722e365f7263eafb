"""A standing experiment gives each new session its arm; whatever is wrong with it, sessions start warm."""

from __future__ import annotations

import sqlite3
from collections import Counter

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.experiment.assign import arm_of
from afterglow.experiment.moments import ARMS
from afterglow.experiment.plan import plan_hash
from afterglow.flows.session import again, handed, hint, start
from afterglow.flows.session.permission import permission
from afterglow.flows.session.standing_experiment import seated
from afterglow.records.context import SHORT_ID
from afterglow.records.experiment import (
    BOTH,
    COLD,
    FAILURE,
    PLACEBO,
    START,
    WARM,
    Plan,
)
from afterglow.records.knowledge import Evidence
from afterglow.store.experiments import Experiments
from afterglow.store.ledger import Ledger
from afterglow.text.tokens import estimate
from keeping import NOW, item, keep


@pytest.fixture
def config(tmp_path):
    config = Config(
        home=tmp_path / "kept", user_home=tmp_path / "home", experiment="daily"
    )
    keep(
        config,
        *(item(n, miner=f"miner {n}", domain=f"domain {n}") for n in range(1, 6)),
    )
    return config


def plan(config: Config, *arms: str, **fields) -> Plan:
    """A plan of these arms, in equal shares unless said, that is kept."""
    shares = fields.pop("allocation", tuple(1 / len(arms) for _ in arms))
    told = {
        "name": "daily",
        "outcomes": ("errors",),
        "created": NOW,
        "salt": "pepper",
        **fields,
    }
    made = Plan(arms=arms, allocation=shares, **told)
    with Experiments(config.experiments) as kept:
        kept.add_plan(made, plan_hash(made))
    return made


def trouble(config: Config) -> str:
    """Why a session gets no arm."""
    with seated(
        config, session="s1", repo="harbor", agent="claude-code", now=NOW
    ) as seat:
        assert seat.permission.arm == ""
        return seat.permission.trouble


def begin(config: Config, tmp_path, session: str = "s1", **options):
    return start(
        config,
        agent="claude-code",
        cwd=tmp_path / "harbor",
        session=session,
        now=NOW,
        **options,
    )


def assigned(config: Config):
    with Experiments(config.experiments) as kept:
        return kept.assignments("daily")


def only(config: Config, arm: str) -> None:
    """A plan in which the session s1 gets `arm`."""
    other = WARM if arm != WARM else COLD
    for salt in map(str, range(64)):
        made = Plan(
            name="daily", arms=(arm, other), allocation=(0.5, 0.5), outcomes=("errors",), created=NOW, salt=salt,
            strata=(),
        )  # fmt: skip
        if arm_of(made, "s1", "", []) == arm:
            with Experiments(config.experiments) as kept:
                kept.add_plan(made, plan_hash(made))
            return


def test_sessions_get_their_shares_and_what_their_arm_gets(config, tmp_path):
    plan(config, WARM, COLD, PLACEBO, allocation=(0.8, 0.1, 0.1))
    starts = {f"s{n}": begin(config, tmp_path, f"s{n}") for n in range(20)}
    assert Counter(one.arm for one in starts.values()) == {
        WARM: 16,
        COLD: 2,
        PLACEBO: 2,
    }
    assert {one.unit: one.arm for one in assigned(config)} == {
        id: one.arm for id, one in starts.items()
    }
    for one in starts.values():
        assert bool(one.text) == (one.arm != COLD)
        assert ("make ship" in one.text) == (one.arm == WARM)


def test_a_cold_session_leaves_nothing_but_its_assignment(config, tmp_path):
    only(config, COLD)
    given = begin(config, tmp_path)
    assert (given.arm, given.text, given.id, given.items, given.unnoted) == (
        COLD,
        "",
        "",
        (),
        "",
    )
    assert not config.ledger.exists()
    (mine,) = assigned(config)
    assert (mine.unit, mine.delivery, mine.stratum) == ("s1", "", "")


def test_a_warm_session_is_assigned_with_its_delivery(config, tmp_path):
    only(config, WARM)
    given = begin(config, tmp_path)
    (mine,), (delivery,) = assigned(config), handed(config, "s1", NOW)
    assert given.id == mine.delivery == delivery.id


def test_a_placebo_is_as_long_as_the_warm_start_and_can_be_proved(config, tmp_path):
    only(config, PLACEBO)
    given = begin(config, tmp_path)
    warm = start(
        config, agent="claude-code", cwd=tmp_path / "harbor", now=NOW
    )  # without a name: not in it
    assert (given.arm, warm.arm) == (PLACEBO, "")
    assert abs(estimate(given.text) / estimate(warm.text) - 1) <= 0.1
    (delivery,) = handed(config, "s1", NOW)
    assert delivery.id == given.id and all(
        one.item[:SHORT_ID] in given.text for one in delivery.items
    )
    assert not any(one.remedy or one.fingerprints for one in delivery.items)


def test_a_session_keeps_its_arm(config, tmp_path):
    only(config, COLD)
    assert [begin(config, tmp_path).arm for _ in range(3)] == [COLD] * 3
    assert len(assigned(config)) == 1


def test_after_a_compaction_a_placebo_is_the_same_again(config, tmp_path):
    only(config, PLACEBO)
    given = begin(config, tmp_path)
    (delivery,) = handed(config, "s1", NOW)
    keep(config, item(9))  # what is known by then does not matter
    once_more = again(config, delivery)
    assert (once_more.text, once_more.id, once_more.items) == (
        given.text,
        given.id,
        given.items,
    )


def test_arms_without_lessons_get_no_hints_either(config, tmp_path):
    keep(
        config,
        item(1, fact='The user\'s rule: "ask before you git push".', trust="user"),
    )
    asked = {
        "agent": "claude-code",
        "cwd": tmp_path / "harbor",
        "tool": "Bash",
        "arguments": '{"command":"git push"}',
    }
    assert hint(replace(config, experiment=""), session="s1", **asked).text
    for arm in (COLD, PLACEBO):
        config.experiments.unlink(missing_ok=True)
        only(config, arm)
        begin(config, tmp_path)
        assert not hint(config, session="s1", **asked).text
        assert hint(config, session=f"not {arm}", **asked).text
    config.experiments.write_bytes(b"not a database at all, whoever wrote it")
    allowed = permission(config, session="s1", when="failure")
    assert allowed.tells == "nothing" and "experiments.db" in allowed.trouble


def test_who_names_no_session_takes_no_part(config, tmp_path):
    only(config, COLD)
    given = start(config, agent="claude-code", cwd=tmp_path / "harbor", now=NOW)
    assert given.text and given.arm == "" and assigned(config) == []


def test_without_a_plan_sessions_start_warm_and_it_is_said(config, tmp_path):
    given = begin(config, tmp_path)
    assert given.text and given.arm == ""
    assert "afterglow experiment new daily" in given.unnoted
    assert not config.experiments.exists()
    assert "no plan yet" in trouble(config)


def _locked(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    return db


def test_whatever_is_wrong_with_the_experiments_sessions_start_warm_and_it_is_said(
    config, tmp_path
):
    only(config, COLD)
    holder = _locked(config.experiments)
    given = begin(config, tmp_path)
    holder.close()
    assert given.text and given.arm == "" and "locked" in given.unnoted
    config.experiments.write_bytes(b"damaged " * 1000)
    given = begin(config, tmp_path)
    assert given.text and given.arm == "" and "experiments.db" in given.unnoted
    assert given.unnoted.startswith("[experiment] ")


@pytest.mark.parametrize(
    ("arms", "fields", "says"),
    [
        ((COLD, "lukewarm"), {}, "'lukewarm' is nothing a session can start with"),
        ((COLD, WARM), {"unit": "task"}, "a blocked plan of tasks"),
        ((COLD, WARM), {"unit": "task", "design": "paired"}, "a paired plan of tasks"),
    ],
)
def test_a_plan_that_sessions_cannot_carry_out_is_refused(config, arms, fields, says):
    plan(config, *arms, **fields)
    assert says in trouble(config)
    assert assigned(config) == []


def test_no_experiment_no_arm(config, tmp_path):
    assert begin(replace(config, experiment=""), tmp_path).arm == ""
    assert not config.experiments.exists()


def evidence(session: str) -> Evidence:
    return Evidence(
        session, "claude-code", 1, "result", 0, 4, "00", "pier", "tool", "harbor"
    )


def test_what_only_other_arms_taught_is_kept_from_a_warm_start_if_the_plan_says_so(
    config, tmp_path
):
    made = plan(config, WARM, COLD, strata=(), separate=True)
    sessions = {}
    while set(sessions) != {WARM, COLD}:
        one = begin(config, tmp_path, f"old{len(sessions)}-{len(assigned(config))}")
        sessions.setdefault(one.arm, assigned(config)[-1].unit)
    keep(
        config,
        item(1, evidence=(evidence(sessions[COLD]),)),
        item(
            2,
            evidence=(evidence(sessions[COLD]), evidence(sessions[WARM])),
            miner="miner 2",
        ),
        item(3, evidence=(evidence("before it all"),), miner="miner 3"),
    )
    given = next(
        one for n in range(9) if (one := begin(config, tmp_path, f"new{n}")).arm == WARM
    )  # fmt: skip
    assert item(1).id not in given.items
    assert {item(2).id, item(3).id, item(4).id} <= set(given.items)
    outside = begin(replace(config, experiment=""), tmp_path, "x")
    assert item(1).id in outside.items and made.separate


def test_a_ledger_that_cannot_be_written_does_not_cost_the_arm(config, tmp_path):
    only(config, WARM)
    with Ledger(config.ledger):
        pass
    config.ledger.write_bytes(b"damaged " * 1000)
    given = begin(config, tmp_path)
    assert given.arm == WARM and given.text and "ledger.db" in given.unnoted
    assert [one.arm for one in assigned(config)] == [WARM]


@pytest.mark.parametrize("session", ["s" * 100_000, "two\nlines", "s\x1b[31m"])
def test_a_session_with_an_absurd_name_was_given_an_arm(config, session):
    plan(config, COLD, WARM)
    with seated(config, session=session, repo="harbor", agent="a", now=NOW) as seat:
        allowed = seat.permission
        assert allowed.arm == "" and "a name is one line" in allowed.trouble
    assert not assigned(config)


@pytest.mark.parametrize(
    ("arm", "at_start", "on_failure"),
    [
        (COLD, "nothing", "nothing"),
        (START, "lessons", "nothing"),
        (WARM, "lessons", "nothing"),
        (FAILURE, "nothing", "lessons"),
        (BOTH, "lessons", "lessons"),
    ],
)
def test_an_arm_says_when_a_session_is_told(
    config, tmp_path, arm, at_start, on_failure
):
    only(config, arm)
    begun = begin(config, tmp_path)
    assert (begun.arm, bool(begun.text)) == (arm, at_start == "lessons")
    for when in ("start", "compaction", "subagent", "call"):
        assert permission(config, session="s1", when=when).tells == at_start
    allowed = permission(config, session="s1", when="failure")
    assert (allowed.tells, allowed.arm) == (on_failure, arm)


@pytest.mark.parametrize(
    ("others", "at_start", "on_failure"),
    [
        ((COLD, WARM), "placebo", "nothing"),
        ((COLD, FAILURE), "nothing", "placebo"),
        ((COLD, START, FAILURE), "placebo", "placebo"),
        ((COLD, BOTH), "placebo", "placebo"),
    ],
)
def test_a_placebo_is_told_at_the_moments_of_the_arms_beside_it(
    config, tmp_path, others, at_start, on_failure
):
    plan(config, *others, PLACEBO)
    number = 0
    while begin(config, tmp_path, f"s{number}").arm != PLACEBO:
        number += 1
    told = begin(config, tmp_path, f"s{number}")
    assert bool(told.text) == (at_start == "placebo") and "make ship" not in told.text
    for when, expected in (("start", at_start), ("failure", on_failure)):
        allowed = permission(config, session=f"s{number}", when=when)
        assert allowed.tells == expected


def test_a_session_without_an_arm_is_told_as_if_there_were_no_experiment(config):
    assert permission(config, session="s1", when="failure").tells == "lessons"
    plan(config, COLD, FAILURE)
    for session in ("never assigned", ""):
        assert permission(config, session=session, when="failure").tells == "lessons"


def test_on_failure_too_what_only_other_arms_taught_is_kept_away(config, tmp_path):
    plan(config, START, FAILURE, PLACEBO, strata=(), separate=True)
    sessions = {}
    for number in range(12):
        sessions[f"s{number}"] = begin(config, tmp_path, f"s{number}").arm
    by_arm = {arm: {id for id, one in sessions.items() if one == arm} for arm in ARMS}
    for session, arm in sessions.items():
        without = permission(config, session=session, when="failure").without
        expected = {} if arm == START else by_arm[START] | by_arm[PLACEBO]
        assert without == frozenset(expected)
