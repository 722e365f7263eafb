"""The figures: effects with both intervals, the evidence as it grew, effects by stratum.

In all of them a thick bar is the interval read once and a thin line the one that holds at any time. Blue is better,
orange is worse, grey is neither.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from afterglow.experiment.report.outcome_units import Measure, better
from afterglow.experiment.report.view import TONES, View, apart
from afterglow.records.experiment import Estimate, Interval, Step, StratumEffect
from afterglow.show.svg import Drawing, arrow, dot, line, n, path, text, ticks, toned
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import number

WIDTH = 640.0
LEFT, RIGHT = 176.0, 148.0  # for the names and for the numbers
HEAD, ROW = 30.0, 34.0
MAX_STEPS = 120  # points of a line; more cannot be seen
MAX_STRATA = 24  # rows of a figure; the table has them all
Scale = Callable[[float], float]


def forest(view: View) -> Drawing:
    """Every outcome, one row an arm. Each outcome has its own scale; where one way is better, it is to the right."""
    marks = [*_sides("← worse", "better →")]
    y = 22.0
    for outcome, rows in by_outcome(view):
        measure, sign, end = (
            view.measure(outcome),
            side(view, outcome),
            reach(view, outcome),
        )
        at = _across(sign, end)
        height = HEAD + ROW * len(rows)
        marks += [
            line(0, y, WIDTH, y, "grid"),
            text(0, y + 18, clip(view.label(outcome), 44), "s"),
            text(WIDTH, y + 18, scale_words(view, outcome), "m", "end"),
            *_zone(view, outcome, at, y + HEAD, y + height),
            line(at(0), y + HEAD, at(0), y + height - 4, "ref"),
        ]
        for index, estimate in enumerate(rows):
            marks.append(
                _row(
                    estimate,
                    measure,
                    at,
                    end,
                    y + HEAD + ROW * (index + 0.5) - 3,
                    view.directed(outcome),
                )
            )
        y += height
    return _stamped(view, Drawing(WIDTH, y + 4, toned("calls", marks)))


def evidence(view: View) -> Drawing:
    """The primary outcome of each arm as it would have been read after each unit, with its confidence sequence."""
    marks: list[str] = []
    top = 22.0
    for arm in arms_with_evidence(view):
        steps = thinned([step for step in view.analysis.evidence if step.arm == arm])
        marks += _Panel(view, steps, top).marks()
        top += 196.0
    return _stamped(view, Drawing(WIDTH, max(top, 40.0), toned("calls", marks)))


def strata(view: View) -> Drawing:
    """The primary outcome by stratum: where it was looked at, not tested."""
    drawn_strata = largest_strata(view)
    measure, sign = view.measure(view.plan.primary), side(view, view.plan.primary)
    end = _reach(
        [abs(stratum.difference) for stratum in drawn_strata],
        [stratum.interval for stratum in drawn_strata],
    )
    at = _across(sign, end)
    base = 22.0 + ROW * len(drawn_strata)
    marks = [
        *_sides("← worse", "better →"),
        *_zone(view, view.plan.primary, at, 22, base),
        line(at(0), 22, at(0), base, "ref"),
    ]
    for index, stratum in enumerate(drawn_strata):
        y = 22 + ROW * (index + 0.5)
        marks += [
            text(0, y - 2, clip(printable(stratum.stratum) or "all", 29), "s"),
            text(
                0,
                y + 12,
                f"{clip(printable(stratum.arm), 16)}, n = {number(stratum.n)} and {number(stratum.n_control)}",
                "m",
            ),
            toned(
                "calls",
                _bar(stratum.interval, at, end, y, "ci")
                + _point(stratum.difference, at, end, y),
            ),
            text(WIDTH, y - 2, measure.change(stratum.difference), "s", "end"),
            text(WIDTH, y + 12, measure.span(stratum.interval), "m", "end"),
        ]
    return _stamped(view, Drawing(WIDTH, base + 4, toned("calls", marks)))


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
    return _reach(
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
    estimate: Estimate,
    measure: Measure,
    at: Scale,
    end: float,
    y: float,
    directed: bool,
) -> str:
    tone = TONES.get(estimate.verdict, "calls") if directed else "calls"
    drawn = _bar(estimate.sequence, at, end, y, "line") + _bar(
        estimate.interval, at, end, y, "ci"
    )
    return "".join(
        (
            text(0, y - 1, clip(printable(estimate.arm), 26), ""),
            text(0, y + 12, estimate.verdict if directed else "only describes", "m"),
            toned(tone, drawn + _point(estimate.difference, at, end, y)),
            text(WIDTH, y - 1, measure.change(estimate.difference), "s", "end"),
            text(WIDTH, y + 12, measure.span(estimate.sequence), "m", "end"),
        )
    )


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
    if kind == "ci":
        marks[0] = marks[0].replace(
            "<line ", '<line style="stroke-width:8;stroke-linecap:butt" '
        )
    for value, cut in ((low, interval.low < -end), (high, interval.high > end)):
        if cut:
            marks.append(arrow(at(value), y, 1 if at(value) > at(0) else -1, 0))
        elif kind == "line":
            marks.append(line(at(value), y - 5, at(value), y + 5, kind))
    return marks


def _point(value: float, at: Scale, end: float, y: float) -> list[str]:
    return [dot(at(value), y)] if abs(value) <= end else []


def _across(sign: int, end: float) -> Scale:
    middle, half = (LEFT + WIDTH - RIGHT) / 2, (WIDTH - LEFT - RIGHT) / 2 - 10
    return lambda value: middle + sign * half * value / end


def _sides(left_words: str, right_words: str) -> list[str]:
    return [
        text(LEFT, 12, left_words, "m"),
        text(WIDTH - RIGHT, 12, right_words, "m", "end"),
    ]


def _zone(view: View, outcome: str, at: Scale, top: float, base: float) -> list[str]:
    """Differences of the primary outcome that are too small to matter."""
    if outcome != view.plan.primary or not view.plan.min_effect:
        return []
    low, high = sorted((at(-view.plan.min_effect), at(view.plan.min_effect)))
    low, high = max(low, LEFT), min(high, WIDTH - RIGHT)
    return [
        f'<rect class="band" x="{n(low)}" y="{n(top)}" width="{n(high - low)}" height="{n(base - top - 4)}"/>'
    ]


def _reach(
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


class _Panel:
    """One arm's evidence: units to the right, the difference upward, zero in the middle."""

    LEFT_EDGE, RIGHT_EDGE, HEIGHT = 62.0, WIDTH - 12, 150.0

    def __init__(self, view: View, steps: Sequence[Step], top: float) -> None:
        self.view, self.steps, self.top = view, steps, top
        self.base = top + self.HEIGHT
        self.last_n = max(steps[-1].n, 1)
        later = steps[len(steps) // 2 :]
        reaches = [abs(step.difference) for step in later]
        reaches.append(1.3 * view.plan.min_effect)
        sequences = [step.sequence for step in later]
        self.end = _reach(reaches, [steps[-1].sequence], sequences)

    def across(self, units: float) -> float:
        width = self.RIGHT_EDGE - self.LEFT_EDGE
        return self.LEFT_EDGE + width * units / self.last_n

    def up(self, value: float) -> float:
        held = min(max(value, -self.end), self.end)
        half = (self.HEIGHT - 28) / 2
        return (self.top + self.base) / 2 + 14 - half * held / self.end

    def level(self, value: float, kind: str) -> str:
        return line(
            self.LEFT_EDGE, self.up(value), self.RIGHT_EDGE, self.up(value), kind
        )

    def marks(self) -> list[str]:
        arm = clip(printable(self.steps[-1].arm), 40)
        title = f"{arm}: difference from {printable(self.view.plan.control)}"
        drawn = [*self.band(), *self.course()]
        return [
            text(0, self.top + 2, title, "s"),
            *self.value_axis(),
            *self.unit_axis(),
            *self.references(),
            toned(self.tone(), drawn),
        ]

    def value_axis(self) -> list[str]:
        measure = self.view.measure(self.view.plan.primary)
        positive = [value for value in ticks(self.end) if value <= self.end]
        marks = []
        for tick in sorted({*positive, *(-value for value in positive)}):
            words = measure.signed(tick)
            marks += [
                self.level(tick, "grid"),
                text(self.LEFT_EDGE - 7, self.up(tick) + 4, words, "m", "end"),
            ]
        return marks

    def unit_axis(self) -> list[str]:
        room_for_end = 90
        inner = [
            tick
            for tick in ticks(self.last_n)
            if 0 < tick <= self.last_n
            and self.across(tick) < self.RIGHT_EDGE - room_for_end
        ]
        y = self.base + 20
        end = f"{number(self.last_n)} {self.view.unit}s"
        return [
            *(
                text(self.across(tick), y, number(tick), "m", "middle")
                for tick in inner
            ),
            text(self.RIGHT_EDGE, y, end, "m", "end"),
        ]

    def references(self) -> list[str]:
        """Dashed: no difference, and the smallest worth knowing."""
        smallest = self.view.plan.min_effect
        values = [0.0, smallest, -smallest] if smallest else [0.0]
        return [self.level(value, "ref") for value in values]

    def band(self) -> list[str]:
        bounded = [
            step
            for step in self.steps
            if not math.isnan(step.sequence.low) and not math.isnan(step.sequence.high)
        ]
        edge = [(self.across(step.n), self.up(step.sequence.high)) for step in bounded]
        edge += [
            (self.across(step.n), self.up(step.sequence.low))
            for step in reversed(bounded)
        ]
        return [f'<polygon class="band" points="{path(edge)}"/>'] if edge else []

    def course(self) -> list[str]:
        places = [
            (self.across(step.n), self.up(step.difference)) for step in self.steps
        ]
        return [
            f'<polyline class="line" points="{path(places)}"/>',
            dot(*places[-1]),
        ]

    def tone(self) -> str:
        primary, last = self.view.plan.primary, self.steps[-1]
        if not apart(last.sequence) or not self.view.directed(primary):
            return "calls"
        gain = last.difference * side(self.view, primary)
        return TONES["better" if gain > 0 else "worse"]


def _stamped(view: View, drawing: Drawing) -> Drawing:
    """A figure may be cut out of its page: that it shows generated data goes with it."""
    if not view.simulated:
        return drawing
    return Drawing(
        drawing.width,
        drawing.height,
        drawing.body + toned("within", [text(WIDTH, 12, "SIMULATED", "s", "end")]),
    )
