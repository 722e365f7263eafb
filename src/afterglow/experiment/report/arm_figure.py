"""The primary outcome by arm: what each arm reached, each one's difference from the control, and those of arms from each
other where the plan asks for them."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.experiment.report.figures import stamped
from afterglow.experiment.report.outcome_units import p_value
from afterglow.experiment.report.view import TONES, View
from afterglow.records.experiment import ArmLevel, Estimate, Interval
from afterglow.show.arm_figures import (
    DifferenceRow,
    LevelRow,
    Writing,
    arm_drawing,
    arm_lines,
)
from afterglow.show.blocks import Block, Figure
from afterglow.show.interval_rows import NARROW_WIDTH
from afterglow.text.clip import printable
from afterglow.text.numbers import number

SIDES = {"higher": 1, "lower": -1}
NAME = "arms"  # of the figure, and of its file


def arm_figure(view: View) -> Iterator[Block]:
    """Nothing where the analysis has no levels: one that was kept from before there were any."""
    outcome = view.plan.primary
    levels = [level for level in view.analysis.levels if level.outcome == outcome]
    if not levels:
        return
    rows = [_level(level) for level in levels]
    estimates = (estimate for _, estimate in view.primary)
    differences = [_difference(each) for each in (*estimates, *view.analysis.between)]
    label = view.label(outcome)
    same_tasks = ", on the same tasks" if view.plan.every_arm else ""
    titles = (f"{label}, by arm", f"Differences{same_tasks}")
    writing = _writing(view, outcome)
    narrow = arm_drawing(
        rows, differences, titles=titles, writing=writing, width=NARROW_WIDTH
    )
    yield Figure(
        NAME,
        f"The arms: {label}",
        _caption(view),
        stamped(view, arm_drawing(rows, differences, titles=titles, writing=writing)),
        arm_lines(rows, differences, titles=titles, writing=writing),
        "levels",
        stamped(view, narrow),
    )


def _caption(view: View) -> str:
    paired = any(estimate.discordant for _, estimate in view.primary)
    tasks = ", and the tasks that were a yes in the first arm alone, then in the second alone"
    return (
        f"Bars are {view.level} intervals read once; those of arms allow for units of a cluster being alike. A difference "
        "is blue where the verdict is better, orange where it is worse. Small print: p, corrected where several "
        f"arms are compared{tasks if paired else ''}."
    )


def _level(level: ArmLevel) -> LevelRow:
    interval = level.interval
    low, high = (interval.low, interval.high) if interval else (None, None)
    return LevelRow(printable(level.arm), level.mean, low, high, level.n)


def _difference(estimate: Estimate) -> DifferenceRow:
    p = p_value(estimate.p if estimate.holm is None else estimate.holm)
    note = f"p {p}" if p.startswith("<") else f"p = {p}"
    if estimate.discordant is not None:
        arm, control = estimate.discordant
        note += f"; {number(arm)} to {number(control)}"
    return DifferenceRow(
        printable(estimate.arm),
        printable(estimate.control),
        estimate.difference,
        estimate.interval.low,
        estimate.interval.high,
        note,
        TONES.get(estimate.verdict, "calls"),
    )


def _writing(view: View, outcome: str) -> Writing:
    measure, spec = view.measure(outcome), view.specs.get(outcome)
    coarse = measure._replace(decimals=max(measure.decimals - 1, 0))

    def level_span(low: float, high: float) -> str:
        return f"{measure.bare(low)} to {measure.bare(high)}"

    def change_span(low: float, high: float) -> str:
        return measure.span(Interval(low, high))

    return Writing(
        level=measure.level,
        level_span=level_span,
        change=measure.change,
        change_span=change_span,
        level_label=coarse.level,
        change_label=coarse.signed,
        better=SIDES.get(spec.direction, 0) if spec else 0,
        share=measure.unit == "%",
        unit=view.unit,
    )
