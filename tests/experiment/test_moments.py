"""What arms mean: when lessons are told in each, and which of them can be compared by what."""

from __future__ import annotations

import pytest

from afterglow.errors import UsageError
from afterglow.experiment.moments import (
    BY_MOMENT,
    always_leaves_a_mark,
    arms_with_lessons,
    begin_alike,
    check_standing,
    form_of,
    forms,
    is_arm,
    is_by_form,
    lesson_arms,
    telling,
    tells_templates,
)
from afterglow.records.experiment import (
    BOTH,
    COLD,
    CONTEXT,
    FAILURE,
    PLACEBO,
    START,
    TEMPLATE,
    WARM,
    Plan,
)
from afterglow.records.form import CONTEXT_FORM, TEMPLATE_FORM, Form
from afterglow.records.template import PARTS

MOMENTS = ("start", "compaction", "subagent", "call", "failure")
ARMS = (*BY_MOMENT, PLACEBO)
FORMS = (COLD, CONTEXT, TEMPLATE, BOTH, PLACEBO)
APART = (COLD, *(f"template:{part}" for part in PARTS), TEMPLATE, PLACEBO)


def test_what_plans_called_warm_is_told_when_start_is():
    for when in MOMENTS:
        assert telling(ARMS, WARM, when) == telling(ARMS, START, when)


def test_both_is_told_whenever_one_of_the_two_is():
    for when in MOMENTS:
        told = {telling(ARMS, arm, when) for arm in (START, FAILURE)}
        assert telling(ARMS, BOTH, when) == "lessons" and "lessons" in told
        assert telling(ARMS, COLD, when) == telling(ARMS, "mine", when) == "nothing"


@pytest.mark.parametrize(
    ("arms", "marked", "alike"),
    [
        ((COLD, WARM), False, False),
        ((COLD, FAILURE), False, True),
        ((COLD, FAILURE, PLACEBO), False, True),
        ((START, BOTH), True, True),
        ((START, BOTH, PLACEBO), True, False),
        ((COLD, START, FAILURE, BOTH), False, False),
        ((PLACEBO, WARM), True, False),
        (("mine", "yours"), True, True),
        ((CONTEXT, BOTH), True, False),
        ((CONTEXT, TEMPLATE), False, False),
        ((START, CONTEXT), True, True),
    ],
)
def test_which_sessions_leave_a_mark_and_begin_alike(arms, marked, alike):
    assert (always_leaves_a_mark(arms), begin_alike(arms)) == (marked, alike)


def test_a_context_is_told_as_a_start_is_and_beside_it_both_is_context_and_template():
    for when in MOMENTS:
        is_context = (
            {CONTEXT_FORM} if telling(ARMS, START, when) == "lessons" else set()
        )
        is_template = {TEMPLATE_FORM} if when in ("start", "compaction") else set()
        assert forms(FORMS, CONTEXT, when) == is_context
        assert forms(FORMS, TEMPLATE, when) == is_template
        assert forms(FORMS, BOTH, when) == is_context | is_template
        assert not forms(FORMS, COLD, when)


def test_in_a_plan_of_forms_nobody_is_told_anything_on_failure():
    assert {telling(FORMS, arm, "failure") for arm in FORMS} == {"nothing"}
    assert telling(FORMS, PLACEBO, "start") == "placebo"


def test_in_a_plan_of_moments_both_stays_what_it_was():
    assert forms((COLD, BOTH), BOTH, "start") == {CONTEXT_FORM}
    assert telling((COLD, BOTH), BOTH, "failure") == "lessons"
    assert arms_with_lessons((COLD, BOTH, PLACEBO, TEMPLATE)) == [BOTH, TEMPLATE]


@pytest.mark.parametrize("arm", [START, WARM, FAILURE])
def test_arms_by_moment_and_by_form_are_not_mixed_on_daily_work(arm):
    plan = Plan(
        name="daily", arms=(COLD, arm, TEMPLATE), allocation=(0.4, 0.3, 0.3), outcomes=("errors",), created=1.0,
        salt="s",
    )  # fmt: skip
    with pytest.raises(
        UsageError, match=f"'{arm}' is an arm by moment.* template, both"
    ):
        check_standing(plan)


@pytest.mark.parametrize(
    ("arm", "form"),
    [
        (CONTEXT, CONTEXT_FORM),
        (TEMPLATE, TEMPLATE_FORM),
        ("template:examples", Form("template", part="examples")),
        ("template:markers", Form("template", part="markers")),
        ("template:150", Form("template", tokens=150)),
        ("template:99", None),
        ("template:0150", None),
        ("template:20001", None),
        ("template:", None),
        ("template:example", None),
        ("template:examples:150", None),
        ("context:150", None),
        (BOTH, None),
        ("mine", None),
    ],
)
def test_the_name_of_an_arm_says_its_form(arm, form):
    assert form_of(arm) == form
    assert is_arm(arm) == (form is not None or arm == BOTH)


def test_each_part_of_a_template_is_told_when_a_template_is_and_nothing_else():
    assert is_by_form(APART) and tells_templates(APART)
    for part in PARTS:
        for when in MOMENTS:
            is_told = bool(forms(APART, TEMPLATE, when))
            told = {Form("template", part=part)} if is_told else set()
            assert forms(APART, f"template:{part}", when) == told
    assert lesson_arms(APART, "start") == list(APART[1:-1])
    assert arms_with_lessons(APART) == list(APART[1:-1])
    assert not lesson_arms(APART, "failure")


def test_sizes_of_a_template_begin_differently_and_leave_no_certain_mark():
    sizes = ("template:100", "template:600")
    assert not begin_alike(sizes) and not always_leaves_a_mark(sizes)
    assert tells_templates(sizes)


def test_beside_a_part_both_is_context_and_template():
    arms = (COLD, "template:examples", BOTH)
    assert forms(arms, BOTH, "start") == {CONTEXT_FORM, TEMPLATE_FORM}
    assert telling(arms, BOTH, "failure") == "nothing"


def test_a_standing_plan_may_take_a_template_apart_and_not_mix_it_with_moments():
    plan = Plan(
        name="parts", arms=APART, allocation=(1 / 7,) * 7, outcomes=("errors",), created=1.0, salt="s"
    )  # fmt: skip
    check_standing(plan)
    mixed = Plan(
        name="parts", arms=(FAILURE, "template:150"), allocation=(0.5, 0.5), outcomes=("errors",), created=1.0, salt="s"
    )  # fmt: skip
    with pytest.raises(UsageError, match=r"arms by form.*template:examples"):
        check_standing(mixed)
