"""What the arms of an experiment mean: at which moments of a session lessons are told, and in which form.

Arms by moment: `start` is told before anything went wrong, `failure` only after, `both` at every moment there is. `warm`
is the older word for `start`: plans are never changed, so what one of them calls warm stays what it was.

Arms by form: `context` is what `start` is, `template` begins with a template, and in a plan that has one of them `both`
is the two together. There nothing is told on failure: what is compared is how a session begins.

A template can be taken apart: `template:examples` is told that part of it alone, `template:150` all of it in at most so
many tokens. `form_of` is the one place that reads such a name.

A placebo has no moments of its own: it is told something at those of the arms it is compared with, as much as the
longest of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from afterglow.errors import UsageError
from afterglow.records.delivery import When
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

Telling = Literal["lessons", "placebo", "nothing"]
Told = Mapping[Form, frozenset[When]]  # in which forms, and when in each

# Of a template: its first line alone takes about 65, and no hook hands over more than the most.
MIN_TEMPLATE_TOKENS, MAX_TEMPLATE_TOKENS = 100, 20_000

BEFORE_A_FAILURE: frozenset[When] = frozenset(
    {"start", "compaction", "subagent", "call"}
)
AFTER_A_FAILURE: frozenset[When] = frozenset({"failure"})
# A sub-agent has a small task of its own: a template is about whole sessions.
AS_IT_BEGINS: frozenset[When] = frozenset({"start", "compaction"})
# What is told in an arm; a placebo follows the others.
BY_MOMENT: dict[str, Told] = {
    COLD: {},
    START: {CONTEXT_FORM: BEFORE_A_FAILURE},
    WARM: {CONTEXT_FORM: BEFORE_A_FAILURE},
    FAILURE: {CONTEXT_FORM: AFTER_A_FAILURE},
    BOTH: {CONTEXT_FORM: BEFORE_A_FAILURE | AFTER_A_FAILURE},
}
# The same in a plan that has an arm `context`, `template`, or of a template taken apart.
BY_FORM: dict[str, Told] = {
    **BY_MOMENT,
    CONTEXT: {CONTEXT_FORM: BEFORE_A_FAILURE},
    TEMPLATE: {TEMPLATE_FORM: AS_IT_BEGINS},
    BOTH: {CONTEXT_FORM: BEFORE_A_FAILURE, TEMPLATE_FORM: AS_IT_BEGINS},
}
PART_ARMS = tuple(f"{TEMPLATE}:{part}" for part in PARTS)
_TAKEN_APART = (*PART_ARMS, f"{TEMPLATE}:TOKENS")
# What a session can be given by itself, for people to read.
ARMS = (*BY_FORM, PLACEBO, *_TAKEN_APART)
_FORM_ARMS = (COLD, CONTEXT, TEMPLATE, BOTH, PLACEBO, *_TAKEN_APART)
_ONLY_BY_MOMENT = (START, WARM, FAILURE)
_TOKENS = re.compile(r"[1-9][0-9]{0,5}")


def form_of(arm: str) -> Form | None:
    """The one form in which an arm by form is told; none of arms by moment, of `both`, and of names of one's own."""
    if arm == CONTEXT:
        return CONTEXT_FORM
    name, _, cut = arm.partition(":")
    if name != TEMPLATE:
        return None
    if arm == TEMPLATE:
        return TEMPLATE_FORM
    for part in PARTS:
        if cut == part:
            return Form("template", part=part)
    tokens = int(cut) if _TOKENS.fullmatch(cut) else 0
    if MIN_TEMPLATE_TOKENS <= tokens <= MAX_TEMPLATE_TOKENS:
        return Form("template", tokens=tokens)
    return None


def check_taken_apart(arm: str) -> None:
    """Raises `UsageError` where a name begins as that of a template taken apart, and is none."""
    if arm.startswith(f"{TEMPLATE}:") and form_of(arm) is None:
        raise UsageError(
            f"{arm!r} is no part of a template; {', '.join(PART_ARMS)} would work, or at most so many tokens of it, "
            f"from {MIN_TEMPLATE_TOKENS} to {MAX_TEMPLATE_TOKENS}: {TEMPLATE}:150"
        )


