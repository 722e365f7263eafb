"""The figures of effects: every outcome with both intervals, and effects by stratum.

In them a thick bar is the interval read once and a thin line the one that holds at any time. Blue is better,
orange is worse, grey is neither.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from afterglow.experiment.report.outcome_units import better
from afterglow.experiment.report.view import TONES, View, apart, versus
from afterglow.records.experiment import Estimate, Interval, Step, StratumEffect
from afterglow.show.svg import (
    CHARACTER_WIDTH,
    Drawing,
    arrow,
    dot,
    hit,
    line,
    mark,
    n,
    text,
    toned,
)
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import number

HEAD = 30.0
MAX_STEPS = 120  # points of a line; more cannot be seen
MAX_STRATA = 24  # rows of a figure; the table has them all
Scale = Callable[[float], float]


class Canvas(NamedTuple):
    """How wide a figure is, from where to where its axis goes, how long names may be, how high a row is, and where in
    it the two lines of words and the bar stand. `below`: the bar stands under the words, not between them."""

    width: float
    left_edge: float
    right_edge: float
    name_characters: int
    row: float
    first_line: float
    second_line: float
    bar: float
    below: bool

    def stretches(self, top: float, rows: int) -> list[tuple[float, float]]:
        """From where to where lines go down behind the bars of so many rows: never through words."""
        if not self.below:
            return [(top, top + self.row * rows - 4)]
        bars = (top + self.row * row + self.bar for row in range(rows))
        return [(bar - 9, bar + 9) for bar in bars]


# Names beside their bars; on a phone above them, or either would be cut.
SCREEN = Canvas(640.0, 176.0, 492.0, 29, 34.0, 15.0, 28.0, 16.0, below=False)
PHONE = Canvas(360.0, 14.0, 346.0, 38, 58.0, 14.0, 28.0, 42.0, below=True)


def forest(view: View, canvas: Canvas = SCREEN) -> Drawing:
    """Every outcome, one row an arm. Each outcome has its own scale; where one way is better, it is to the right."""
    marks = _sides(canvas)
    y = 22.0
    for outcome, estimates in by_outcome(view):
        label, scale = clip(view.label(outcome), 44), scale_words(view, outcome)
        beside = CHARACTER_WIDTH * (len(label) + len(scale) + 6) < canvas.width
        head = HEAD if beside else HEAD + 14
        marks += [
            line(0, y, canvas.width, y, "grid"),
            text(0, y + 18, label, "s"),
            text(canvas.width, y + 18, scale, "m", "end")
            if beside
            else text(0, y + 32, scale, "m"),
            *_outcome_rows(view, canvas, estimates, y + head),
        ]
        y += head + canvas.row * len(estimates)
    return stamped(view, Drawing(canvas.width, y + 4, toned("calls", marks)))


def _outcome_rows(
    view: View, canvas: Canvas, estimates: Sequence[Estimate], top: float
) -> list[str]:
    outcome = estimates[0].outcome
    end = reach(view, outcome)
    at = _across(canvas, side(view, outcome), end)
    marks = _behind(view, outcome, canvas, at, top, len(estimates))
    for index, estimate in enumerate(estimates):
        marks.append(_row(view, estimate, canvas, at, end, top + canvas.row * index))
    return marks


def strata(view: View, canvas: Canvas = SCREEN) -> Drawing:
    """The primary outcome by stratum: where it was looked at, not tested."""
    drawn_strata = largest_strata(view)
    primary = view.plan.primary
    end = axis_reach(
        [abs(stratum.difference) for stratum in drawn_strata],
        [stratum.interval for stratum in drawn_strata],
    )
    at = _across(canvas, side(view, primary), end)
    top = 22.0
    marks = [
        *_sides(canvas),
        *_behind(view, primary, canvas, at, top, len(drawn_strata)),
    ]
    for index, stratum in enumerate(drawn_strata):
        y = top + canvas.row * index
        marks.append(_stratum(view, stratum, canvas, at, end, y))
    base = top + canvas.row * len(drawn_strata)
    return stamped(view, Drawing(canvas.width, base + 4, toned("calls", marks)))


def _stratum(
    view: View, stratum: StratumEffect, canvas: Canvas, at: Scale, end: float, y: float
) -> str:
    measure, longest = view.measure(view.plan.primary), canvas.name_characters
    sizes = f", n = {number(stratum.n)} and {number(stratum.n_control)}"
    arm = clip(printable(stratum.arm), max(longest - len(sizes), 6))
    name = printable(stratum.stratum) or "all"
    change, span = measure.change(stratum.difference), measure.span(stratum.interval)
    drawn = _bar(stratum.interval, at, end, y + canvas.bar, "ci thick")
    drawn += _point(stratum.difference, at, end, y + canvas.bar)
    parts = [
        hit(0, y, canvas.width, canvas.row),
        text(0, y + canvas.first_line, clip(name, longest), "s"),
        text(0, y + canvas.second_line, clip(arm + sizes, longest), "m"),
        toned("calls", drawn),
        text(canvas.width, y + canvas.first_line, change, "s", "end"),
        text(canvas.width, y + canvas.second_line, span, "m", "end"),
    ]
    exact = f"{change} ({view.level}, read once: {span}){sizes}"
    return mark(f"{name}, {printable(stratum.arm)}: {exact}", parts)


def by_outcome(view: View) -> list[tuple[str, list[Estimate]]]:
    outcomes: dict[str, list[Estimate]] = {}
    for _, estimate in view.estimates:
        outcomes.setdefault(estimate.outcome, []).append(estimate)
    return list(outcomes.items())


def side(view: View, outcome: str) -> int:
    """Whether more is drawn to the right (1) or to the left."""
    spec = view.specs.get(outcome)
    return -1 if spec and spec.direction == "lower" else 1


def reach(view: View, outcome: str) -> float:
    """How far the axis of an outcome goes to both sides."""
    estimates = [
        estimate for _, estimate in view.estimates if estimate.outcome == outcome
    ]
    reaches = [abs(estimate.difference) for estimate in estimates] + (
        [view.plan.min_effect] if outcome == view.plan.primary else []
    )
    return axis_reach(
        reaches,
        [estimate.interval for estimate in estimates],
        [estimate.sequence for estimate in estimates],
    )


def scale_words(view: View, outcome: str) -> str:
    spec, measure = view.specs.get(outcome), view.measure(outcome)
    return f"{better(spec)}; axis ±{measure.change(reach(view, outcome)).lstrip('+')}"


def arms_with_evidence(view: View) -> list[str]:
    return list(dict.fromkeys(step.arm for step in view.analysis.evidence))


def largest_strata(view: View) -> list[StratumEffect]:
    """Those with the most units, by name; the table has them all."""
    most = sorted(
        view.analysis.strata, key=lambda stratum: -(stratum.n + stratum.n_control)
    )[:MAX_STRATA]
    arms = list(view.plan.arms)
    return sorted(
        most,
        key=lambda stratum: (
            stratum.stratum,
            arms.index(stratum.arm) if stratum.arm in arms else len(arms),
        ),
    )


def thinned(steps: Sequence[Step], limit: int = MAX_STEPS) -> list[Step]:
    """At most so many of them, evenly, the last among them."""
    every = max(math.ceil(len(steps) / limit), 1)
    return list(reversed(list(reversed(steps))[::every]))


def settled(steps: Iterable[Step]) -> Step | None:
    """The step from which on the sequence has left out zero until now."""
    since = None
    for step in steps:
        since = (since or step) if apart(step.sequence) else None
    return since


def _row(
    view: View, estimate: Estimate, canvas: Canvas, at: Scale, end: float, y: float
) -> str:
    measure, longest = view.measure(estimate.outcome), canvas.name_characters
    tone, verdict = "calls", "only describes"
    if view.directed(estimate.outcome):
        tone, verdict = TONES.get(estimate.verdict, "calls"), estimate.verdict
    change, span = measure.change(estimate.difference), measure.span(estimate.sequence)
    middle = y + canvas.bar
    drawn = [
        *_bar(estimate.sequence, at, end, middle, "line"),
        *_bar(estimate.interval, at, end, middle, "ci thick"),
        *_point(estimate.difference, at, end, middle),
    ]
    parts = [
        hit(0, y, canvas.width, canvas.row),
        text(0, y + canvas.first_line, clip(printable(estimate.arm), longest)),
        text(0, y + canvas.second_line, clip(verdict, longest), "m"),
        toned(tone, drawn),
        text(canvas.width, y + canvas.first_line, change, "s", "end"),
        text(canvas.width, y + canvas.second_line, span, "m", "end"),
    ]
    exact = (
        f"{change} ({view.level}, at any time: {span}; read once: {measure.span(estimate.interval)}), "
        f"n = {number(estimate.n)} and {number(estimate.n_control)}"
    )
    name = f"{view.label(estimate.outcome)}, {versus(estimate)}"
    return mark(f"{name}: {verdict}, {exact}", parts)


def _bar(interval: Interval, at: Scale, end: float, y: float, kind: str) -> list[str]:
    """An interval; an arrow where it goes on beyond the axis, a cap where it ends."""
    if (
        math.isnan(interval.low)
        or math.isnan(interval.high)
        or interval.low > end
        or interval.high < -end
    ):
        return []
    low, high = max(interval.low, -end), min(interval.high, end)
    marks = [line(at(low), y, at(high), y, kind)]
    for value, cut in ((low, interval.low < -end), (high, interval.high > end)):
        if cut:
            marks.append(arrow(at(value), y, 1 if at(value) > at(0) else -1, 0))
        elif kind == "line":
            marks.append(line(at(value), y - 5, at(value), y + 5, kind))
    return marks


def _point(value: float, at: Scale, end: float, y: float) -> list[str]:
    return [dot(at(value), y)] if abs(value) <= end else []


def _across(canvas: Canvas, sign: int, end: float) -> Scale:
    middle = (canvas.left_edge + canvas.right_edge) / 2
    half = (canvas.right_edge - canvas.left_edge) / 2 - 10
    return lambda value: middle + sign * half * value / end


def _sides(canvas: Canvas) -> list[str]:
    return [
        text(canvas.left_edge, 12, "← worse", "m"),
        text(canvas.right_edge, 12, "better →", "m", "end"),
    ]


def _behind(
    view: View, outcome: str, canvas: Canvas, at: Scale, top: float, rows: int
) -> list[str]:
    """What the bars are read against: no difference, and shaded what is too small to matter."""
    marks: list[str] = []
    for high, low in canvas.stretches(top, rows):
        marks += _zone(view, outcome, canvas, at, high, low)
        marks.append(line(at(0), high, at(0), low, "ref"))
    return marks


def _zone(
    view: View, outcome: str, canvas: Canvas, at: Scale, top: float, base: float
) -> list[str]:
    """Differences of the primary outcome that are too small to matter."""
    if outcome != view.plan.primary or not view.plan.min_effect:
        return []
    low, high = sorted((at(-view.plan.min_effect), at(view.plan.min_effect)))
    low, high = max(low, canvas.left_edge), min(high, canvas.right_edge)
    size = f'width="{n(high - low)}" height="{n(base - top)}"'
    return [f'<rect class="band" x="{n(low)}" y="{n(top)}" {size}/>']


def axis_reach(
    values: Iterable[float], fixed: Sequence[Interval], wide: Sequence[Interval] = ()
) -> float:
    """The whole fixed intervals, and of those valid at any time as much as does not squeeze them."""
    near = [
        abs(end) for interval in fixed for end in (interval.low, interval.high)
    ] + list(values)
    most = max((value for value in near if math.isfinite(value)), default=0.0)
    far = max(
        (
            abs(end)
            for interval in wide
            for end in (interval.low, interval.high)
            if math.isfinite(end)
        ),
        default=0.0,
    )
    return 1.05 * max(most, min(far, 2 * most) if most else far) or 1.0


def stamped(view: View, drawing: Drawing) -> Drawing:
    """A figure may be cut out of its page: that it shows generated data goes with it. On a phone the edges are taken."""
    if not view.simulated:
        return drawing
    x, anchor = drawing.width, "end"
    if drawing.width <= PHONE.width:
        x, anchor = drawing.width / 2, "middle"
    stamp = toned("within", [text(x, 12, "SIMULATED", "s", anchor)])
    return drawing._replace(body=drawing.body + stamp)
