"""One arm against another on one outcome: read as it stands now, at any time, and once at the planned size."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from afterglow.experiment.analysis.adjustment import adjusted
from afterglow.experiment.analysis.compare import (
    Comparison,
    Standing,
    compare,
    enough,
    matched,
    standing,
)
from afterglow.experiment.analysis.lazy_scipy import numpy
from afterglow.experiment.analysis.rows import Columns, columns
from afterglow.experiment.analysis.verdicts import Case, holm, judge, needs
from afterglow.records.experiment import Estimate, OutcomeSpec, Plan, Trial

K = TypeVar("K", bound=Hashable)


class Reading(NamedTuple):
    """The units, how they compare now, what holds of that at any time, and the comparison of the first planned units
    once these are there."""

    columns: Columns
    now: Comparison
    standing: Standing
    fixed: Comparison | None


class PValues(NamedTuple):
    """Of a reading: by all there is, by what holds whenever it is read, by the planned units (1 before they are there)."""

    now: float
    any_time: float
    fixed: float


def read(
    plan: Plan, live: Sequence[Trial], spec: OutcomeSpec, arm: str
) -> Reading | None:
    paired = plan.design == "paired"
    rows = columns(live, spec.name, arm, plan.control)
    if not enough(rows, paired=paired):
        return None
    now = compare(rows, spec.scale, plan.alpha, paired=paired)
    return Reading(
        rows,
        now,
        standing(rows, spec.scale, plan.alpha, paired=paired),
        _fixed(plan, live, rows, spec, now),
    )


def _fixed(
    plan: Plan, live: Sequence[Trial], rows: Columns, spec: OutcomeSpec, now: Comparison
) -> Comparison | None:
    """The comparison of the first `planned` units of each arm, once they are there: later ones cannot change it."""
    if not plan.planned:
        return None
    if plan.design == "paired":
        if now.pairs < plan.planned:
            return None
        early = rows.first(int(matched(rows)[3][plan.planned - 1]) + 1)
        return compare(early, spec.scale, plan.alpha, paired=True)
    chosen = _first_planned(plan, live, rows)
    early = rows.only(
        numpy().array([id(trial) in chosen for trial in rows.trials], dtype=bool)
    )
    if not chosen or not enough(early, paired=False):
        return None
    return compare(early, spec.scale, plan.alpha, paired=False)


def _first_planned(plan: Plan, live: Sequence[Trial], rows: Columns) -> set[int]:
    """The first units of the arm and of the control; none until both have the planned size. Units without a value
    count towards it: they were there."""
    chosen: set[int] = set()
    for side in {trial.arm for trial in rows.trials}:
        units = [id(trial) for trial in live if trial.arm == side]
        if len(units) < plan.planned:
            return set()
        chosen.update(units[: plan.planned])
    return chosen


def p_values_of(reading: Reading) -> PValues:
    any_time = min(1 / reading.standing.e, 1.0)
    return PValues(reading.now.p, any_time, reading.fixed.p if reading.fixed else 1.0)


def corrected(readings: Mapping[K, Reading]) -> dict[K, PValues]:
    """For being several (Holm), each kind of p for itself."""
    alone = [p_values_of(reading) for reading in readings.values()]
    together = zip(*(holm(kind) for kind in zip(*alone, strict=True)), strict=True)
    return {
        name: PValues(*values) for name, values in zip(readings, together, strict=True)
    }


def estimate_of(
    plan: Plan, case: Case, reading: Reading, holm_p: float | None
) -> Estimate:
    """What the reading says; its p values stand in `case` as they are to be judged by."""
    rows, now, stand, fixed = reading
    verdict, says = judge(plan, case)
    sharper = None if now.pairs else adjusted(rows, now.contrast, plan.alpha)
    return Estimate(
        outcome=case.spec.name,
        arm=case.arm,
        control=plan.control,
        n=now.n,
        n_control=now.n_control,
        mean=now.contrast.mean,
        mean_control=now.contrast.mean_control,
        difference=now.contrast.difference,
        interval=now.interval,
        p=now.p,
        sequence=stand.sequence,
        e=stand.e,
        method=now.method,
        verdict=verdict,
        says=says,
        holm=holm_p,
        ratio=now.ratio,
        ratio_interval=now.ratio_interval,
        effect_size=now.delta,
        adjusted=sharper[0] if sharper else None,
        adjusted_interval=sharper[1] if sharper else None,
        needed=needs(plan, now, fixed) if case.primary else None,
        missing=sum(rows.missing) + now.unpaired,
        clusters=now.contrast.clusters,
        pairs=now.pairs,
        discordant=now.discordant,
    )
