"""A plan that cannot be carried out is refused with what would work; one that can has a hash that stays."""

from __future__ import annotations

from hashlib import sha256

import pytest
from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES
from afterglow.experiment.plan import (
    changed,
    described,
    make_plan,
    plan_hash,
    plan_text,
)
from afterglow.records.experiment import Plan


def plan(name: str = "study", **choices) -> Plan:
    told = {
        "arms": ("cold", "warm", "placebo"),
        "outcomes": ("success", "errors"),
        "created": 1.0,
        "salt": "pepper",
    }
    return make_plan(name, **{**told, **choices})


def test_shares_are_equal_unless_said_and_add_up_to_one():
    assert plan().allocation == (1 / 3, 1 / 3, 1 / 3)
    assert plan(allocation=(10, 80, 10)).allocation == (0.1, 0.8, 0.1)


def test_the_first_arm_is_the_control_and_the_first_outcome_the_primary_one():
    assert (plan().control, plan().primary) == ("cold", "success")


def test_a_paired_plan_is_blocked_by_task():
    paired = plan(design="paired", unit="task")
    assert paired.strata == ("task",)
    assert paired.every_arm
    assert not plan(design="paired").every_arm
    assert plan().strata == ("repo", "agent")


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"name": "my study"}, "letters, digits"),
        ({"name": ""}, "cannot name an experiment"),
        ({"name": "../up"}, "cannot name an experiment"),
        ({"arms": ("warm",)}, "2 to 8 arms"),
        (
            {"arms": ("cold", "both"), "outcomes": ("calls-until-solved",)},
            "compares arms that begin alike, like cold,failure",
        ),
        ({"arms": ("cold", "warm", "warm")}, "'warm' is named twice"),
        ({"arms": ("cold", "a b")}, "cannot name an arm"),
        ({"arms": ("cold", "context:150")}, "cannot name an arm"),
        (
            {"arms": ("cold", "template:calls", "placebo")},
            "'template:calls' is no part of a template; template:context, template:examples,",
        ),
        (
            {"arms": ("cold", "template:50", "placebo")},
            "from 100 to 20000: template:150",
        ),
        (
            {"arms": ("cold", "start", "template:150")},
            "'start' is an arm by moment, and the plan has arms by form",
        ),
        ({"unit": "day"}, "session or task"),
        ({"design": "crossed"}, "blocked or paired"),
        ({"outcomes": ()}, "at least one outcome"),
        ({"outcomes": ("happiness",)}, "no outcome 'happiness'; there are .*success"),
        ({"outcomes": ("success", "success")}, "named twice"),
        ({"exclusions": ("mondays",)}, "no exclusion 'mondays'; there are .*machinery"),
        ({"strata": ("colour",)}, "no stratum 'colour'; there are repo, agent, task"),
        ({"design": "paired", "strata": ("repo",)}, "blocked by task"),
        ({"allocation": (50, 50)}, "3 arms and 2 shares"),
        ({"allocation": (80, 20, 0)}, "above 0"),
        ({"allocation": (80, 20, float("nan"))}, "above 0"),
        ({"allocation": (80.01, 10, 9.99)}, "rounder ones"),
        ({"design": "paired", "allocation": (80, 10, 10)}, "leave them out"),
        ({"min_effect": -1}, "0 or above"),
        ({"min_effect": float("inf")}, "0 or above"),
        ({"min_effect": 5}, "five points as 0.05"),
        ({"alpha": 0}, "alpha lies between"),
        ({"power": 1}, "power between"),
        ({"planned": -3}, "2 or more"),
        ({"planned": 1}, "2 or more"),
        ({"hypothesis": "x" * 2001}, "at most 2000"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(choices, words):
    with pytest.raises(UsageError, match=words):
        plan(**choices)


def test_an_effect_above_one_is_fine_where_it_is_no_share():
    assert plan(outcomes=("errors",), min_effect=2.5).min_effect == 2.5


def test_the_hash_is_that_of_the_text():
    assert plan_hash(plan()) == sha256(plan_text(plan())).hexdigest()
    assert plan_hash(plan()) != plan_hash(replace(plan(), salt="salt"))


def test_hashes_of_older_plans_stay_when_a_field_is_added():
    """Written down once. If this fails, leave the new field out of `plan_text` while it has its default."""
    assert (
        plan_hash(plan())
        == "75c811a7cd75a484f0870a96c3b87ef436874448e01e446db469737e43f8b2a7"
    )


def test_what_two_plans_say_differently_is_named_whenever_they_were_written():
    later = plan(created=2.0, salt="salt", version=2)
    assert changed(plan(), later) == []
    assert changed(plan(), replace(later, alpha=0.01, planned=9)) == [
        "alpha",
        "planned",
    ]


def test_a_plan_can_be_read_by_a_person():
    rows = described(
        plan(min_effect=0.1, exclusions=("machinery",), notes="with care"),
        OUTCOMES,
        EXCLUSIONS,
    )
    text = "\n".join(f"{label}: {words}" for label, words in rows)
    for words in (
        "cold 33.3 %",
        "cold is the control",
        "primary: success: ",
        "higher is better",
        "also: errors: ",
        "a difference of 0.1",
        "left out: machinery: run by a schedule",
        "notes: with care",
        "shared by all arms",
    ):
        assert words in text


def test_a_plan_of_a_version_with_other_outcomes_can_still_be_read():
    rows = dict(
        described(
            replace(plan(), outcomes=("joy",), exclusions=("rain",)),
            OUTCOMES,
            EXCLUSIONS,
        )
    )
    assert "not known to this version" in rows["primary"]
    assert "does not know" in rows["left out"]
