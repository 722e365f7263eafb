"""The strokes figures are made of: SVG text, without a library, a script or the network.

A drawing has no colours of its own. Its classes take them from the page it stands in, or from the palette `standalone`
writes into the file, in plain values because not every viewer of SVG knows variables.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from afterglow.records.profile_report import Rate

FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
)
LIGHT = {
    "back": "#ffffff", "ink": "#1f2328", "mute": "#59606a", "rule": "#e2e4e8",
    "calls": "#4a5462", "between": "#1d5f9e", "within": "#b04a12",
}  # fmt: skip

ENOUGH = 30  # calls; a rate of fewer does not stretch an axis


class Drawing(NamedTuple):
    width: float
    height: float
    body: str


def style(colours: dict[str, str]) -> str:
    """How the classes of a drawing look, in these colours (values, or the names of a page's variables)."""
    c = colours
    return f"""
.fig text {{ font: 11px {FONT}; font-variant-numeric: tabular-nums; fill: {c["ink"]} }}
.fig .m {{ fill: {c["mute"]} }} .fig .s {{ font-weight: 600 }} .fig .h {{ font-size: 15px; font-weight: 600 }}
.fig .grid {{ stroke: {c["rule"]} }} .fig .ref {{ stroke: {c["mute"]}; stroke-dasharray: 2 3 }}
.fig .ci {{ stroke: currentColor; stroke-width: 3; stroke-linecap: round; opacity: .5 }}
.fig .line {{ fill: none; stroke: currentColor; stroke-width: 1.8 }} .fig .dot {{ fill: currentColor }}
.fig .bar, .fig .arrow {{ fill: currentColor; opacity: .75 }} .fig .band {{ fill: currentColor; opacity: .16 }}
.calls {{ color: {c["calls"]} }} .between {{ color: {c["between"]} }} .within {{ color: {c["within"]} }}
"""


def standalone(drawing: Drawing, title: str, notes: Iterable[str]) -> str:
    """A file of its own around a drawing: background, title, the words below it."""
    lines = [
        line for note in notes for line in textwrap.wrap(note, int(drawing.width / 5.8))
    ]
    top, width = 46, drawing.width + 40
    below = top + drawing.height + 26
    height = below + 16 * len(lines) + 4
    size = (
        f'viewBox="0 0 {n(width)} {n(height)}" width="{n(width)}" height="{n(height)}"'
    )
    words = "".join(
        text(20, below + 16 * at, line, "m") for at, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fig" {size} role="img"><title>{escape(title)}</title>'
        f'<style>{style(LIGHT)}</style><rect width="100%" height="100%" fill="{LIGHT["back"]}"/>'
        f'{text(20, 30, title, "h")}<g transform="translate(20 {top})">{drawing.body}</g>{words}</svg>\n'
    )


def inline(drawing: Drawing, title: str) -> str:
    """The drawing for a page: as wide as there is room, in the colours of the page."""
    size = f'viewBox="0 0 {n(drawing.width)} {n(drawing.height)}"'
    return f'<svg class="fig" {size} role="img" aria-label="{escape(title)}">{drawing.body}</svg>'


def toned(tone: str, marks: Iterable[str]) -> str:
    return f'<g class="{tone}">{"".join(marks)}</g>'


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{kind}" x="{n(x)}" y="{n(y)}"{side}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}"/>'


def dot(x: float, y: float) -> str:
    return f'<circle class="dot" cx="{n(x)}" cy="{n(y)}" r="3.5"/>'


def arrow(x: float, y: float, dx: float, dy: float) -> str:
    """Says that an interval goes on beyond the axis, towards (dx, dy)."""
    tip, one, other = (
        (x + 7 * dx, y + 7 * dy),
        (x - 4 * dy, y - 4 * dx),
        (x + 4 * dy, y + 4 * dx),
    )
    return f'<polygon class="arrow" points="{path([tip, one, other])}"/>'


def path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{n(x)},{n(y)}" for x, y in points)


def n(value: float) -> str:
    """A coordinate, no longer than it needs to be."""
    return f"{value:.1f}".removesuffix(".0")


def axis_end(rates: Iterable[Rate]) -> float:
    """Where an axis from zero ends: room for every rate that enough calls stand behind, and for most intervals."""
    counted = [rate for rate in rates if rate.value is not None]
    known = [rate for rate in counted if rate.n >= ENOUGH] or counted
    if not known:
        return 1.0
    highest, highs = (
        max(rate.value or 0 for rate in known),
        sorted(rate.high for rate in known),
    )
    wanted = max(
        1.25 * highest,
        highs[(len(highs) - 1) * 3 // 4],
        min(highs[-1], 1.5 * highest),
        0.01,
    )
    step = _step(wanted)
    return min(step * math.ceil(wanted / step - 1e-9), 1.0)


def ticks(end: float) -> list[float]:
    step = _step(end)
    return [step * index for index in range(round(end / step) + 1)]


def _step(end: float) -> float:
    """A round distance (1, 2 or 5 times a power of ten) that gives three to six of them."""
    rough = end / 5
    power: float = 10 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def named_ticks(end: float) -> Sequence[tuple[float, str]]:
    return [
        (tick, f"{100 * tick:g} %")
        for tick in (round(value, 6) for value in ticks(end))
    ]