def is_arm(name: str) -> bool:
    """Whether sessions can be given it by themselves."""
    return name in BY_FORM or name == PLACEBO or form_of(name) is not None


def is_by_form(arms: Sequence[str]) -> bool:
    """Whether the arms of a plan differ in the form of what is told, not in the moment."""
    return any(form_of(arm) for arm in arms)


def _told(arms: Sequence[str], arm: str) -> Told:
    """What a session of an arm is told, in a plan of these arms."""
    by_name = BY_FORM if is_by_form(arms) else BY_MOMENT
    form = form_of(arm)
    if form is None or arm in by_name:
        return by_name.get(arm, {})
    return {form: AS_IT_BEGINS}


def forms(arms: Sequence[str], arm: str, when: When) -> frozenset[Form]:
    """In which forms a session of an arm is told lessons at a moment, in a plan of these arms; none: not at all."""
    by_form = _told(arms, arm)
    return frozenset(form for form, moments in by_form.items() if when in moments)


def tells_templates(arms: Sequence[str]) -> bool:
    """Whether sessions of some arm begin with a template, or a part of one."""
    told_at_start = [form for arm in arms for form in forms(arms, arm, "start")]
    return any(form.kind == "template" for form in told_at_start)


def telling(arms: Sequence[str], arm: str, when: When) -> Telling:
    """What a session of an arm is told at a moment, in a plan of these arms."""
    if arm == PLACEBO:
        return "placebo" if lesson_arms(arms, when) else "nothing"
    return "lessons" if forms(arms, arm, when) else "nothing"


def lesson_arms(arms: Sequence[str], when: When) -> list[str]:
    """Those that are told lessons at a moment, in the order of the plan."""
    return [arm for arm in arms if forms(arms, arm, when)]


def arms_with_lessons(arms: Sequence[str]) -> list[str]:
    """Those that are told lessons at some moment, in the order of the plan."""
    return [arm for arm in arms if _told(arms, arm)]


def always_leaves_a_mark(arms: Sequence[str]) -> bool:
    """Whether a session of every arm begins with a context, whose id stands in its transcript. A template leaves one,
    too, but many a repository has none."""
    told_arms = [arm for arm in arms if is_arm(arm) and arm != PLACEBO]
    return all(CONTEXT_FORM in forms(arms, arm, "start") for arm in told_arms)


def begin_alike(arms: Sequence[str]) -> bool:
    """Whether sessions of these arms are told the same until something fails: then the same failures come up in them.
    Of arms with other names nothing is known."""
    beginnings = {
        (telling(arms, arm, "start"), forms(arms, arm, "start"))
        for arm in arms
        if is_arm(arm)
    }
    return len(beginnings) <= 1


def check_unmixed(arms: Sequence[str]) -> None:
    """Raises `UsageError` if sessions are to be told at different moments and in different forms at once: `both` could
    mean either."""
    by_moment = [arm for arm in arms if arm in _ONLY_BY_MOMENT]
    if by_moment and is_by_form(arms):
        raise UsageError(
            f"{by_moment[0]!r} is an arm by moment, and the plan has arms by form; "
            f"arms out of {', '.join(_FORM_ARMS)} would work: context is what start is"
        )


def check_standing(plan: Plan) -> None:
    """Raises `UsageError` if daily sessions cannot be given the arms of this plan by themselves."""
    check_unmixed(plan.arms)
    odd_arms = [arm for arm in plan.arms if not is_arm(arm)]
    if odd_arms:
        problem = f"the arm {odd_arms[0]!r}"
    elif (plan.unit, plan.design) != ("session", "blocked"):
        problem = f"a {plan.design} plan of {plan.unit}s"
    else:
        return
    raise UsageError(
        f"{plan.name} cannot be a standing experiment: {problem} is nothing a session can start with; "
        f"--unit session --design blocked and arms out of {', '.join(ARMS)} would work"
    )
