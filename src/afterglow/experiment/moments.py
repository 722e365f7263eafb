"""What the arms of an experiment mean: at which moments of a session lessons are told, and in which form.

Arms by moment: `start` is told before anything went wrong, `failure` only after, `both` at every moment there is. `warm`
is the older word for `start`: plans are never changed, so what one of them calls warm stays what it was.

Arms by form: `context` is what `start` is, `template` begins with a template, and in a plan that has one of them `both`
is the two together. There nothing is told on failure: what is compared is how a session begins.

A placebo has no moments of its own: it is told something at those of the arms it is compared with, as much as the
longest of them.
"""

from __future__ import annotations

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

Telling = Literal["lessons", "placebo", "nothing"]
Form = Literal["context", "template"]  # a line on failure counts as context
Told = Mapping[Form, frozenset[When]]  # in which forms, and when in each

BEFORE_A_FAILURE: frozenset[When] = frozenset(
    {"start", "compaction", "subagent", "call"}
)
AFTER_A_FAILURE: frozenset[When] = frozenset({"failure"})
# A sub-agent has a small task of its own: a template is about whole sessions.
AS_IT_BEGINS: frozenset[When] = frozenset({"start", "compaction"})
# What is told in an arm; a placebo follows the others.
BY_MOMENT: dict[str, Told] = {
    COLD: {},
    START: {"context": BEFORE_A_FAILURE},
    WARM: {"context": BEFORE_A_FAILURE},
    FAILURE: {"context": AFTER_A_FAILURE},
    BOTH: {"context": BEFORE_A_FAILURE | AFTER_A_FAILURE},
}
# The same in a plan that has an arm `context` or `template`.
BY_FORM: dict[str, Told] = {
    **BY_MOMENT,
    CONTEXT: {"context": BEFORE_A_FAILURE},
    TEMPLATE: {"template": AS_IT_BEGINS},
    BOTH: {"context": BEFORE_A_FAILURE, "template": AS_IT_BEGINS},
}
ARMS = (*BY_FORM, PLACEBO)  # what a session can be given by itself
_ONLY_BY_FORM = (CONTEXT, TEMPLATE)
_FORM_ARMS = (COLD, *_ONLY_BY_FORM, BOTH, PLACEBO)
_ONLY_BY_MOMENT = (START, WARM, FAILURE)


def is_by_form(arms: Sequence[str]) -> bool:
    """Whether the arms of a plan differ in the form of what is told, not in the moment."""
    return any(arm in _ONLY_BY_FORM for arm in arms)


def forms(arms: Sequence[str], arm: str, when: When) -> frozenset[Form]:
    """In which forms a session of an arm is told lessons at a moment, in a plan of these arms; none: not at all."""
    table = BY_FORM if is_by_form(arms) else BY_MOMENT
    by_form = table.get(arm, {})
    return frozenset(form for form, moments in by_form.items() if when in moments)


def tells_templates(arms: Sequence[str]) -> bool:
    """Whether sessions of some arm begin with a template."""
    return any("template" in forms(arms, arm, "start") for arm in arms)


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
    return [arm for arm in arms if BY_FORM.get(arm)]


def always_leaves_a_mark(arms: Sequence[str]) -> bool:
    """Whether a session of every arm begins with a context, whose id stands in its transcript. A template leaves one,
    too, but many a repository has none."""
    known_arms = [arm for arm in arms if arm in BY_FORM]
    return all("context" in forms(arms, arm, "start") for arm in known_arms)


def begin_alike(arms: Sequence[str]) -> bool:
    """Whether sessions of these arms are told the same until something fails: then the same failures come up in them.
    Of arms with other names nothing is known."""
    beginnings = {
        (telling(arms, arm, "start"), forms(arms, arm, "start"))
        for arm in arms
        if arm in ARMS
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
    odd_arms = [arm for arm in plan.arms if arm not in ARMS]
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
