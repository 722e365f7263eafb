"""What a comparison says, in one of four ways, and the sentence for it.

The primary outcome is judged on its own, as planned; the others are corrected for being several (Holm). An effect is
claimed from the sequence, which holds whenever it is read, or from the fixed result of the first `planned` units.
Neither claims "no difference" for want of data: that takes an interval inside what would matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from afterglow.experiment.analysis.compare import Comparison, Standing
from afterglow.experiment.analysis.power import detectable, scaled
from afterglow.records.experiment import Interval, OutcomeSpec, Plan

Verdict = Literal["better", "worse", "no difference that matters", "could not tell"]


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


def needs(plan: Plan, comparison: Comparison) -> int | None:
    """Units in the smaller arm that would show what the plan calls worth knowing."""
    variance = comparison.contrast.variance
    if not plan.min_effect or not math.isfinite(variance):
        return None
    n = min(comparison.n, comparison.n_control)
    return scaled(n, variance, plan.min_effect, plan.alpha, plan.power)


def judge(plan: Plan, case: Case) -> tuple[Verdict, str]:
    contrast = case.now.contrast
    seen = f"{figure(contrast.mean, case.spec)} against {figure(contrast.mean_control, case.spec)}"
    varied = contrast.spread > 1e-9 * max(contrast.mean**2, contrast.mean_control**2, 1e-9)
    if case.primary and plan.min_effect and varied:
        for interval, when in _readings(case):
            if -plan.min_effect <= interval.low and interval.high <= plan.min_effect:
                less = figure(plan.min_effect, case.spec, apart=True)
                return (
                    "no difference that matters",
                    f"no difference that matters: {seen}; less than {less} either way {when}.",
                )
    claimed = _claimed(plan, case)
    if claimed:
        interval, when, evidence = claimed
        higher = interval.low + interval.high > 0
        moved = figure(contrast.difference, case.spec, signed=True)
        where = f"{seen}, {moved} ({when} {span(interval, case.spec)}; {evidence})"
        if case.spec.direction == "none":
            return (
                "could not tell",
                f"{'higher' if higher else 'lower'}: {where}. It only describes: neither way is better.",
            )
        good = higher == (case.spec.direction == "higher")
        return ("better", f"better: {where}.") if good else ("worse", f"worse: {where}.")
    return "could not tell", f"could not tell: {seen}; {_short_of(plan, case)}."


def _readings(case: Case) -> list[tuple[Interval, str]]:
    fixed = [(case.fixed.interval, "at the planned size")] if case.fixed else []
    return [(case.standing.sequence, "at any time it is read"), *fixed]


def _claimed(plan: Plan, case: Case) -> tuple[Interval, str, str] | None:
    if case.p_any <= plan.alpha:
        return case.standing.sequence, "at any time", f"e = {_big(case.standing.e)}"
    if case.fixed and case.p <= plan.alpha:
        return case.fixed.interval, "at the planned size", f"p = {chance(case.fixed.p)}"
    return None


def _short_of(plan: Plan, case: Case) -> str:
    power = f"{plan.power:.0%}".replace("%", " %")
    unit = "tasks" if plan.unit == "task" or case.now.pairs else "sessions"
    if not math.isfinite(case.now.contrast.variance):
        return "one cluster in an arm says nothing about others"
    need = needs(plan, case.now) if case.primary else None
    have = min(case.now.n, case.now.n_control)
    if need and need > have:
        arm = unit if case.now.pairs else f"{unit} per arm"
        return f"{power} power needs about {_round(need):,} {arm}, there are {have:,}"
    least = figure(detectable(case.now.contrast.variance, plan.alpha, plan.power), case.spec, apart=True)
    size = f"{have:,} {unit}" if case.now.pairs else f"{have:,} {unit} per arm"
    return f"with {size} only a difference of {least} or more would be seen ({power} power)"


def figure(value: float, spec: OutcomeSpec, *, signed: bool = False, apart: bool = False) -> str:
    """A value of the outcome; or how far two are apart, with its sign or without."""
    sign = "+" if signed and value > 0 else ""
    if spec.scale in ("yes-no", "rate"):
        return f"{sign}{100 * value:.1f}{' points' if signed or apart else ' %'}"
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 4
    return f"{sign}{value:,.{digits}f}{' ' + spec.unit if spec.unit else ''}"


def span(interval: Interval, spec: OutcomeSpec) -> str:
    low, high = (figure(bound, spec, signed=True) for bound in (interval.low, interval.high))
    return f"from {low} to {high}"


def chance(p: float) -> str:
    return "under .001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def _big(e: float) -> str:
    return "over a million" if e > 1e6 else f"{e:,.0f}"


def _round(n: int) -> int:
    """Two digits that count: it is an estimate."""
    step: int = 10 ** max(len(str(n)) - 2, 0)
    return math.ceil(n / step) * step
