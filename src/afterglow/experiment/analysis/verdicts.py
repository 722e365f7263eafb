"""What a comparison says, in one of four ways, and the sentence for it.

The primary outcome is judged on its own, as planned; the others are corrected for being several (Holm). An effect is
claimed from the sequence, which holds whenever it is read, or from the fixed result of the first `planned` units.
Neither claims "no difference" for want of data: that takes an interval inside what would matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from afterglow.experiment.analysis.compare import BOUNDED, Comparison, Standing
from afterglow.experiment.analysis.power import ANY_TIME, detectable, scaled
from afterglow.experiment.analysis.sequential import FEWEST
from afterglow.records.experiment import LARGEST, Interval, OutcomeSpec, Plan
from afterglow.text.numbers import round_percent

Verdict = Literal["better", "worse", "no difference that matters", "could not tell"]
Reading = tuple[
    Comparison, Interval, str
]  # what was seen, the interval that holds for it, and when it does


class Case(NamedTuple):
    """All that is known of one arm on one outcome. `fixed` is the comparison of the first planned units, once they are
    there. `p` and `p_any` are corrected for several outcomes, except of the primary one."""

    spec: OutcomeSpec
    arm: str
    primary: bool
    now: Comparison
    standing: Standing
    fixed: Comparison | None
    p: float
    p_any: float


def holm(values: Sequence[float]) -> list[float]:
    """Holm 1979."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    corrected, highest = [1.0] * len(values), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(values[at] * (len(values) - rank), 1.0))
        corrected[at] = highest
    return corrected


def needs(plan: Plan, comparison: Comparison, fixed: Comparison | None) -> int | None:
    """Units in the smaller arm that would show what the plan calls worth knowing."""
    if not plan.min_effect or not _tells(comparison):
        return None
    n = min(comparison.n, comparison.n_control)
    return scaled(
        n,
        _price(plan, fixed) * comparison.contrast.safe_variance,
        plan.min_effect,
        plan.alpha,
        plan.power,
    )


def _tells(comparison: Comparison) -> bool:
    """Whether the spread of units is known at all."""
    return not comparison.contrast.uniform and math.isfinite(
        comparison.contrast.safe_variance
    )


def _price(plan: Plan, fixed: Comparison | None) -> float:
    """What reading at any time costs; a planned size that is still to come does without."""
    return 1.0 if plan.planned and fixed is None else ANY_TIME


def judge(plan: Plan, case: Case) -> tuple[Verdict, str]:
    if negligible := _negligible(plan, case):
        return (
            "no difference that matters",
            f"no difference that matters: {negligible}.",
        )
    claimed = _claimed(plan, case)
    if claimed is None:
        return (
            "could not tell",
            f"could not tell: {_means(case.now, case.spec)}; {_short_of(plan, case)}.",
        )
    (comparison, interval, when), evidence = claimed
    higher = comparison.contrast.difference > 0
    moved = figure(comparison.contrast.difference, case.spec, signed=True)
    around = f"{when} {span(interval, case.spec)}; {evidence}"
    means = _means(comparison, case.spec)
    where = f"{means}, {moved} ({around}){_since(case, comparison)}"
    if case.spec.direction == "none":
        way = "higher" if higher else "lower"
        return (
            "could not tell",
            f"{way}: {where}. It only describes: neither way is better.",
        )
    is_better = higher == (case.spec.direction == "higher")
    verdict: Verdict = "better" if is_better else "worse"
    return verdict, f"{verdict}: {where}."


def _negligible(plan: Plan, case: Case) -> str:
    """Where an interval lies inside what would matter, and how; empty where none does."""
    if not case.primary or not plan.min_effect:
        return ""
    for comparison, interval, when in _readings(case):
        if -plan.min_effect <= interval.low and interval.high <= plan.min_effect:
            less = figure(plan.min_effect, case.spec, apart=True)
            means = _means(comparison, case.spec)
            return (
                f"{means}; less than {less} either way {when}{_since(case, comparison)}"
            )
    return ""


