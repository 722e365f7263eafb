"""The figures of the loop: what each arm reached, and its difference to sessions told nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from afterglow.show.arm_figures import (
    DifferenceRow,
    LevelRow,
    arm_drawing,
    arm_lines,
)
from afterglow.show.blocks import Block, Figure
from afterglow.show.interval_rows import NARROW_WIDTH, SCREEN_WIDTH
from bench.paper.formats import p_value
from bench.paper.results import Results

PRIMARY = "success"


def arms(results: Results, plan: str) -> Sequence[Block]:
    """Success by arm, and every arm less the first one of the plan."""
    name, _, plan_name = plan.partition(":")
    address = f"{name}:plans.{plan_name}"
    found = results.value(address)
    control = found["arms"][0]
    levels = [_level(arm, found["outcomes"][PRIMARY][arm]) for arm in found["arms"]]
    differences = [
        _difference(entry)
        for entry in found["comparisons"]
        if entry["outcome"] == PRIMARY and entry["against"] == control
        if entry["low"] is not None and entry["high"] is not None
    ]
    titles = ("tasks solved", f"less {control}, in points")
    return [
        Figure(
            name=f"arms-{plan_name}",
            title=f"Tasks solved, plan {plan_name}",
            caption=f"Above, the share of tasks solved in each arm; below, the paired difference to {control}. Bars "
            "are 95 % intervals.",
            drawing=arm_drawing(levels, differences, titles=titles, width=SCREEN_WIDTH),
            plain=arm_lines(levels, differences, titles=titles),
            path=f"{address}.outcomes.{PRIMARY}",
            narrow=arm_drawing(levels, differences, titles=titles, width=NARROW_WIDTH),
        )
    ]


def _level(arm: str, found: dict[str, Any]) -> LevelRow:
    low, high = found.get("low"), found.get("high")
    return LevelRow(arm, found["value"], low, high, found["n"])


def _difference(found: dict[str, Any]) -> DifferenceRow:
    note = p_value(found["p"]) if found.get("p") is not None else ""
    return DifferenceRow(
        found["arm"], found["against"], found["estimate"], found["low"], found["high"], note
    )  # fmt: skip


FIGURES = {"arms": arms}
