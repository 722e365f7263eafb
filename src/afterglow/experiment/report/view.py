"""An analysis with what is needed to write about it: definitions of its outcomes, and how their numbers are written.

Every number goes through here, so that it is written the same way in a sentence and in a table, and keeps the place of
the analysis it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from afterglow.experiment.report.outcome_units import (
    Measure,
    e_value,
    label,
    measures,
    p_value,
    plain_number,
)
from afterglow.records.experiment import (
    PLACEBO,
    PLANNED_FIRST,
    Analysis,
    Estimate,
    Interval,
    OutcomeSpec,
    Plan,
)
from afterglow.show.blocks import Num, Strong, Words, say
from afterglow.text.clip import printable
from afterglow.text.numbers import level, number

TONES = {"better": "between", "worse": "within"}


class View(NamedTuple):
    analysis: Analysis
    specs: Mapping[str, OutcomeSpec]
    measures: Mapping[str, Measure]

    @property
    def plan(self) -> Plan:
        return self.analysis.plan

    @property
    def simulated(self) -> bool:
        return self.analysis.simulated or self.plan.simulated

    @property
    def level(self) -> str:
        return level(self.plan.alpha)

    @property
    def unit(self) -> str:
        """What is counted: a task that is run in every arm counts once in each, as a run."""
        return "run" if self.plan.every_arm else self.plan.unit

    @property
    def before(self) -> str:
        """When the plan was written, as far as that can be said for it."""
        early = any(
            check.name == PLANNED_FIRST and check.ok is False
            for check in self.analysis.checks
        )
        return "when there was data already" if early else "before there was data"

    @property
    def given(self) -> str:
        """What is known of those who had an arm: that it was assigned, or only that something came of it."""
        return "assigned" if self.analysis.drawn else "recorded"

    @property
    def estimates(self) -> list[tuple[int, Estimate]]:
        """In the order of the plan's outcomes and arms, with their place in the analysis."""
        outcomes, arms = list(self.plan.outcomes), list(self.plan.arms)
        found = enumerate(self.analysis.estimates)
        return sorted(
            found,
            key=lambda one: (
                _place(outcomes, one[1].outcome),
                _place(arms, one[1].arm),
                one[0],
            ),
        )

    @property
    def primary(self) -> list[tuple[int, Estimate]]:
        return [
            (at, found)
            for at, found in self.estimates
            if found.outcome == self.plan.primary
        ]

    @property
    def question(self) -> tuple[int, Estimate] | None:
        """The comparison the experiment was made for: the first arm that is neither the control nor a placebo."""
        asked = [(at, found) for at, found in self.primary if found.arm != PLACEBO]
        return next(iter(asked or self.primary), None)

    def label(self, outcome: str) -> str:
        return label(outcome, self.specs)

    def measure(self, outcome: str) -> Measure:
        return self.measures.get(outcome, Measure())

    def directed(self, outcome: str) -> bool:
        """Whether one way is better: only then can it be a gain or a harm."""
        spec = self.specs.get(outcome)
        return spec is None or spec.direction != "none"

    def mean(self, at: int, *, control: bool = False) -> Num:
        found = self.analysis.estimates[at]
        value, field = (
            (found.mean_control, "mean_control") if control else (found.mean, "mean")
        )
        return Num(self.measure(found.outcome).level(value), f"estimates[{at}].{field}")

    def change(self, at: int) -> Num:
        found = self.analysis.estimates[at]
        return Num(
            self.measure(found.outcome).change(found.difference),
            f"estimates[{at}].difference",
        )

    def span(self, at: int, field: str) -> str | Num:
        """An interval of an estimate: `interval`, `sequence`, `adjusted_interval`."""
        found = self.analysis.estimates[at]
        value: Interval | None = getattr(found, field)
        return (
            Num(self.measure(found.outcome).span(value), f"estimates[{at}].{field}")
            if value
            else "–"
        )

    def p(self, at: int, field: str = "p") -> Num:
        return Num(
            p_value(getattr(self.analysis.estimates[at], field)),
            f"estimates[{at}].{field}",
        )

    def e(self, at: int) -> Num:
        return Num(e_value(self.analysis.estimates[at].e), f"estimates[{at}].e")

    def other(self, at: int, field: str) -> Words:
        """A count of an estimate, or a number without a unit."""
        value = getattr(self.analysis.estimates[at], field)
        if value is None:
            return ("–",)
        return (
            Num(
                number(value) if isinstance(value, int) else plain_number(value),
                f"estimates[{at}].{field}",
            ),
        )

    def counted(self, at: int, field: str) -> tuple[str | Num, ...]:
        """A number of things; none of them is a dash."""
        value: int = getattr(self.analysis.estimates[at], field)
        return (Num(number(value), f"estimates[{at}].{field}"),) if value else ("–",)

    def total(self, field: str) -> Num:
        """How many units were assigned, or analysed, in all arms together."""
        counts: dict[str, int] = getattr(self.analysis, field)
        return Num(number(sum(counts.values())), field)


def view_of(analysis: Analysis, specs: Mapping[str, OutcomeSpec]) -> View:
    return View(analysis, specs, measures(analysis, specs))


def apart(found: Interval) -> bool:
    """The interval leaves out zero."""
    return found.low > 0 or found.high < 0


def versus(found: Estimate) -> str:
    return f"{printable(found.arm)} against {printable(found.control)}"


def verdict(found: Estimate) -> Words:
    return say(Strong(found.verdict))


def _place(order: list[str], name: str) -> int:
    return order.index(name) if name in order else len(order)
