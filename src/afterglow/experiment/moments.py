"""What the arms of an experiment mean: at which moments of a session lessons are told.

`start` is told before anything went wrong, `failure` only after, `both` at every moment there is. `warm` is the older
word for `start`: plans are never changed, so what one of them calls warm stays what it was. A placebo has no moments of
its own: it is told something at those of the arms it is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from afterglow.errors import UsageError
from afterglow.records.delivery import When
from afterglow.records.experiment import (
    BOTH,
    COLD,
    FAILURE,
    PLACEBO,
    START,
    WARM,
    Plan,
)

Telling = Literal["lessons", "placebo", "nothing"]

BEFORE_A_FAILURE: frozenset[When] = frozenset(
    {"start", "compaction", "subagent", "call"}
)
AFTER_A_FAILURE: frozenset[When] = frozenset({"failure"})
# When lessons are told in an arm; a placebo follows the others.
LESSONS_TOLD: dict[str, frozenset[When]] = {
    COLD: frozenset(),
    START: BEFORE_A_FAILURE,
    WARM: BEFORE_A_FAILURE,
    FAILURE: AFTER_A_FAILURE,
    BOTH: BEFORE_A_FAILURE | AFTER_A_FAILURE,
}
ARMS = (*LESSONS_TOLD, PLACEBO)  # what a session can be given by itself


def telling(arms: Sequence[str], arm: str, when: When) -> Telling:
    """What a session of an arm is told at a moment, in a plan of these arms."""
    if arm == PLACEBO:
        return "placebo" if lesson_arms(arms, when) else "nothing"
    return "lessons" if when in LESSONS_TOLD.get(arm, ()) else "nothing"


def lesson_arms(arms: Sequence[str], when: When) -> list[str]:
    """Those that are told lessons at a moment, in the order of the plan."""
    return [arm for arm in arms if when in LESSONS_TOLD.get(arm, ())]


def always_leaves_a_mark(arms: Sequence[str]) -> bool:
    """Whether a session of every arm begins with a context, whose id stands in its transcript."""
    silent = {arm for arm, moments in LESSONS_TOLD.items() if "start" not in moments}
    return silent.isdisjoint(arms)


def begin_alike(arms: Sequence[str]) -> bool:
    """Whether sessions of these arms are told the same until something fails: then the same failures come up in them.
    Of arms with other names nothing is known."""
    by_moment = [arm for arm in arms if arm in ARMS]
    return len({telling(arms, arm, "start") for arm in by_moment}) <= 1


def check_standing(plan: Plan) -> None:
    """Raises `UsageError` if daily sessions cannot be given the arms of this plan by themselves."""
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
