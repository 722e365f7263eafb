"""What was not shown: comparisons that came out neither better nor worse, and how large a difference they rule out.

A null is a result. It says nothing by itself; the interval around it does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from afterglow.experiment.report.view import View, verdict, versus
from afterglow.records.experiment import Estimate
from afterglow.show.blocks import Block, Grid, Heading, Num, Para, Words, say
from afterglow.text.numbers import number

NULLS = ("could not tell", "no difference that matters")
VERDICTS = ("better", "worse", "no difference that matters", "could not tell")


def tally(view: View) -> Words:
    """How all comparisons came out, in a sentence."""
    verdicts: Counter[str] = Counter(
        estimate.verdict for _, estimate in _directed(view)
    )
    if not verdicts:
        return say("Nothing could be compared.")
    parts = ", ".join(
        f"{number(verdicts[name])} {name}" for name in VERDICTS if verdicts[name]
    )
    return say(
        "Of all comparisons with the control that can be better or worse: ",
        Num(parts, "estimates"),
        ".",
    )


def nulls(view: View, level: int = 2) -> Iterator[Block]:
    comparisons = [pair for pair in _directed(view) if pair[1].verdict in NULLS]
    if not comparisons:
        return
    yield Heading("What was not shown", level)
    yield Para(
        say(
            tally(view),
            " Of those that are neither better nor worse, the interval that holds at any time says how much better or "
            "worse the arm could still be; what lies beyond is ruled out.",
        )
    )
    yield Grid(
        "Neither better nor worse, and what is ruled out",
        ("comparison", "verdict", "better by more than", "worse by more than"),
        "llrr",
        tuple(_row(view, at, estimate) for at, estimate in comparisons),
    )


def _directed(view: View) -> list[tuple[int, Estimate]]:
    return [pair for pair in view.estimates if view.directed(pair[1].outcome)]


def _row(view: View, at: int, estimate: Estimate) -> tuple[Words, ...]:
    gain, loss = estimate.sequence.high, -estimate.sequence.low
    spec = view.specs.get(estimate.outcome)
    if spec and spec.direction == "lower":
        gain, loss = loss, gain
    return (
        say(f"{view.label(estimate.outcome)}, {versus(estimate)}"),
        verdict(estimate),
        say(_bound(view, at, estimate, gain)),
        say(_bound(view, at, estimate, loss)),
    )


def _bound(view: View, at: int, estimate: Estimate, size: float) -> str | Num:
    """How much; where the interval does not reach to that side, any difference there is ruled out."""
    if not math.isfinite(size):
        return "nothing is"
    measure = view.measure(estimate.outcome)
    text = measure.change(max(size, 0.0)).lstrip("+")
    return Num(text, f"estimates[{at}].sequence")
