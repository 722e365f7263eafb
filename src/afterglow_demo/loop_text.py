"""The last act of `afterglow demo`: what the simulated experiment says, beside what is true."""

from __future__ import annotations

from math import isinf

from afterglow.records.experiment import Estimate
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import level, number, round_percent
from afterglow_demo.agent import HEEDING, Temper
from afterglow_demo.closed_loop import Effect, Loop

MIN_WRITTEN_OUT = 1000  # from here on three digits would hide what matters


def describe(heeded: Loop, ignored: Loop) -> str:
    """Both runs: the whole of the one where contexts do something, and what the other says of nothing."""
    return "\n".join(
        [
            paragraph(_story(heeded, HEEDING)),
            "",
            _table(heeded),
            "",
            *(
                paragraph(f"{estimate.arm}: {estimate.says}", bullet="- ")
                for estimate in _primary(heeded)
            ),
            "",
            paragraph(
                "The same weeks with agents that ignore their contexts, so that there is nothing to find: "
                + "; ".join(_brief(estimate) for estimate in _primary(ignored))
                + f". {_alarms(ignored)}"
            ),
        ]
    )


def _story(loop: Loop, temper: Temper) -> str:
    plan, sessions = loop.analysis.plan, number(len(loop.sessions))
    unwarned, warned = round_percent(temper.unwarned), round_percent(temper.warned)
    return (
        f"SIMULATED agents. After a week that was only harvested ({number(loop.run_in)} sessions), {sessions} more "
        f"were assigned to {', '.join(plan.arms)} as they started; every night they were scanned, settled and "
        f"harvested ({number(loop.items)} items in the end, {number(loop.proved)} contexts proved in transcripts). An "
        f"agent that meets a planted problem errs with a chance of {unwarned}, and of {warned} if its context has the "
        f"remedy; reading a context takes it {temper.reading:g} s. So the truth is known: what the same sessions "
        "would have come to if they had started cold."
    )


def _table(loop: Loop) -> str:
    plan = loop.analysis.plan
    effects = {(effect.outcome, effect.arm): effect for effect in loop.effects}
    rows = [
        _row(estimate, effects.get((estimate.outcome, estimate.arm)))
        for estimate in loop.analysis.estimates
    ]
    interval = f"{level(plan.alpha)}, any time"
    headers = (
        "outcome",
        "arm",
        "n",
        plan.control,
        "differs",
        interval,
        "truth",
        "verdict",
    )
    right = f"n {plan.control} differs truth"
    return table(headers, rows, right=right, whole="verdict")


def _row(estimate: Estimate, effect: Effect | None) -> tuple[str, ...]:
    return (
        estimate.outcome,
        estimate.arm,
        f"{estimate.n}/{estimate.n_control}",
        _plain(estimate.mean_control),
        _signed(estimate.difference),
        _interval(estimate),
        _signed(effect.difference) if effect else "–",
        estimate.verdict,
    )


def _primary(loop: Loop) -> list[Estimate]:
    analysis = loop.analysis
    return [
        estimate
        for estimate in analysis.estimates
        if estimate.outcome == analysis.plan.primary
    ]


def _brief(estimate: Estimate) -> str:
    return (
        f"{estimate.outcome} {estimate.arm} {_signed(estimate.difference)} "
        f"({_interval(estimate)}), {estimate.verdict}"
    )


def _interval(estimate: Estimate) -> str:
    return f"{_signed(estimate.sequence.low)} to {_signed(estimate.sequence.high)}"


def _alarms(loop: Loop) -> str:
    """How many comparisons claim something, where nothing is there to be found."""
    estimates = loop.analysis.estimates
    claims = [
        f"{estimate.outcome} {estimate.arm} {estimate.verdict}"
        for estimate in estimates
        if estimate.verdict in ("better", "worse")
    ]
    return (
        f"False alarms: {', '.join(claims) or 'none'} in {len(estimates)} comparisons."
    )


def _plain(value: float) -> str:
    if isinf(value):  # too few sessions for a bound
        return "∞" if value > 0 else "−∞"
    return number(round(value)) if abs(value) >= MIN_WRITTEN_OUT else f"{value:.3g}"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + _plain(value)
