"""Limitations follow from the numbers: each is said when it holds, and not else."""

import pytest
from msgspec.structs import replace
from tests.experiment.report.made import (
    CHECKS,
    PLAN,
    SPECS,
    TIMES,
    analysis,
    estimate,
    task_study,
    worker,
)

from afterglow.experiment.report.limits import limitations
from afterglow.experiment.report.view import view_of
from afterglow.records.experiment import ArmTold, Interval

SOUND = analysis(
    plan=replace(
        PLAN, planned=100, separate=True, outcomes=("error-rate",), arms=("placebo", "warm"), allocation=(0.5, 0.5)
    ),
    assigned={"placebo": 120, "warm": 120}, excluded={}, analysed={"placebo": 119, "warm": 118}, strata=(), checks=(),
    estimates=(estimate(verdict="better", clusters=60, missing=0, n=119, n_control=118),),
)  # fmt: skip


def said(found):
    return " ".join(
        "".join(piece if isinstance(piece, str) else piece[0] for piece in words)
        for words in limitations(view_of(found, SPECS))
    )


def with_estimate(**changes):
    return replace(SOUND, estimates=(replace(SOUND.estimates[0], **changes),))


def with_plan(**changes):
    return replace(SOUND, plan=replace(SOUND.plan, **changes))


def test_a_sound_result_has_none():
    assert said(SOUND) == ""


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (replace(SOUND, simulated=True), "say nothing about real work"),
        (with_plan(planned=150), "The planned size is not reached: 118 of 150"),
        (
            replace(SOUND, analysed={"placebo": 12, "warm": 118}),
            "The smallest arm has 12 sessions",
        ),
        (with_estimate(clusters=6), "(6 clusters)"),
        (with_estimate(missing=40), "could not be computed for 40 of 277"),
        (
            with_estimate(missing=40, pairs=119),
            "40 of 277, or there is nothing to pair them with",
        ),
        (with_estimate(verdict="could not tell"), "That does not mean no difference"),
        (
            with_estimate(verdict="could not tell"),
            "but not once corrected for the number of outcomes",
        ),
        (
            with_estimate(sequence=Interval(-0.2, 0.1), n=20),
            "Before the planned size only the second counts",
        ),
        (
            replace(SOUND, assigned={"placebo": 120, "warm": 160}),
            "missing or left out: placebo 1 % and warm 26 %",
        ),
        (
            replace(SOUND, assigned={"placebo": 120, "warm": 160}),
            "The arms lost different shares",
        ),
        (
            replace(SOUND, checks=CHECKS[1:2]),
            "The check of missing failed: without a result",
        ),
        (
            replace(SOUND, checks=CHECKS[2:]),
            "The check of covariates could not be made",
        ),
        (with_plan(arms=("cold", "warm")), "There was no placebo arm"),
        (with_plan(separate=False), "What one arm learned could reach the others"),
        (
            with_plan(outcomes=("corrections",)),
            "corrections is a proxy: what it stands for was not measured. The primary",
        ),
        (
            replace(SOUND, strata=analysis().strata[:1]),
            "All of it comes from one stratum",
        ),
        (replace(SOUND, workers=()), "Which model worked is not recorded"),
        (replace(SOUND, workers=(worker(),)), "One model worked (large-2)"),
        (
            replace(SOUND, workers=(worker(), worker("small-1", (60, 10, 27)))),
            "not spread over the arms alike",
        ),
        (
            replace(
                with_plan(arms=("cold", "warm")),
                told_by_arm=(ArmTold(arm="cold", trials=9, told_trials=1, tokens=4.0),),
            ),
            "An arm that is to be told nothing was told something: cold, in 1 of 9",
        ),
        (replace(SOUND, times=replace(TIMES, first=None)), "Times are missing"),
        (
            replace(
                SOUND,
                tasks=tuple(replace(task, source="") for task in task_study().tasks),
            ),
            "Where the tasks come from is not recorded",
        ),
    ],
)
def test_each_is_said_when_it_holds(found, words):
    assert words in said(found)
