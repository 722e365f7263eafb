"""The figures in characters, for Markdown: they show in a terminal, in a diff and wherever pictures are not let in."""

from __future__ import annotations

import math

from afterglow.experiment.report.figures import (
    arms_with_evidence,
    by_outcome,
    largest_strata,
    reach,
    scale_words,
    side,
    thinned,
)
from afterglow.experiment.report.unit_flow import streams
from afterglow.experiment.report.view import View
from afterglow.records.experiment import Interval
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import number

WIDE = 41  # an odd number, so that zero has a place
ROWS = 12  # of a confidence sequence
# Of an arm: most are short, so figures of different studies are alike; `template:examples` has 17.
MIN_NAME_CHARACTERS, MAX_NAME_CHARACTERS = 11, 20
_ZERO = {" ": "┊", "─": "┼", "━": "╋"}


def forest(view: View) -> tuple[str, ...]:
    arms = [printable(arm) for arm in view.plan.arms]
    longest = max(MIN_NAME_CHARACTERS, *map(len, arms))
    names = min(longest, MAX_NAME_CHARACTERS)
    lines = [f"{'':{names + 3}}{'worse':<{WIDE // 2}}0{'better':>{WIDE // 2}}"]
    for outcome, rows in by_outcome(view):
        measure, sign, end = (
            view.measure(outcome),
            side(view, outcome),
            reach(view, outcome),
        )
        lines.append(f"{view.label(outcome)} ({scale_words(view, outcome)})")
        for estimate in rows:
            drawn = bar(
                estimate.difference, end, sign, estimate.sequence, estimate.interval
            )
            numbers = f"{measure.change(estimate.difference)} [{measure.span(estimate.sequence)}]"
            name = clip(printable(estimate.arm), names)
            lines.append(f"  {name:<{names}} {drawn}  {numbers}")
    return tuple(lines)


def evidence(view: View) -> tuple[str, ...]:
    """One line a look, a dozen looks an arm."""
    measure, sign = view.measure(view.plan.primary), side(view, view.plan.primary)
    lines = []
    for arm in arms_with_evidence(view):
        steps = thinned(
            [step for step in view.analysis.evidence if step.arm == arm], ROWS
        )
        ends = [
            abs(end)
            for step in steps[len(steps) // 2 :]
            for end in (step.sequence.low, step.sequence.high)
        ]
        end = max((value for value in ends if math.isfinite(value)), default=0.0) or 1.0
        lines.append(f"{printable(arm)}, axis ±{measure.change(end).lstrip('+')}")
        for step in steps:
            drawn = bar(step.difference, end, sign, step.sequence)
            numbers = (
                f"{measure.change(step.difference)} [{measure.span(step.sequence)}]"
            )
            lines.append(f"  n = {number(step.n):<8}{drawn}  {numbers}")
    return tuple(lines)


def strata(view: View) -> tuple[str, ...]:
    measure, sign = view.measure(view.plan.primary), side(view, view.plan.primary)
    drawn_strata = largest_strata(view)
    ends = [
        abs(end)
        for stratum in drawn_strata
        for end in (stratum.interval.low, stratum.interval.high)
    ]
    end = max((value for value in ends if math.isfinite(value)), default=0.0) or 1.0
    return tuple(
        f"  {clip(f'{printable(stratum.stratum)}, {printable(stratum.arm)}', 29):<30}"
        f"{bar(stratum.difference, end, sign, stratum.interval, stratum.interval)}  "
        f"{measure.change(stratum.difference)} [{measure.span(stratum.interval)}]"
        for stratum in drawn_strata
    )


def flow(view: View) -> tuple[str, ...]:
    lines = []
    for stream in streams(view):
        why = ", ".join(
            f"{number(times)} {printable(rule)}"
            for rule, times in stream.excluded.items()
        )
        lines += [
            f"{printable(stream.arm)}: {number(stream.assigned)} {view.given}",
            f"  ├─ {number(sum(stream.excluded.values()))} left out by a rule{f' ({why})' if why else ''}",
            f"  ├─ {number(stream.lost)} without a record",
            f"  └─ {number(stream.analysed)} analysed",
        ]
    return tuple(lines)


def bar(
    value: float, end: float, sign: int, wide: Interval, narrow: Interval | None = None
) -> str:
    """`├──━━●━━──┤`: the point, the interval read once, the one valid at any time; zero is the middle."""
    cells = [" "] * WIDE
    for interval, mark, caps in ((wide, "─", "├┤"), (narrow, "━", "")):
        if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
            continue
        first, last = sorted(
            (_cell(sign * interval.low, end), _cell(sign * interval.high, end))
        )
        cells[first : last + 1] = mark * (last + 1 - first)
        if caps:
            low, high = sorted((sign * interval.low, sign * interval.high))
            cells[first], cells[last] = (
                "◄" if low < -end else caps[0],
                "►" if high > end else caps[1],
            )
    cells[WIDE // 2] = _ZERO.get(cells[WIDE // 2], cells[WIDE // 2])
    if math.isfinite(value):
        cells[_cell(sign * value, end)] = "●"
    return "".join(cells)


def _cell(value: float, end: float) -> int:
    held = min(max(value, -end), end)
    return round((WIDE - 1) * (held + end) / (2 * end))
