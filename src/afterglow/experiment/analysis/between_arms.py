"""Arms that are told lessons at different moments, or in different forms: several ways to give the same, on the primary
outcome.

Where there are several, one of them beats the control by chance more easily, so what is said of each is corrected for
their number. Which way is the better one is another question, asked of each pair and corrected for these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec.structs import replace

from afterglow.experiment.analysis.readings import (
    PValues,
    Reading,
    corrected,
    estimate_of,
    read,
)
from afterglow.experiment.analysis.verdicts import Case
from afterglow.experiment.moments import arms_with_lessons
from afterglow.records.experiment import Estimate, OutcomeSpec, Plan, Trial


def against_control(
    plan: Plan, live: Sequence[Trial], spec: OutcomeSpec
) -> dict[str, PValues]:
    """The p values of arms that are told lessons, corrected for being several; none where there is only one."""
    readings: dict[str, Reading] = {}
    for arm in _lesson_arms(plan):
        reading = read(plan, live, spec, arm)
        if reading is not None:
            readings[arm] = reading
    return corrected(readings) if len(readings) > 1 else {}


def _lesson_arms(plan: Plan) -> list[str]:
    return [arm for arm in arms_with_lessons(plan.arms) if arm != plan.control]


def between_arms(
    plan: Plan, live: Sequence[Trial], spec: OutcomeSpec
) -> Iterator[Estimate]:
    """Each pair of arms that are told lessons, the control apart; the one that the plan names first is compared with."""
    lesson_arms = _lesson_arms(plan)
    plans: dict[tuple[str, str], Plan] = {}
    readings: dict[tuple[str, str], Reading] = {}
    for pair in combinations(lesson_arms, 2):
        as_control = replace(plan, arms=pair, allocation=(0.5, 0.5))
        reading = read(as_control, live, spec, pair[1])
        if reading is not None:
            plans[pair], readings[pair] = as_control, reading
    if not readings:
        return
    for pair, values in corrected(readings).items():
        reading = readings[pair]
        case = Case(
            spec,
            pair[1],
            True,
            reading.now,
            reading.standing,
            reading.fixed,
            values.fixed,
            values.any_time,
        )
        yield estimate_of(plans[pair], case, reading, values.now)
