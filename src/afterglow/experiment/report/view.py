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
    def ran_here(self) -> bool:
        """`experiment run` made all runs: from what was known when the study began, each judged by its task's check."""
        tasks = self.analysis.tasks
        return bool(tasks) and all(task.task_hash for task in tasks)

    @property
    def given(self) -> str:
        """What is known of those who had an arm: that it was assigned, or only that something came of it."""
        return "assigned" if self.analysis.drawn else "recorded"

    @property
    def estimates(self) -> list[tuple[int, Estimate]]:
        """In the order of the plan's outcomes and arms, with their place in the analysis."""
        outcomes, arms = list(self.plan.outcomes), list(self.plan.arms)
        numbered = enumerate(self.analysis.estimates)
        return sorted(
            numbered,
            key=lambda pair: (
                _place(outcomes, pair[1].outcome),
                _place(arms, pair[1].arm),
                pair[0],
            ),
        )

    @property
    def primary(self) -> list[tuple[int, Estimate]]:
        return [
            (at, estimate)
            for at, estimate in self.estimates
            if estimate.outcome == self.plan.primary
        ]

    @property
    def question(self) -> tuple[int, Estimate] | None:
        """The comparison the experiment was made for: the first arm that is neither the control nor a placebo."""
        treatments = [
            (at, estimate) for at, estimate in self.primary if estimate.arm != PLACEBO
        ]
        return next(iter(treatments or self.primary), None)

    def label(self, outcome: str) -> str:
        return label(outcome, self.specs)

    def measure(self, outcome: str) -> Measure:
        return self.measures.get(outcome, Measure())

    def directed(self, outcome: str) -> bool:
        """Whether one way is better: only then can it be a gain or a harm."""
        spec = self.specs.get(outcome)
        return spec is None or spec.direction != "none"

    def mean(self, at: int, *, control: bool = False) -> Num:
        estimate = self.analysis.estimates[at]
        value, field = (
            (estimate.mean_control, "mean_control")
            if control
            else (estimate.mean, "mean")
        )
        return Num(
            self.measure(estimate.outcome).level(value), f"estimates[{at}].{field}"
        )

    def change(self, at: int) -> Num:
        estimate = self.analysis.estimates[at]
        return Num(
            self.measure(estimate.outcome).change(estimate.difference),
            f"estimates[{at}].difference",
        )

    def span(self, at: int, field: str) -> str | Num:
        """An interval of an estimate: `interval`, `sequence`, `adjusted_interval`."""
        estimate = self.analysis.estimates[at]
        value: Interval | None = getattr(estimate, field)
        return (
            Num(self.measure(estimate.outcome).span(value), f"estimates[{at}].{field}")
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


def apart(interval: Interval) -> bool:
    """The interval leaves out zero."""
    return interval.low > 0 or interval.high < 0


def versus(estimate: Estimate) -> str:
    return f"{printable(estimate.arm)} against {printable(estimate.control)}"


def verdict(estimate: Estimate) -> Words:
    return say(Strong(estimate.verdict))


def _place(order: list[str], name: str) -> int:
    return order.index(name) if name in order else len(order)
