"""Everything an experiment says now: estimates, checks, the evidence as it grew, and the strata one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from afterglow.errors import UsageError
from afterglow.experiment.analysis import checks
from afterglow.experiment.analysis.adjustment import adjusted
from afterglow.experiment.analysis.compare import (
    Comparison,
    Standing,
    around,
    compare,
    enough,
    matched,
    standing,
)
from afterglow.experiment.analysis.lazy_scipy import numpy
from afterglow.experiment.analysis.rows import (
    Columns,
    columns,
    data_hash,
    in_order,
    value_of,
)
from afterglow.experiment.analysis.verdicts import Case, holm, judge, needs
from afterglow.experiment.plan import plan_hash
from afterglow.records.experiment import (
    Analysis,
    Assignment,
    Estimate,
    FairnessCheck,
    OutcomeSpec,
    Plan,
    Step,
    StratumEffect,
    Trial,
)

STEPS = 120  # points of the evidence over time


class _Reading(NamedTuple):
    columns: Columns
    now: Comparison
    standing: Standing
    fixed: Comparison | None


def analyse(
    plan: Plan,
    trials: Sequence[Trial],
    assignments: Sequence[Assignment] = (),
    *,
    now: float,
    simulated: bool = False,
    specs: Mapping[str, OutcomeSpec] | None = None,
) -> Analysis:
    """Intention to treat: each unit counts in the arm it was assigned to. `specs` says what outcomes are, if
    not those of the table."""
    specs = specs or _table()
    unknown = [name for name in plan.outcomes if name not in specs]
    if unknown:
        raise UsageError(
            f"no outcome named {', '.join(unknown)}; there are {', '.join(sorted(specs))}"
        )
    ordered = in_order(plan, trials, assignments)
    live = [trial for trial in ordered if not trial.excluded]
    arms = _arms(plan, live)
    estimates: list[Estimate] = []
    notes: list[FairnessCheck] = []
    evidence: list[Step] = []
    strata: list[StratumEffect] = []
    for arm in arms[1:]:
        readings = {name: _read(plan, live, specs[name], arm) for name in plan.outcomes}
        told = {name: reading for name, reading in readings.items() if reading}
        if plan.primary not in told:
            raise UsageError(_nothing(plan, live, plan.primary, arm))
        estimates += _estimates(plan, told, specs, arm)
        notes += [
            FairnessCheck(f"{name} ({arm})", None, _nothing(plan, live, name, arm))
            for name in readings
            if name not in told
        ]
        first = told[plan.primary]
        notes += [
            checks.carry_over(first.columns, arm),
            checks.shuffled(first.columns, first.now, arm, seed=len(live)),
        ]
        evidence += _evidence(plan, first.columns, specs[plan.primary], arm)
        strata += _strata(plan, first.columns, specs[plan.primary], arm)
    return Analysis(
        plan=plan,
        plan_hash=plan_hash(plan),
        data_hash=data_hash(trials, assignments),
        time=now,
        assigned=_assigned(plan, trials, assignments),
        excluded={
            arm: dict(
                Counter(t.excluded for t in ordered if t.excluded and t.arm == arm)
            )
            for arm in plan.arms
        },
        analysed={arm: sum(trial.arm == arm for trial in live) for arm in plan.arms},
        estimates=tuple(estimates),
        checks=(*_fairness(plan, arms, ordered, live, assignments), *notes),
        evidence=tuple(evidence),
        strata=tuple(strata),
        simulated=simulated,
        drawn=bool(assignments),
    )


def _table() -> Mapping[str, OutcomeSpec]:
    from afterglow.experiment.outcomes import OUTCOMES

    return OUTCOMES


def _arms(plan: Plan, live: Sequence[Trial]) -> list[str]:
    counts = Counter(trial.arm for trial in live)
    arms_with_units = [arm for arm in plan.arms if counts[arm]]
    if len(arms_with_units) < 2 or not counts[plan.control]:
        have = ", ".join(f"{counts[arm]} {arm}" for arm in plan.arms)
        raise UsageError(
            f"{plan.name} has {have}: a comparison takes {plan.unit}s of the control ({plan.control}) and of one other "
            "arm"
        )
    return arms_with_units


def _read(
    plan: Plan, live: Sequence[Trial], spec: OutcomeSpec, arm: str
) -> _Reading | None:
    paired = plan.design == "paired"
    rows = columns(live, spec.name, arm, plan.control)
    if not enough(rows, paired=paired):
        return None
    now = compare(rows, spec.scale, plan.alpha, paired=paired)
    return _Reading(
        rows,
        now,
        standing(rows, spec.scale, plan.alpha, paired=paired),
        _fixed(plan, live, rows, spec, now),
    )


def _fixed(
    plan: Plan, live: Sequence[Trial], rows: Columns, spec: OutcomeSpec, now: Comparison
) -> Comparison | None:
    """The comparison of the first `planned` units of each arm, once they are there: later ones cannot change it."""
    paired = plan.design == "paired"
    arm = next(
        trial.arm for trial, at in zip(rows.trials, rows.treated, strict=True) if at
    )
    if not plan.planned:
        return None
    if paired:
        if now.pairs < plan.planned:
            return None
        rows = rows.first(int(matched(rows)[3][plan.planned - 1]) + 1)
        return compare(rows, spec.scale, plan.alpha, paired=True)
    chosen: set[int] = set()
    for side in (
        arm,
        plan.control,
    ):  # units without a value count towards the planned size: they were there
        mine = [id(trial) for trial in live if trial.arm == side]
        if len(mine) < plan.planned:
            return None
        chosen.update(mine[: plan.planned])
    early = rows.only(
        numpy().array([id(trial) in chosen for trial in rows.trials], dtype=bool)
    )
    return (
        compare(early, spec.scale, plan.alpha, paired=False)
        if enough(early, paired=False)
        else None
    )


def _estimates(
    plan: Plan, told: Mapping[str, _Reading], specs: Mapping[str, OutcomeSpec], arm: str
) -> Iterator[Estimate]:
    names = list(told)
    corrected = dict(
        zip(names, holm([told[name].now.p for name in names]), strict=True)
    )
    any_time = dict(
        zip(
            names,
            holm([min(1 / told[name].standing.e, 1.0) for name in names]),
            strict=True,
        )
    )
    at_plan = dict(
        zip(
            names,
            holm([fixed.p if (fixed := told[name].fixed) else 1.0 for name in names]),
            strict=True,
        )
    )
    for name, (rows, now, stand, fixed) in told.items():
        primary = name == plan.primary
        p = fixed.p if fixed and primary else at_plan[name]
        p_any = min(1 / stand.e, 1.0) if primary else any_time[name]
        verdict, says = judge(
            plan, Case(specs[name], arm, primary, now, stand, fixed, p, p_any)
        )
        sharper = None if now.pairs else adjusted(rows, now.contrast, plan.alpha)
        yield Estimate(
            outcome=name,
            arm=arm,
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
            holm=None if primary else corrected[name],
            ratio=now.ratio,
            ratio_interval=now.ratio_interval,
            effect_size=now.delta,
            adjusted=sharper[0] if sharper else None,
            adjusted_interval=sharper[1] if sharper else None,
            needed=needs(plan, now, fixed) if primary else None,
            missing=sum(rows.missing) + now.unpaired,
            clusters=now.contrast.clusters,
            pairs=now.pairs,
        )


def _nothing(plan: Plan, live: Sequence[Trial], outcome: str, arm: str) -> str:
    ours = [trial for trial in live if trial.arm in (arm, plan.control)]
    have = Counter(trial.arm for trial in ours if value_of(trial, outcome) is not None)
    least = (
        "two tasks run in both arms"
        if plan.design == "paired"
        else f"two {plan.unit}s in each"
    )
    return (
        f"{outcome} is known of {have[arm]} {arm} and {have[plan.control]} {plan.control} {plan.unit}s of {len(ours)}; "
        f"a comparison takes at least {least}"
    )


def _evidence(plan: Plan, rows: Columns, spec: OutcomeSpec, arm: str) -> Iterator[Step]:
    """What was known of the primary outcome after each unit (or about STEPS of them)."""
    paired = plan.design == "paired"
    many = len(rows.values)
    for count in sorted(
        {round(many * step / STEPS) for step in range(1, STEPS + 1)} - {0}
    ):
        early = rows.first(count)
        if not enough(early, paired=paired):
            continue
        difference, sequence, e = standing(early, spec.scale, plan.alpha, paired=paired)
        if sequence.high < float("inf"):
            yield Step(early.trials[-1].time, count, arm, difference, sequence, e)


def _strata(
    plan: Plan, rows: Columns, spec: OutcomeSpec, arm: str
) -> Iterator[StratumEffect]:
    paired = plan.design == "paired"
    names = [trial.stratum for trial in rows.trials]
    for stratum in sorted(set(names)):
        mine = rows.only(numpy().array([name == stratum for name in names], dtype=bool))
        if len(set(names)) > 1 and enough(mine, paired=paired):
            contrast, interval = around(mine, spec.scale, plan.alpha, paired=paired)
            n = int(mine.treated.sum())
            yield StratumEffect(
                stratum, arm, n, len(mine.values) - n, contrast.difference, interval
            )


def _assigned(
    plan: Plan, trials: Sequence[Trial], assignments: Sequence[Assignment]
) -> dict[str, int]:
    units = {(assignment.unit, assignment.arm) for assignment in assignments} or {
        (trial.unit, trial.arm) for trial in trials
    }
    counts = Counter(arm for _, arm in units)
    return {arm: counts[arm] for arm in plan.arms}


def _fairness(
    plan: Plan,
    arms: list[str],
    ordered: list[Trial],
    live: list[Trial],
    assignments: Sequence[Assignment],
) -> Iterator[FairnessCheck]:
    first = checks.planned_first(plan, ordered)
    if first:
        yield first
    yield checks.sample_ratio(plan, _assigned(plan, (), assignments))
    yield from checks.attrition(plan, ordered, assignments)
    assigned_units = {assignment.unit for assignment in assignments}
    strays = (
        sum(trial.unit not in assigned_units for trial in ordered) if assignments else 0
    )
    if strays:
        yield FairnessCheck(
            "assignment",
            False,
            f"{strays} of {len(ordered)} records have no assignment: their arm was not drawn",
        )
    yield checks.covariates(arms, live)
    if plan.design == "paired":  # every task is in every arm
        return
    kinds = (
        checks.mix("strata", "strata", lambda t: t.stratum, arms, live),
        _clusters(arms, live),
    )
    yield from (check for check in kinds if check)


def _clusters(arms: list[str], live: list[Trial]) -> FairnessCheck | None:
    """Only where a cluster holds several arms: whole clusters differ between arms by design."""
    pairs = {(trial.cluster, trial.arm) for trial in live if trial.cluster}
    if len({cluster for cluster, _ in pairs}) == len(pairs):
        return None
    return checks.mix("clusters", "clusters", lambda t: t.cluster, arms, live)