def _means(comparison: Comparison, spec: OutcomeSpec) -> str:
    return f"{figure(comparison.contrast.mean, spec)} against {figure(comparison.contrast.mean_control, spec)}"


def _since(case: Case, comparison: Comparison) -> str:
    """What it is by now, where the result is that of the planned size and more has come since."""
    grown = (case.now.n, case.now.n_control) != (comparison.n, comparison.n_control)
    return f"; with all there are by now {_means(case.now, case.spec)}" if grown else ""


def _readings(case: Case) -> list[Reading]:
    fixed = (
        [(case.fixed, case.fixed.interval, "at the planned size")] if case.fixed else []
    )
    return [(case.now, case.standing.sequence, "at any time"), *fixed]


def _claimed(plan: Plan, case: Case) -> tuple[Reading, str] | None:
    any_time, *planned = _readings(case)
    if case.p_any <= plan.alpha:
        return any_time, f"evidence {_big(case.standing.e)} to 1"
    if planned and case.fixed and case.p <= plan.alpha:
        return planned[0], f"p = {chance(case.fixed.p)}"
    return None


def _short_of(plan: Plan, case: Case) -> str:
    contrast = case.now.contrast
    if contrast.uniform:
        return "values that are all the same do not tell how far chance reaches"
    if not _tells(case.now):
        return "one cluster in an arm says nothing about others"
    power = round_percent(plan.power)
    arm = _counted_in(plan, case)
    have = min(case.now.n, case.now.n_control)
    price = _price(plan, case.fixed)
    need = needs(plan, case.now, case.fixed) if case.primary else None
    if need and need > have:
        return f"{power} power needs about {_round(need):,} {arm}, there are {have:,}"
    if price > 1 and have < FEWEST:
        return f"nothing is read at any time before {FEWEST} {arm}, there are {have:,}"
    least = detectable(
        price * contrast.safe_variance, contrast.safe_freedom, plan.alpha, plan.power
    )
    if least > (1 if case.spec.scale in BOUNDED else LARGEST):
        return f"{have:,} {arm} are too few to see any difference"
    smallest = figure(least, case.spec, apart=True)
    return f"with {have:,} {arm} only a difference of {smallest} or more would be seen ({power} power)"


def _counted_in(plan: Plan, case: Case) -> str:
    """What sizes are counted in: tasks where each has both arms, else units of an arm."""
    if case.now.pairs:
        return "tasks"
    return "tasks per arm" if plan.unit == "task" else "sessions per arm"


def figure(
    value: float, spec: OutcomeSpec, *, signed: bool = False, apart: bool = False
) -> str:
    """A value of the outcome; or how far two are apart, with its sign or without."""
    sign = "+" if signed and value > 0 else ""
    if spec.scale in ("yes-no", "rate"):
        return f"{sign}{100 * value:.1f}{' points' if signed or apart else ' %'}"
    unit = f" {spec.unit}" if spec.unit else ""
    return f"{sign}{value:,.{_digits(value)}f}{unit}"


def _digits(value: float) -> int:
    """Decimals that leave about three digits to read."""
    for least, digits in ((1000, 0), (10, 1), (0.1, 2)):
        if abs(value) >= least:
            return digits
    return 4


def span(interval: Interval, spec: OutcomeSpec) -> str:
    low, high = (
        figure(bound, spec, signed=True) for bound in (interval.low, interval.high)
    )
    return f"from {low} to {high}"


def chance(p: float) -> str:
    return "under .001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def _big(e: float) -> str:
    return "over a million" if e > 1e6 else f"{e:,.0f}"


def _round(n: int) -> int:
    """Two digits that count: it is an estimate."""
    step: int = 10 ** max(len(str(n)) - 2, 0)
    return math.ceil(n / step) * step
