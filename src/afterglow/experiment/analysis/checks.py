"""What could make a comparison unfair. Each check says what it looked at; alarms are rare by design (1 in 100)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from afterglow.experiment.analysis.compare import Comparison, matched
from afterglow.experiment.analysis.contrast import between
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

ALARM = 0.01
BELIEF = 100.0  # how sure the sample-ratio bet is of its shares, in units
APART = 0.25  # standard deviations between arms that adjusting no longer repairs (Rubin 2001)
SHUFFLES = 999
SPARSE = 5


def sample_ratio(plan: Plan, assigned: Mapping[str, int]) -> FairnessCheck:
    """Whether arms have the sizes they were to have; an e-value, so it may be read any time (Lindon and Malek 2022)."""
    shares = [share / sum(plan.allocation) for share in plan.allocation]
    counts = [assigned.get(arm, 0) for arm in plan.arms]
    n = sum(counts)
    sizes = ", ".join(
        f"{count} {arm}" for arm, count in zip(plan.arms, counts, strict=True)
    )
    if not n:
        return FairnessCheck(
            "sample ratio",
            None,
            "no assignments were recorded: whether arms were drawn as planned cannot be told",
        )
    if plan.design == "paired":
        return FairnessCheck(
            "sample ratio", None, f"each task is run in every arm: {sizes}"
        )
    grown = math.lgamma(BELIEF) - math.lgamma(BELIEF + n)
    for share, count in zip(shares, counts, strict=True):
        if count and not share:
            return FairnessCheck(
                "sample ratio",
                False,
                f"an arm with a share of 0 has units: {sizes}",
                0.0,
            )
        if share:
            grown += (
                math.lgamma(BELIEF * share + count)
                - math.lgamma(BELIEF * share)
                - count * math.log(share)
            )
    p = math.exp(-max(grown, 0.0))
    if p < ALARM:
        planned_sizes = ", ".join(f"{n * share:.0f}" for share in shares)
        return FairnessCheck(
            "sample ratio",
            False,
            f"assigned {sizes} where {planned_sizes} were planned: find out why before believing anything",
            p,
        )
    return FairnessCheck("sample ratio", True, f"assigned {sizes}, as planned", p)


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
    with_result = {
        (t.unit, t.arm)
        for t in trials
        if not t.excluded and t.outcomes.get(plan.primary) is not None
    }
    left_out = {(t.unit, t.arm) for t in trials if t.excluded}
    units = {(assignment.unit, assignment.arm) for assignment in assignments} | {
        (t.unit, t.arm) for t in trials
    }
    yield _lost(
        "missing",
        "without a result",
        plan,
        units - left_out,
        units - left_out - with_result,
    )
    if left_out:
        yield _lost("exclusions", "left out by a rule", plan, units, left_out)


def _lost(
    name: str,
    words: str,
    plan: Plan,
    units: set[tuple[str, str]],
    lost: set[tuple[str, str]],
) -> FairnessCheck:
    units_by_arm, lost_by_arm = (
        Counter(arm for _, arm in units),
        Counter(arm for _, arm in lost),
    )
    shares = ", ".join(
        f"{arm} {lost_by_arm[arm]} of {units_by_arm[arm]}"
        for arm in plan.arms
        if units_by_arm[arm]
    )
    if not lost:
        return FairnessCheck(name, True, f"no unit is {words}")
    p = _independent(
        [
            [lost_by_arm[arm], units_by_arm[arm] - lost_by_arm[arm]]
            for arm in plan.arms
            if units_by_arm[arm]
        ]
    )
    if p is not None and p < ALARM:
        return FairnessCheck(
            name,
            False,
            f"{words}: {shares}; arms differ in this, so those who are left may differ too",
            p,
        )
    return FairnessCheck(name, True, f"{words}: {shares}; no sign that arms differ", p)


def covariates(arms: Sequence[str], trials: Sequence[Trial]) -> FairnessCheck:
    """What was known before the start, between the first arm and each other one."""
    names = sorted({name for trial in trials for name in trial.before})
    np = numpy()
    rows: list[tuple[float, float, str]] = []
    for name in names:
        values = {
            arm: np.array(
                [t.before[name] for t in trials if t.arm == arm and name in t.before]
            )
            for arm in arms
        }
        for arm in arms[1:]:
            x, y = values[arm], values[arms[0]]
            if min(len(x), len(y)) < 2:
                continue
            both, alone = np.concatenate([x, y]), np.arange(len(x) + len(y))
            found = between(both, alone < len(x), alone, alone, yes_no=False)
            if found.varies:
                p = Fit(found.difference, found.variance, found.freedom).p()
                rows.append(
                    (
                        p,
                        abs(found.difference) / math.sqrt(found.spread),
                        f"{name} ({arm})",
                    )
                )
    if not rows:
        return FairnessCheck(
            "covariates", None, "nothing was known of sessions before they started"
        )
    worst = max(rows, key=lambda row: row[1])
    lowest = min(holm([row[0] for row in rows]))
    if lowest < ALARM:
        return FairnessCheck(
            "covariates",
            False,
            f"arms differ in {min(rows)[2]} before the start: read the adjusted difference",
            lowest,
        )
    small = (
        ""
        if worst[1] <= APART
        else ", more than adjusting alone repairs, but chance explains it"
    )
    return FairnessCheck(
        "covariates",
        True,
        f"largest distance before the start: {worst[1]:.2f} sd in {worst[2]}{small}",
        lowest,
    )


def mix(
    name: str,
    what: str,
    of: Callable[[Trial], str],
    arms: Sequence[str],
    trials: Sequence[Trial],
) -> FairnessCheck | None:
    """Whether arms hold the same strata (projects and agents) or clusters. None when there is only one."""
    sizes = Counter(of(trial) for trial in trials)
    kept = [one for one, n in sizes.items() if n >= SPARSE * len(arms)]
    counts = Counter(
        (of(trial) if of(trial) in kept else "", trial.arm) for trial in trials
    )
    table = [[counts[one, arm] for arm in arms] for one in dict.fromkeys([*kept, ""])]
    table = [row for row in table if sum(row)]
    if len(sizes) < 2:
        return None
    p = _independent(table)
    if p is None:
        return FairnessCheck(
            name,
            None,
            f"too few sessions in each of {len(sizes)} {what} to compare arms",
        )
    if p < ALARM:
        return FairnessCheck(
            name,
            False,
            f"arms hold {what} in different shares: read the adjusted difference",
            p,
        )
    return FairnessCheck(
        name, True, f"arms hold the {len(sizes)} {what} in like shares", p
    )


def carry_over(columns: Columns, arm: str) -> FairnessCheck:
    """Whether the difference grows or shrinks over time: what one arm learned may have reached the other."""
    np = numpy()
    name = f"carry-over ({arm})"
    times = np.array([trial.time for trial in columns.trials], dtype=float)
    if len(times) < 20 or np.ptp(times) == 0:
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
    if p < ALARM:
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
    np = numpy()
    rng = np.random.default_rng(seed)
    name = f"shuffling ({arm})"
    if comparison.pairs:
        arm_means, control_means, _, _ = matched(columns)
        change = arm_means - control_means
        signs = rng.choice((-1.0, 1.0), size=(SHUFFLES, len(change)))
        drawn = np.abs(signs @ change) / len(change)
        p = float((1 + (drawn >= abs(change.mean()) - 1e-12).sum()) / (SHUFFLES + 1))
    elif comparison.contrast.clusters and comparison.contrast.whole:
        return FairnessCheck(
            name,
            None,
            f"not done: {comparison.contrast.clusters} clusters were assigned as a whole",
        )
    else:
        p = _reshuffled(columns, rng)
    apart = (
        abs(
            math.log10(max(p, 1 / SHUFFLES))
            - math.log10(max(comparison.p, 1 / SHUFFLES))
        )
        > 0.7
    )
    says = f"arms shuffled {SHUFFLES:,} times give p = {chance(p)}; the test gave {chance(comparison.p)}"
    across = (p <= 0.05) != (comparison.p <= 0.05)
    return FairnessCheck(
        name,
        not (apart and across),
        says + ("; trust the larger" if apart and across else ""),
        p,
    )


def _reshuffled(columns: Columns, rng: object) -> float:
    """Studentised (Chung and Romano 2013), so that unequal spreads do not mislead it."""
    np = numpy()
    names: dict[str, int] = {}
    strata = np.array(
        [names.setdefault(trial.stratum, len(names)) for trial in columns.trials]
    )
    order = np.argsort(strata, kind="stable")
    values, treated, strata = (
        (columns.values - columns.values.mean())[order],
        columns.treated[order],
        strata[order],
    )
    keys = rng.random((SHUFFLES, len(values))) + strata  # type: ignore[attr-defined]
    chosen = np.concatenate(
        [treated[None, :], treated[np.argsort(keys, axis=1)]]
    ).astype(float)
    n1 = chosen.sum(1)
    n0 = len(values) - n1
    s1, q1 = chosen @ values, chosen @ values**2
    s0, q0 = values.sum() - s1, (values**2).sum() - q1
    variance = (q1 / n1 - (s1 / n1) ** 2) / n1 + (q0 / n0 - (s0 / n0) ** 2) / n0
    t = np.abs(s1 / n1 - s0 / n0) / np.sqrt(np.maximum(variance, 1e-300))
    return float((1 + (t[1:] >= t[0] * (1 - 1e-9)).sum()) / (SHUFFLES + 1))


def _independent(table: list[list[int]]) -> float | None:
    """Chi-squared; Fisher's exact test for two by two."""
    live = [
        row for row in zip(*[row for row in table if sum(row)], strict=True) if sum(row)
    ]
    if len(live) < 2 or len(live[0]) < 2:
        return None
    if len(live) == 2 and len(live[0]) == 2:
        return float(stats().fisher_exact(live).pvalue)
    return float(stats().chi2_contingency(live).pvalue)
