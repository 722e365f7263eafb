"""What a person typed to plan an experiment -> what the flows take."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.datastructures import ImmutableMultiDict

from afterglow.errors import UsageError
from afterglow.experiment.outcomes import OUTCOMES, PRIMARY, USUAL
from afterglow.experiment.report.outcome_units import typed_unit
from afterglow.records.experiment import (
    BOTH,
    COLD,
    CONTEXT,
    FAILURE,
    PLACEBO,
    START,
    TEMPLATE,
)

# What a session may be told, in a person's words; the first is what the others are compared with.
ARM_WORDS = {
    COLD: "told nothing; what the others are compared with",
    START: "told lessons when they start",
    FAILURE: "told a line when something fails",
    CONTEXT: "begin with lessons and are told nothing on failure; to compare with a template",
    TEMPLATE: "begin with the template that fits, without lessons",
    BOTH: "told at the start and when something fails; beside context or template, begin with both of these",
    PLACEBO: "told as much text without lessons",
}
USUAL_ARMS = (COLD, BOTH)


class PlanForm(NamedTuple):
    """As it was typed; `effect` is in the unit people type, and belongs to the outcome `effect_of`."""

    name: str
    outcome: str
    also: tuple[str, ...]
    arms: tuple[str, ...]
    effect: str
    effect_of: str
    a_week: str
    planned: str
    hypothesis: str

    @property
    def unit(self) -> str:
        return typed_unit(OUTCOMES[self.outcome])[1]

    @property
    def factor(self) -> float:
        return typed_unit(OUTCOMES[self.outcome])[0]

    def min_effect(self) -> float | None:
        """On the outcome's own scale; none where it was typed for another outcome."""
        if self.effect_of not in ("", self.outcome):
            return None
        number = _number("the smallest difference worth knowing", self.effect)
        return None if number is None else number / self.factor

    def sessions_a_week(self) -> float | None:
        return _number("sessions a week", self.a_week)

    def choices(self) -> dict[str, Any]:
        """For a plan: what was decided, the rest as usual."""
        planned = _number("the planned size", self.planned) or 0
        return {
            "arms": self.arms,
            "outcomes": tuple(dict.fromkeys((self.outcome, *self.also))),
            "min_effect": self.min_effect() or 0.0,
            "planned": int(planned),
            "hypothesis": self.hypothesis,
            "exclusions": USUAL,
        }


def plan_form(words: ImmutableMultiDict[str, str]) -> PlanForm:
    """From an address or a form; what was not said is as usual."""
    outcome = words.get("outcome") or PRIMARY
    if outcome not in OUTCOMES:
        raise UsageError(f"no outcome {outcome!r}; there are {', '.join(OUTCOMES)}")
    chosen = [arm for arm in words.getlist("arms") if arm in ARM_WORDS]
    arms = tuple(dict.fromkeys((COLD, *chosen))) if chosen else USUAL_ARMS
    return PlanForm(
        name=words.get("name", "").strip(),
        outcome=outcome,
        also=tuple(name for name in words.getlist("also") if name in OUTCOMES),
        arms=tuple(sorted(arms, key=list(ARM_WORDS).index)),
        effect=words.get("effect", "").strip(),
        effect_of=words.get("effect_of", ""),
        a_week=words.get("a_week", "").strip(),
        planned=words.get("planned", "").strip(),
        hypothesis=words.get("hypothesis", "").strip(),
    )


def _number(what: str, text: str) -> float | None:
    """A number above 0, or nothing."""
    if not text:
        return None
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        number = -1.0
    if not 0 < number < 1e12:
        raise UsageError(f"{what}: {text!r} is no number above 0")
    return number
