"""The figure of evidence: the difference as it would have been read after each unit, with its confidence sequence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from afterglow.experiment.report.figures import (
    SCREEN,
    Canvas,
    arms_with_evidence,
    axis_reach,
    side,
    stamped,
    thinned,
)
from afterglow.experiment.report.view import TONES, View, apart
from afterglow.records.experiment import Step
from afterglow.show.svg import Drawing, dot, hit, line, mark, path, text, ticks, toned
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import number

PANEL_HEIGHT = 196.0  # of an arm, with its title and axis
MAX_HOVERED = 40  # looks that say their numbers when pointed at: closer ones could not be told apart


def evidence(view: View, canvas: Canvas = SCREEN) -> Drawing:
    """The primary outcome, one panel an arm."""
    marks: list[str] = []
    top = 22.0
    for arm in arms_with_evidence(view):
        steps = thinned([step for step in view.analysis.evidence if step.arm == arm])
        marks += _Panel(view, steps, top, canvas.width).marks()
        top += PANEL_HEIGHT
    return stamped(view, Drawing(canvas.width, max(top, 40.0), toned("calls", marks)))


class _Panel:
    """One arm's evidence: units to the right, the difference upward, zero in the middle."""

    LEFT_EDGE, HEIGHT = 62.0, 150.0

    def __init__(
        self, view: View, steps: Sequence[Step], top: float, width: float
    ) -> None:
        self.view, self.steps, self.top = view, steps, top
        self.right_edge = width - 12
        self.base = top + self.HEIGHT
        self.last_n = max(steps[-1].n, 1)
        later = steps[len(steps) // 2 :]
        reaches = [abs(step.difference) for step in later]
        reaches.append(1.3 * view.plan.min_effect)
        sequences = [step.sequence for step in later]
        self.end = axis_reach(reaches, [steps[-1].sequence], sequences)

    def across(self, units: float) -> float:
        width = self.right_edge - self.LEFT_EDGE
        return self.LEFT_EDGE + width * units / self.last_n

    def up(self, value: float) -> float:
        held = min(max(value, -self.end), self.end)
        half = (self.HEIGHT - 28) / 2
        return (self.top + self.base) / 2 + 14 - half * held / self.end

    def level(self, value: float, kind: str) -> str:
        return line(
            self.LEFT_EDGE, self.up(value), self.right_edge, self.up(value), kind
        )

    def marks(self) -> list[str]:
        arm = clip(printable(self.steps[-1].arm), 40)
        title = f"{arm}: difference from {printable(self.view.plan.control)}"
        drawn = [*self.band(), *self.course(), *self.looks()]
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
            and self.across(tick) < self.right_edge - room_for_end
        ]
        y = self.base + 20
        end = f"{number(self.last_n)} {self.view.unit}s"
        return [
            *(
                text(self.across(tick), y, number(tick), "m", "middle")
                for tick in inner
            ),
            text(self.right_edge, y, end, "m", "end"),
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

    def looks(self) -> list[str]:
        """Where somebody points, what would have been read there."""
        measure = self.view.measure(self.view.plan.primary)
        drawn: list[str] = []
        before = self.LEFT_EDGE
        for step in thinned(self.steps, MAX_HOVERED):
            x = self.across(step.n)
            title = (
                f"after {number(step.n)} {self.view.unit}s: {measure.change(step.difference)} "
                f"({self.view.level}, at any time: {measure.span(step.sequence)})"
            )
            column = hit(before, self.top + 14, x - before, self.HEIGHT - 14)
            drawn.append(mark(title, [column]))
            before = x
        return drawn

    def tone(self) -> str:
        primary, last = self.view.plan.primary, self.steps[-1]
        if not apart(last.sequence) or not self.view.directed(primary):
            return "calls"
        gain = last.difference * side(self.view, primary)
        return TONES["better" if gain > 0 else "worse"]
