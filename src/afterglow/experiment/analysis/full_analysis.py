"""Everything an experiment says now: estimates, checks, the evidence as it grew, and the strata one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from afterglow.errors import UsageError
from afterglow.experiment.analysis import checks
from afterglow.experiment.analysis.between_arms import against_control, between_arms
from afterglow.experiment.analysis.compare import around, enough, standing
from afterglow.experiment.analysis.lazy_scipy import numpy
from afterglow.experiment.analysis.levels import levels
from afterglow.experiment.analysis.pair_tables import pair_tables
from afterglow.experiment.analysis.readings import (
    PValues,
    Reading,
    corrected,
    estimate_of,
    p_values_of,
    read,
)
from afterglow.experiment.analysis.rows import Columns, data_hash, in_order, value_of
from afterglow.experiment.analysis.study_facts import (
    repos,
    study_times,
    tasks,
    told_by_arm,
    workers,
)
from afterglow.experiment.analysis.verdicts import Case
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
    several = against_control(plan, live, specs[plan.primary])
    by_arm = [
        _analyse_arm(plan, live, specs, arm, several.get(arm)) for arm in arms[1:]
    ]
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
        between=tuple(between_arms(plan, live, specs[plan.primary])),
        levels=tuple(levels(plan, live, specs)),
        simulated=simulated,
        drawn=bool(assignments),
        times=study_times(plan, ordered, assignments),
        workers=tuple(workers(plan, live)),
        told_by_arm=tuple(told_by_arm(plan, live)),
        tasks=tuple(tasks(plan, live)),
        repos=tuple(repos(plan, live)),
        pair_tables=tuple(pair_tables(plan, live, specs)),
    )


def _analyse_arm(
    plan: Plan,
    live: Sequence[Trial],
    specs: Mapping[str, OutcomeSpec],
    arm: str,
    among_arms: PValues | None,
) -> _ArmAnalysis:
    """`among_arms` are the p values of the primary outcome, where several arms differ by moment."""
    readings: dict[str, Reading] = {}
    notes: list[FairnessCheck] = []
    for name in plan.outcomes:
        reading = read(plan, live, specs[name], arm)
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
        estimates=list(_estimates(plan, readings, specs, arm, among_arms)),
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


def _estimates(
    plan: Plan,
    readings: Mapping[str, Reading],
    specs: Mapping[str, OutcomeSpec],
    arm: str,
    among_arms: PValues | None,
) -> Iterator[Estimate]:
    """The primary outcome stands alone, or among several arms by moment; the others are corrected for all of them."""
    p_values = corrected(readings)
    for name, reading in readings.items():
        is_primary = name == plan.primary
        judged_by = p_values[name]
        if is_primary:
            judged_by = among_arms or p_values_of(reading)
        is_corrected = not is_primary or among_arms is not None
        case = Case(
            specs[name],
            arm,
            is_primary,
            reading.now,
            reading.standing,
            reading.fixed,
            judged_by.fixed,
            judged_by.any_time,
        )
        yield estimate_of(plan, case, reading, judged_by.now if is_corrected else None)


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
