"""The moments against each other: arms that are told lessons at different times, on the primary outcome.

Every arm is compared with the control elsewhere. Which moment is the better one is another question, asked of each pair
and corrected for their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec.structs import replace

from afterglow.experiment.analysis.readings import (
    Reading,
    corrected,
    estimate_of,
    read,
)
from afterglow.experiment.analysis.verdicts import Case
from afterglow.experiment.moments import LESSONS_TOLD
from afterglow.records.experiment import Estimate, OutcomeSpec, Plan, Trial


def between_arms(
    plan: Plan, live: Sequence[Trial], spec: OutcomeSpec
) -> Iterator[Estimate]:
    """Each pair of arms by moment, the control apart; the one that the plan names first is compared with."""
    lesson_arms = [
        arm for arm in plan.arms if arm != plan.control and LESSONS_TOLD.get(arm)
    ]
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
