"""What could make a comparison unfair. Each check says what it looked at; alarms are rare by design (1 in 100)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from afterglow.experiment.analysis.compare import Comparison, matched
from afterglow.experiment.analysis.contrast import Contrast, between
from afterglow.experiment.analysis.lazy_scipy import numpy, stats
from afterglow.experiment.analysis.robust import Fit, fit
from afterglow.experiment.analysis.rows import Columns
from afterglow.experiment.analysis.verdicts import chance, holm
from afterglow.records.experiment import (
    PLANNED_FIRST,
    Assignment,
    FairnessCheck,
    Plan,
    Trial,
)

# Several checks are read at once: at 1 in 100 each, a fair experiment rarely has an alarm.
ALARM_P = 0.01
# How sure the sample-ratio bet is of its shares, in units (Lindon and Malek 2022).
RATIO_BELIEF_UNITS = 100.0
# Standard deviations between arms that adjusting no longer repairs (Rubin 2001).
MAX_ADJUSTABLE_SD = 0.25
# Gives p to the third digit; the arms as they were are the thousandth.
SHUFFLES = 999
# Expected in each cell of a table: below it chi-squared is not to be trusted (Cochran 1954).
MIN_CELL_UNITS = 5
# A line through fewer points is drawn by chance.
MIN_TREND_UNITS = 20
# Shuffling and the test say different things from a factor of five on, if they also
# lie on two sides of this level.
MAX_P_LOG10_APART = 0.7
USUAL_P = 0.05


def sample_ratio(plan: Plan, assigned: Mapping[str, int]) -> FairnessCheck:
    """Whether arms have the sizes they were to have; an e-value, so it may be read any time (Lindon and Malek 2022)."""
    name = "sample ratio"
    counts = [assigned.get(arm, 0) for arm in plan.arms]
    sizes = ", ".join(
        f"{count} {arm}" for arm, count in zip(plan.arms, counts, strict=True)
    )
    if not any(counts):
        return FairnessCheck(
            name,
            None,
            "no assignments were recorded: whether arms were drawn as planned cannot be told",
        )
    if plan.design == "paired":
        is_whole = True if len(set(counts)) == 1 else None
        return FairnessCheck(name, is_whole, f"each task is run in every arm: {sizes}")
    shares = [share / sum(plan.allocation) for share in plan.allocation]
    if any(count and not share for share, count in zip(shares, counts, strict=True)):
        return FairnessCheck(
            name, False, f"an arm with a share of 0 has units: {sizes}", 0.0
        )
    p = _ratio_p(shares, counts)
    if p >= ALARM_P:
        return FairnessCheck(name, True, f"assigned {sizes}, as planned", p)
    planned = ", ".join(f"{sum(counts) * share:.0f}" for share in shares)
    return FairnessCheck(
        name,
        False,
        f"assigned {sizes} where {planned} were planned: find out why before believing anything",
        p,
    )


def _ratio_p(shares: Sequence[float], counts: Sequence[int]) -> float:
    """One over what a bet against these shares has grown to."""
    belief = RATIO_BELIEF_UNITS
    grown = math.lgamma(belief) - math.lgamma(belief + sum(counts))
    for share, count in zip(shares, counts, strict=True):
        if share:
            grown += math.lgamma(belief * share + count) - math.lgamma(belief * share)
            grown -= count * math.log(share)
    return math.exp(-max(grown, 0.0))


def planned_first(plan: Plan, trials: Sequence[Trial]) -> FairnessCheck | None:
    """Whether all of it began after the plan was written. None if so: then it need not be said."""
    early = sum(trial.time < plan.created for trial in trials)
    if not early:
        return None
    says = f"{early} of {len(trials)} began before the plan was written, so it may have been made to fit them"
    return FairnessCheck(PLANNED_FIRST, False, says)


def attrition(
    plan: Plan, trials: Sequence[Trial], assignments: Sequence[Assignment]
) -> Iterator[FairnessCheck]:
    """Units that were assigned and say nothing about the primary outcome, by arm; and those left out by a rule."""
    units = {(assignment.unit, assignment.arm) for assignment in assignments}
    units |= {(trial.unit, trial.arm) for trial in trials}
    left_out = {(trial.unit, trial.arm) for trial in trials if trial.excluded}
    with_result = {
        (trial.unit, trial.arm)
        for trial in trials
        if not trial.excluded and trial.outcomes.get(plan.primary) is not None
    }
    in_play = units - left_out
    yield _lost("missing", "without a result", plan, in_play, in_play - with_result)
    if left_out:
        yield _lost("exclusions", "left out by a rule", plan, units, left_out)


def _lost(
    name: str,
    words: str,
    plan: Plan,
    units: set[tuple[str, str]],
    lost: set[tuple[str, str]],
) -> FairnessCheck:
    if not lost:
        return FairnessCheck(name, True, f"no unit is {words}")
    size_of = Counter(arm for _, arm in units)
    lost_of = Counter(arm for _, arm in lost)
    arms = [arm for arm in plan.arms if size_of[arm]]
    shares = ", ".join(f"{arm} {lost_of[arm]} of {size_of[arm]}" for arm in arms)
    p = _independent([[lost_of[arm], size_of[arm] - lost_of[arm]] for arm in arms])
    if p is not None and p < ALARM_P:
        return FairnessCheck(
            name,
            False,
            f"{words}: {shares}; arms differ in this, so those who are left may differ too",
            p,
        )
    return FairnessCheck(name, True, f"{words}: {shares}; no sign that arms differ", p)


class _Distance(NamedTuple):
    """How far an arm is from the control in one covariate."""

    p: float
    deviations: float
    name: str


def covariates(arms: Sequence[str], trials: Sequence[Trial]) -> FairnessCheck:
    """What was known before the start, between the first arm and each other one."""
    distances = list(_distances(arms, trials))
    if not distances:
        return FairnessCheck(
            "covariates", None, "nothing was known of sessions before they started"
        )
    lowest = min(holm([distance.p for distance in distances]))
    if lowest < ALARM_P:
        return FairnessCheck(
            "covariates",
            False,
            f"arms differ in {min(distances).name} before the start: read the adjusted difference",
            lowest,
        )
    farthest = max(distances, key=lambda distance: distance.deviations)
    says = f"largest distance before the start: {farthest.deviations:.2f} sd in {farthest.name}"
    if farthest.deviations > MAX_ADJUSTABLE_SD:
        says += ", more than adjusting alone repairs, but chance explains it"
    return FairnessCheck("covariates", True, says, lowest)


def _distances(arms: Sequence[str], trials: Sequence[Trial]) -> Iterator[_Distance]:
    for name in sorted({name for trial in trials for name in trial.before}):
        control = _covariate(trials, arms[0], name)
        for arm in arms[1:]:
            values = _covariate(trials, arm, name)
            if min(len(values), len(control)) < 2:
                continue
            contrast = _contrast(values, control)
            if contrast.varies:
                tested = Fit(contrast.difference, contrast.variance, contrast.freedom)
                deviations = abs(contrast.difference) / math.sqrt(contrast.spread)
                yield _Distance(tested.p(), deviations, f"{name} ({arm})")


def _covariate(trials: Sequence[Trial], arm: str, name: str) -> Any:
    values = [
        trial.before[name]
        for trial in trials
        if trial.arm == arm and name in trial.before
    ]
    return numpy().array(values)


def _contrast(values: Any, control: Any) -> Contrast:
    """Of two arms whose units stand each for itself."""
    np = numpy()
    units = np.arange(len(values) + len(control))
    both = np.concatenate([values, control])
    return between(both, units < len(values), units, units, yes_no=False)


def mix(
    name: str,
    what: str,
    of: Callable[[Trial], str],
    arms: Sequence[str],
    trials: Sequence[Trial],
) -> FairnessCheck | None:
    """Whether arms hold the same strata (projects and agents) or clusters. None when there is only one."""
    sizes = Counter(map(of, trials))
    if len(sizes) < 2:
        return None
    p = _independent(_table(of, arms, trials))
    if p is None:
        return FairnessCheck(
            name,
            None,
            f"too few sessions in each of {len(sizes)} {what} to compare arms",
        )
    if p < ALARM_P:
        return FairnessCheck(
            name,
            False,
            f"arms hold {what} in different shares: read the adjusted difference",
            p,
        )
    return FairnessCheck(
        name, True, f"arms hold the {len(sizes)} {what} in like shares", p
    )


def _table(
    of: Callable[[Trial], str], arms: Sequence[str], trials: Sequence[Trial]
) -> list[list[int]]:
    """Units by group and arm; groups too small to say anything are one row."""
    sizes = Counter(map(of, trials))
    large = [group for group, n in sizes.items() if n >= MIN_CELL_UNITS * len(arms)]
    counts = Counter(
        (group if group in large else "", trial.arm)
        for trial, group in zip(trials, map(of, trials), strict=True)
    )
    rows = [
        [counts[group, arm] for arm in arms] for group in dict.fromkeys([*large, ""])
    ]
    return [row for row in rows if sum(row)]


def carry_over(columns: Columns, arm: str) -> FairnessCheck:
    """Whether the difference grows or shrinks over time: what one arm learned may have reached the other."""
    np = numpy()
    name = f"carry-over ({arm})"
    times = np.array([trial.time for trial in columns.trials], dtype=float)
    if len(times) < MIN_TREND_UNITS or np.ptp(times) == 0:
        return FairnessCheck(
            name, None, "too few sessions, or no times, to see a trend"
        )
    when = (times - times.mean()) / times.std()
    side = columns.treated.astype(float)
    trend = fit(
        columns.values, [side * when, side, when], np.zeros(len(when), dtype=int)
    )
    if not trend:
        return FairnessCheck(
            name,
            None,
            "arms do not overlap in time, or nothing varies: a trend cannot be seen",
        )
    p = trend.p()
    if p < ALARM_P:
        return FairnessCheck(
            name,
            False,
            "the difference changes over time: lessons of one arm may have reached the other",
            p,
        )
    return FairnessCheck(name, True, "no sign that the difference changes over time", p)


def shuffled(
    columns: Columns, comparison: Comparison, arm: str, *, seed: int
) -> FairnessCheck:
    """The p of shuffling arms as they were assigned: within strata, whole clusters or units, or within pairs."""
    rng = numpy().random.default_rng(seed)
    name = f"shuffling ({arm})"
    contrast = comparison.contrast
    if comparison.pairs:
        p = _flipped(columns, rng)
    elif contrast.clusters and contrast.whole:
        return FairnessCheck(
            name,
            None,
            f"not done: {contrast.clusters} clusters were assigned as a whole",
        )
    else:
        p = _reshuffled(columns, rng)
    says = f"arms shuffled {SHUFFLES:,} times give p = {chance(p)}; the test gave {chance(comparison.p)}"
    if _disagree(p, comparison.p):
        return FairnessCheck(name, False, f"{says}; trust the larger", p)
    return FairnessCheck(name, True, says, p)


def _disagree(p: float, tested_p: float) -> bool:
    """Far apart, and on two sides of what is usually believed."""
    smallest = 1 / SHUFFLES
    orders = math.log10(max(p, smallest)) - math.log10(max(tested_p, smallest))
    is_apart = abs(orders) > MAX_P_LOG10_APART
    return is_apart and (p <= USUAL_P) != (tested_p <= USUAL_P)


def _flipped(columns: Columns, rng: Any) -> float:
    """The two runs of each pair exchanged or not."""
    np = numpy()
    arm_means, control_means, _, _ = matched(columns)
    change = arm_means - control_means
    signs = rng.choice((-1.0, 1.0), size=(SHUFFLES, len(change)))
    drawn = np.abs(signs @ change) / len(change)
    return float((1 + (drawn >= abs(change.mean()) - 1e-12).sum()) / (SHUFFLES + 1))


def _reshuffled(columns: Columns, rng: Any) -> float:
    """Studentised (Chung and Romano 2013), so that unequal spreads do not mislead it."""
    np = numpy()
    names: dict[str, int] = {}
    strata = np.array(
        [names.setdefault(trial.stratum, len(names)) for trial in columns.trials]
    )
    order = np.argsort(strata, kind="stable")
    values = (columns.values - columns.values.mean())[order]
    treated, strata = columns.treated[order], strata[order]
    keys = rng.random((SHUFFLES, len(values))) + strata
    redrawn = treated[np.argsort(keys, axis=1)]
    chosen = np.concatenate([treated[None, :], redrawn]).astype(float)
    n1 = chosen.sum(1)
    n0 = len(values) - n1
    s1, q1 = chosen @ values, chosen @ values**2
    s0, q0 = values.sum() - s1, (values**2).sum() - q1
    variance = (q1 / n1 - (s1 / n1) ** 2) / n1 + (q0 / n0 - (s0 / n0) ** 2) / n0
    t = np.abs(s1 / n1 - s0 / n0) / np.sqrt(np.maximum(variance, 1e-300))
    return float((1 + (t[1:] >= t[0] * (1 - 1e-9)).sum()) / (SHUFFLES + 1))


def _independent(table: list[list[int]]) -> float | None:
    """Chi-squared; Fisher's exact test for two by two."""
    filled_rows = [row for row in table if sum(row)]
    columns = zip(*filled_rows, strict=True)
    live = [column for column in columns if sum(column)]
    if len(live) < 2 or len(live[0]) < 2:
        return None
    if len(live) == 2 and len(live[0]) == 2:
        return float(stats().fisher_exact(live).pvalue)
    return float(stats().chi2_contingency(live).pvalue)
