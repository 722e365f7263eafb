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
STEPS = 120  # points of a line; more cannot be seen
MOST_STRATA = 24
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
        for index, found in enumerate(rows):
            marks.append(
                _row(
                    found,
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
    measure = view.measure(view.plan.primary)
    marks, top = [], 22.0
    for arm in arms_with_evidence(view):
        steps = thinned([step for step in view.analysis.evidence if step.arm == arm])
        marks += _panel(view, measure, steps, top)
        top += 196.0
    return _stamped(view, Drawing(WIDTH, max(top, 40.0), toned("calls", marks)))


def strata(view: View) -> Drawing:
    """The primary outcome by stratum: where it was looked at, not tested."""
    shown = largest_strata(view)
    measure, sign = view.measure(view.plan.primary), side(view, view.plan.primary)
    end = _reach(
        [abs(found.difference) for found in shown], [found.interval for found in shown]
    )
    at = _across(sign, end)
    base = 22.0 + ROW * len(shown)
    marks = [
        *_sides("← worse", "better →"),
        *_zone(view, view.plan.primary, at, 22, base),
        line(at(0), 22, at(0), base, "ref"),
    ]
    for index, found in enumerate(shown):
        y = 22 + ROW * (index + 0.5)
        marks += [
            text(0, y - 2, clip(printable(found.stratum) or "all", 29), "s"),
            text(
                0,
                y + 12,
                f"{clip(printable(found.arm), 16)}, n = {number(found.n)} and {number(found.n_control)}",
                "m",
            ),
            toned(
                "calls",
                _bar(found.interval, at, end, y, "ci")
                + _point(found.difference, at, end, y),
            ),
            text(WIDTH, y - 2, measure.change(found.difference), "s", "end"),
            text(WIDTH, y + 12, measure.span(found.interval), "m", "end"),
        ]
    return _stamped(view, Drawing(WIDTH, base + 4, toned("calls", marks)))


def by_outcome(view: View) -> list[tuple[str, list[Estimate]]]:
    found: dict[str, list[Estimate]] = {}
    for _, one in view.estimates:
        found.setdefault(one.outcome, []).append(one)
    return list(found.items())


def side(view: View, outcome: str) -> int:
    """Whether more is drawn to the right (1) or to the left."""
    spec = view.specs.get(outcome)
    return -1 if spec and spec.direction == "lower" else 1


def reach(view: View, outcome: str) -> float:
    """How far the axis of an outcome goes to both sides."""
    found = [one for _, one in view.estimates if one.outcome == outcome]
    wanted = [abs(one.difference) for one in found] + (
        [view.plan.min_effect] if outcome == view.plan.primary else []
    )
    return _reach(
        wanted, [one.interval for one in found], [one.sequence for one in found]
    )


def scale_words(view: View, outcome: str) -> str:
    spec, measure = view.specs.get(outcome), view.measure(outcome)
    return f"{better(spec)}; axis ±{measure.change(reach(view, outcome)).lstrip('+')}"


def arms_with_evidence(view: View) -> list[str]:
    return list(dict.fromkeys(step.arm for step in view.analysis.evidence))


def largest_strata(view: View) -> list[StratumEffect]:
    """Those with the most units, by name; the table has them all."""
    most = sorted(view.analysis.strata, key=lambda found: -(found.n + found.n_control))[
        :MOST_STRATA
    ]
    arms = list(view.plan.arms)
    return sorted(
        most,
        key=lambda found: (
            found.stratum,
            arms.index(found.arm) if found.arm in arms else len(arms),
        ),
    )


def thinned(steps: Sequence[Step], most: int = STEPS) -> list[Step]:
    """At most so many of them, evenly, the last among them."""
    every = max(math.ceil(len(steps) / most), 1)
    return list(reversed(list(reversed(steps))[::every]))


def settled(steps: Iterable[Step]) -> Step | None:
    """The step from which on the sequence has left out zero until now."""
    found = None
    for step in steps:
        found = (found or step) if apart(step.sequence) else None
    return found


def _row(
    found: Estimate, measure: Measure, at: Scale, end: float, y: float, directed: bool
) -> str:
    tone = TONES.get(found.verdict, "calls") if directed else "calls"
    drawn = _bar(found.sequence, at, end, y, "line") + _bar(
        found.interval, at, end, y, "ci"
    )
    return "".join(
        (
            text(0, y - 1, clip(printable(found.arm), 26), ""),
            text(0, y + 12, found.verdict if directed else "only describes", "m"),
            toned(tone, drawn + _point(found.difference, at, end, y)),
            text(WIDTH, y - 1, measure.change(found.difference), "s", "end"),
            text(WIDTH, y + 12, measure.span(found.sequence), "m", "end"),
        )
    )


def _bar(found: Interval, at: Scale, end: float, y: float, kind: str) -> list[str]:
    """An interval; an arrow where it goes on beyond the axis, a cap where it ends."""
    if (
        math.isnan(found.low)
        or math.isnan(found.high)
        or found.low > end
        or found.high < -end
    ):
        return []
    low, high = max(found.low, -end), min(found.high, end)
    marks = [line(at(low), y, at(high), y, kind)]
    if kind == "ci":
        marks[0] = marks[0].replace(
            "<line ", '<line style="stroke-width:8;stroke-linecap:butt" '
        )
    for value, cut in ((low, found.low < -end), (high, found.high > end)):
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


def _sides(left: str, right: str) -> list[str]:
    return [text(LEFT, 12, left, "m"), text(WIDTH - RIGHT, 12, right, "m", "end")]


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
    near = [abs(end) for found in fixed for end in (found.low, found.high)] + list(
        values
    )
    most = max((value for value in near if math.isfinite(value)), default=0.0)
    far = max(
        (
            abs(end)
            for found in wide
            for end in (found.low, found.high)
            if math.isfinite(end)
        ),
        default=0.0,
    )
    return 1.05 * max(most, min(far, 2 * most) if most else far) or 1.0


def _panel(
    view: View, measure: Measure, steps: Sequence[Step], top: float
) -> list[str]:
    left, right, base = 62.0, WIDTH - 12, top + 150
    last, later = steps[-1], steps[len(steps) // 2 :]
    wanted = [abs(step.difference) for step in later] + [1.3 * view.plan.min_effect]
    end = _reach(wanted, [last.sequence], [step.sequence for step in later])
    most = max(last.n, 1)

    def across(value: float) -> float:
        return left + (right - left) * value / most

    def up(value: float) -> float:
        held = min(max(value, -end), end)
        return (top + base) / 2 + 14 - (base - top - 28) / 2 * held / end

    marks = [
        text(
            0,
            top + 2,
            f"{clip(printable(last.arm), 40)}: difference from {printable(view.plan.control)}",
            "s",
        )
    ]
    for tick in sorted(
        {value * sign for value in ticks(end) if value <= end for sign in (1, -1)}
    ):
        marks += [
            line(left, up(tick), right, up(tick), "grid"),
            text(left - 7, up(tick) + 4, measure.signed(tick), "m", "end"),
        ]
    marks += [
        text(across(tick), base + 20, number(tick), "m", "middle")
        for tick in ticks(most)
        if 0 < tick <= most and across(tick) < right - 90
    ]
    marks.append(text(right, base + 20, f"{number(most)} {view.unit}s", "m", "end"))
    marks.append(line(left, up(0), right, up(0), "ref"))
    if view.plan.min_effect:
        marks += [
            line(left, up(way), right, up(way), "ref")
            for way in (view.plan.min_effect, -view.plan.min_effect)
        ]
    known = [
        step
        for step in steps
        if not math.isnan(step.sequence.low) and not math.isnan(step.sequence.high)
    ]
    band = [(across(step.n), up(step.sequence.high)) for step in known]
    band += [(across(step.n), up(step.sequence.low)) for step in reversed(known)]
    way = last.difference * side(view, view.plan.primary)
    tone = (
        "calls"
        if not apart(last.sequence) or not view.directed(view.plan.primary)
        else TONES["better" if way > 0 else "worse"]
    )
    drawn = [f'<polygon class="band" points="{path(band)}"/>'] if band else []
    drawn.append(
        f'<polyline class="line" points="{path((across(s.n), up(s.difference)) for s in steps)}"/>'
    )
    drawn.append(dot(across(last.n), up(last.difference)))
    return [*marks, toned(tone, drawn)]


def _stamped(view: View, drawing: Drawing) -> Drawing:
    """A figure may be cut out of its page: that it shows generated data goes with it."""
    if not view.simulated:
        return drawing
    return Drawing(
        drawing.width,
        drawing.height,
        drawing.body + toned("within", [text(WIDTH, 12, "SIMULATED", "s", "end")]),
    )
