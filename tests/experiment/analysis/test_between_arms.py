"""Arms by moment are compared with each other too: a difference between moments is found, and none where there is none."""

from __future__ import annotations

import pytest

from afterglow.experiment.analysis import analyse
from afterglow.experiment.outcomes import OUTCOMES
from afterglow.experiment.report import as_html, as_markdown, as_paper
from afterglow.records.experiment import (
    BOTH,
    COLD,
    CONTEXT,
    FAILURE,
    PLACEBO,
    START,
    TEMPLATE,
    Plan,
)
from afterglow_demo.simulated_trials import World, simulate

ARMS = (COLD, START, FAILURE, BOTH, PLACEBO)


def analysed(effects: dict[str, float], arms=ARMS, units: int = 600, seed: int = 1):
    plan = Plan(
        name="moments", arms=arms, allocation=tuple(1 / len(arms) for _ in arms), outcomes=("calls-lost",), created=0.0,
        salt="s", simulated=True,
    )  # fmt: skip
    world = World(scale="count", mean=6.0, effects=effects, spread=3.0)
    assignments, trials = simulate(world, plan, units, seed=seed)
    return analyse(plan, trials, assignments, now=1e9, simulated=True)


def pairs(analysis) -> dict[tuple[str, str], str]:
    return {(one.control, one.arm): one.verdict for one in analysis.between}


def test_a_planted_difference_between_moments_is_found():
    found = analysed({START: -1.0, FAILURE: -4.0, BOTH: -4.0})
    assert pairs(found) == {
        (START, FAILURE): "better",
        (START, BOTH): "better",
        (FAILURE, BOTH): "could not tell",
    }
    (first, *_) = found.between
    assert first.difference == pytest.approx(first.mean - first.mean_control)
    assert first.holm is not None and first.p <= first.holm < 0.05


@pytest.mark.parametrize("seed", range(8))
def test_none_is_found_where_moments_do_the_same(seed):
    effects = dict.fromkeys((START, FAILURE, BOTH), -2.0)
    assert set(pairs(analysed(effects, seed=seed)).values()) == {"could not tell"}


def test_several_arms_by_moment_are_corrected_for_being_several():
    three = analysed({START: -1.0, FAILURE: -4.0, BOTH: -4.0})
    by_arm = {one.arm: one for one in three.estimates}
    for arm in (START, FAILURE, BOTH):
        assert by_arm[arm].holm is not None and by_arm[arm].holm >= by_arm[arm].p
    weakest = max((START, FAILURE, BOTH), key=lambda arm: by_arm[arm].p)
    strongest = min((START, FAILURE, BOTH), key=lambda arm: by_arm[arm].p)
    assert by_arm[weakest].holm == by_arm[weakest].p
    assert by_arm[strongest].holm == pytest.approx(3 * by_arm[strongest].p)
    assert by_arm[PLACEBO].holm is None
    one = analysed({"warm": -1.0}, (COLD, "warm", PLACEBO))
    assert [each.holm for each in one.estimates] == [None, None]


def test_plans_without_two_such_arms_have_no_pairs():
    assert analysed({}, (COLD, "warm", PLACEBO)).between == ()
    assert analysed({}, (COLD, START)).between == ()
    assert analysed({}, (START, FAILURE)).between == ()
    assert analysed({}, (COLD, "mine", "yours")).between == ()


def test_reports_have_a_section_of_their_own_for_it():
    found = analysed({START: -1.0, FAILURE: -4.0, BOTH: -4.0})
    text = as_markdown(found, OUTCOMES)
    assert "## The moments against each other" in text
    assert "failure against start: better" in text
    assert "with one another only those that are told lessons" in text
    paper = as_paper(found, OUTCOMES, html=True)
    assert "between[0].difference" in paper
    assert "Against each other: failure against start, better; " in paper
    assert "are corrected for being several, the other outcomes" in paper
    assert "The moments against each other" in as_html(found, OUTCOMES)
    without = as_markdown(analysed({}, (COLD, START, PLACEBO)), OUTCOMES)
    assert "moments against each other" not in without


def test_arms_by_form_are_compared_with_each_other_too():
    found = analysed({CONTEXT: -4.0, BOTH: -4.0}, (COLD, CONTEXT, TEMPLATE, BOTH))
    assert pairs(found)[CONTEXT, TEMPLATE] == "worse"
    assert pairs(found).keys() == {
        (CONTEXT, TEMPLATE),
        (CONTEXT, BOTH),
        (TEMPLATE, BOTH),
    }
    assert "## The forms against each other" in as_markdown(found, OUTCOMES)
