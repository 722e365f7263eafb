"""The last act of `afterglow demo`: what the simulated experiment says, beside what is true."""

from __future__ import annotations

from afterglow.records.experiment import Estimate
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import level, number, round_percent
from afterglow_demo.agent import HEEDING, Temper
from afterglow_demo.closed_loop import Effect, Loop

MANY = 1000  # from here on a number is written out


def describe(heeded: Loop, ignored: Loop) -> str:
    """Both runs: the whole of the one where contexts do something, and what the other says of nothing."""
    return "\n".join(
        [
            paragraph(_story(heeded, HEEDING)),
            "",
            _table(heeded),
            "",
            *(
                paragraph(f"{one.arm}: {one.says}", bullet="- ")
                for one in _primary(heeded)
            ),
            "",
            paragraph(
                "The same weeks with agents that ignore their contexts, so that there is nothing to find: "
                + "; ".join(_brief(one) for one in _primary(ignored))
                + f". {_alarms(ignored)}"
            ),
        ]
    )


def _story(found: Loop, temper: Temper) -> str:
    plan, many = found.analysis.plan, number(len(found.sessions))
    return (
        f"SIMULATED agents. After a week that was only harvested ({number(found.run_in)} sessions), {many} more were "
        f"assigned to {', '.join(plan.arms)} as they started; every night they were scanned, settled and harvested "
        f"({number(found.items)} items in the end, {number(found.proved)} contexts proved in transcripts). An agent "
        f"that meets a planted problem errs with a chance of {round_percent(temper.unwarned)}, and of "
        f"{round_percent(temper.warned)} if its "
        f"context has the remedy; reading a context takes it {temper.reading:g} s. So the truth is known: what the "
        "same sessions would have come to if they had started cold."
    )


def _table(found: Loop) -> str:
    true = {(one.outcome, one.arm): one for one in found.effects}
    rows = [
        (
            one.outcome, one.arm, f"{one.n}/{one.n_control}", _plain(one.mean_control), _signed(one.difference),
            f"{_signed(one.sequence.low)} to {_signed(one.sequence.high)}", _truth(true.get((one.outcome, one.arm))),
            one.verdict,
        )
        for one in found.analysis.estimates
    ]  # fmt: skip
    sure = f"{level(found.analysis.plan.alpha)}, any time"
    headers = (
        "outcome",
        "arm",
        "n",
        found.analysis.plan.control,
        "differs",
        sure,
        "truth",
        "verdict",
    )
    return table(
        headers,
        rows,
        right=f"n {found.analysis.plan.control} differs truth",
        whole="verdict",
    )


def _truth(effect: Effect | None) -> str:
    return _signed(effect.difference) if effect else "–"


def _primary(found: Loop) -> list[Estimate]:
    return [
        one
        for one in found.analysis.estimates
        if one.outcome == found.analysis.plan.primary
    ]


def _brief(one: Estimate) -> str:
    low, high = _signed(one.sequence.low), _signed(one.sequence.high)
    return f"{one.outcome} {one.arm} {_signed(one.difference)} ({low} to {high}), {one.verdict}"


def _alarms(found: Loop) -> str:
    """How many comparisons claim something, where nothing is there to be found."""
    every = found.analysis.estimates
    claims = [
        f"{one.outcome} {one.arm} {one.verdict}"
        for one in every
        if one.verdict in ("better", "worse")
    ]
    return f"False alarms: {', '.join(claims) or 'none'} in {len(every)} comparisons."


def _plain(value: float) -> str:
    return number(round(value)) if abs(value) >= MANY else f"{value:.3g}"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + _plain(value)
