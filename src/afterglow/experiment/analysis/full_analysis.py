"""Everything an experiment says now: estimates, checks, the evidence as it grew, and the strata one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

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

T = TypeVar("T")

# Points of the evidence over time: a page is not wider, and each one is a comparison.
MAX_EVIDENCE_STEPS = 120


class _ArmAnalysis(NamedTuple):
    """What is said of one arm against the control."""

    estimates: list[Estimate]
    checks: list[FairnessCheck]
    evidence: list[Step]
    strata: list[StratumEffect]


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
    by_arm = [_analyse_arm(plan, live, specs, arm) for arm in arms[1:]]
    fairness = list(_fairness(plan, arms, ordered, live, assignments))
    analysed = Counter(trial.arm for trial in live)
    return Analysis(
        plan=plan,
        plan_hash=plan_hash(plan),
        data_hash=data_hash(trials, assignments),
        time=now,
        assigned=_assigned(plan, trials, assignments),
        excluded={arm: _excluded(ordered, arm) for arm in plan.arms},
        analysed={arm: analysed[arm] for arm in plan.arms},
        estimates=_flat(part.estimates for part in by_arm),
        checks=(*fairness, *_flat(part.checks for part in by_arm)),
        evidence=_flat(part.evidence for part in by_arm),
        strata=_flat(part.strata for part in by_arm),
        simulated=simulated,
        drawn=bool(assignments),
    )


def _analyse_arm(
    plan: Plan, live: Sequence[Trial], specs: Mapping[str, OutcomeSpec], arm: str
) -> _ArmAnalysis:
    readings: dict[str, _Reading] = {}
    notes: list[FairnessCheck] = []
    for name in plan.outcomes:
        reading = _read(plan, live, specs[name], arm)
        if reading is not None:
            readings[name] = reading
            continue
        says = _nothing(plan, live, name, arm)
        if name == plan.primary:
            raise UsageError(says)
        notes.append(FairnessCheck(f"{name} ({arm})", None, says))
    primary, spec = readings[plan.primary], specs[plan.primary]
    notes.append(checks.carry_over(primary.columns, arm))
    notes.append(checks.shuffled(primary.columns, primary.now, arm, seed=len(live)))
    return _ArmAnalysis(
        estimates=list(_estimates(plan, readings, specs, arm)),
        checks=notes,
        evidence=list(_evidence(plan, primary.columns, spec, arm)),
        strata=list(_strata(plan, primary.columns, spec, arm)),
    )


def _flat(parts: Iterable[list[T]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(parts))


def _excluded(ordered: Sequence[Trial], arm: str) -> dict[str, int]:
    """How many units of an arm each rule left out."""
    rules = (trial.excluded for trial in ordered if trial.arm == arm and trial.excluded)
    return dict(Counter(rules))


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


def _estimates(
    plan: Plan,
    readings: Mapping[str, _Reading],
    specs: Mapping[str, OutcomeSpec],
    arm: str,
) -> Iterator[Estimate]:
    corrected = _holm({name: reading.now.p for name, reading in readings.items()})
    any_time = _holm(
        {name: _any_time(reading.standing) for name, reading in readings.items()}
    )
    at_plan = _holm(
        {
            name: reading.fixed.p if reading.fixed else 1.0
            for name, reading in readings.items()
        }
    )
    for name, (rows, now, stand, fixed) in readings.items():
        primary = name == plan.primary
        p = fixed.p if fixed and primary else at_plan[name]
        p_any = _any_time(stand) if primary else any_time[name]
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


def _any_time(standing: Standing) -> float:
    """The p that holds whenever it is read."""
    return min(1 / standing.e, 1.0)


def _holm(values: Mapping[str, float]) -> dict[str, float]:
    return dict(zip(values, holm(list(values.values())), strict=True))


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
    """What was known of the primary outcome after each unit (or about MAX_EVIDENCE_STEPS of them)."""
    paired = plan.design == "paired"
    stride = len(rows.values) / MAX_EVIDENCE_STEPS
    counts = {round(stride * step) for step in range(1, MAX_EVIDENCE_STEPS + 1)}
    for count in sorted(counts - {0}):
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
