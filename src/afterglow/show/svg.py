"""The strokes figures are made of: SVG text, without a library, a script or the network.

A drawing has no colours of its own. Its classes take them from the page it stands in, or from the palette `standalone`
writes into the file, in plain values because not every viewer of SVG knows variables.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from statistics import median
from typing import NamedTuple

from afterglow.records.profile_report import Effect, Rate
from afterglow.text.numbers import count, interval, number, percent, short_percent

FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
)
LIGHT = {
    "back": "#ffffff", "ink": "#1f2328", "mute": "#59606a", "rule": "#e2e4e8",
    "calls": "#4a5462", "between": "#1d5f9e", "within": "#b04a12",
}  # fmt: skip

TONES: dict[Effect | None, str] = {
    None: "calls",
    "between sessions": "between",
    "within sessions": "within",
}
VARIABLES = {
    name: f"var(--{name})"
    for name in ("ink", "mute", "rule", "calls", "between", "within")
}
MIN_CALLS_FOR_AXIS = 30  # a rate of fewer is too uncertain to stretch an axis
CHARACTER_WIDTH = 5.8  # of the small text of figures, on average, in units of a drawing


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
.fig .thick {{ stroke-width: 8; stroke-linecap: butt }} .fig .hit {{ fill: currentColor; opacity: 0 }}
.fig .mark:hover > .hit, .fig .mark:focus > .hit {{ opacity: .1 }}
.fig .line {{ fill: none; stroke: currentColor; stroke-width: 1.8 }} .fig .dot {{ fill: currentColor }}
.fig .bar, .fig .arrow {{ fill: currentColor; opacity: .75 }} .fig .band {{ fill: currentColor; opacity: .16 }}
.calls {{ color: {c["calls"]} }} .between {{ color: {c["between"]} }} .within {{ color: {c["within"]} }}
"""


def standalone(drawing: Drawing, title: str, notes: Iterable[str]) -> str:
    """A file of its own around a drawing: background, title, the words below it."""
    longest = int(drawing.width / CHARACTER_WIDTH)
    lines: list[str] = []
    for note in notes:
        lines += textwrap.wrap(note, longest)
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


def inline(drawing: Drawing, title: str, kind: str = "") -> str:
    """The drawing for a page: as wide as there is room, in the colours of the page."""
    size = f'viewBox="0 0 {n(drawing.width)} {n(drawing.height)}"'
    classes = f"fig {kind}".strip()
    # What is an image has no links inside for those who listen to a page.
    role = "group" if "<a " in drawing.body else "img"
    label = f'role="{role}" aria-label="{escape(title)}"'
    return f'<svg class="{classes}" {size} {label}>{drawing.body}</svg>'


def meter(low: float, high: float, middle: float, mark: float, tone: str) -> str:
    """An interval in a table cell, in shares of its width, so that it stretches with it. What lies beyond an end is cut
    there and has an arrow; a dot beyond it is not drawn."""
    marks = []
    if high > 0 and low < 1:
        ends = f'x1="{_share(low)}" x2="{_share(high)}"'
        marks.append(f'<line class="ci" {ends} y1="50%" y2="50%"/>')
    if 0 <= mark <= 1:
        place = f'x1="{_share(mark)}" x2="{_share(mark)}"'
        marks.append(f'<line class="ref" {place} y1="0" y2="100%"/>')
    if 0 <= middle <= 1:
        marks.append(f'<circle class="dot" cx="{_share(middle)}" cy="50%" r="3.5"/>')
    if high > 1:
        marks.append(
            '<svg x="100%" overflow="visible"><path class="arrow" d="M0 5l7 4-7 4z"/></svg>'
        )
    if low < 0:
        marks.append('<path class="arrow" d="M0 5l-7 4 7 4z"/>')
    return f'<svg class="fig cell {tone}" aria-hidden="true">{"".join(marks)}</svg>'


def _share(place: float) -> str:
    return f"{n(100 * max(min(place, 1), 0))}%"


def mark(words: str, marks: Iterable[str], href: str = "") -> str:
    """Marks that stand for one thing: the exact numbers are seen where a pointer rests on them, and where they have an
    address they lead there."""
    inner = f"<title>{escape(words)}</title>{''.join(marks)}"
    if not href:
        return f'<g class="mark">{inner}</g>'
    return f'<a class="mark" href="{escape(href)}">{inner}</a>'


def hit(x: float, y: float, width: float, height: float) -> str:
    """The invisible ground of a mark: a dot alone is hard to point at."""
    size = f'width="{n(width)}" height="{n(height)}"'
    return f'<rect class="hit" x="{n(x)}" y="{n(y)}" {size}/>'


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
    tip = (x + 7 * dx, y + 7 * dy)
    base = [(x - 4 * dy, y - 4 * dx), (x + 4 * dy, y + 4 * dx)]
    return f'<polygon class="arrow" points="{path([tip, *base])}"/>'


def path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{n(x)},{n(y)}" for x, y in points)


def n(value: float) -> str:
    """A coordinate, no longer than it needs to be."""
    return f"{value:.1f}".removesuffix(".0")


def rate_title(name: str, rate: Rate, of: str = "") -> str:
    """A rate in exact numbers, for whoever points at it; `of` says what was counted."""
    behind = f"{number(rate.count)} of {number(rate.n)}"
    if of:
        behind = f"n = {number(rate.n)} {of}"
    if rate.sessions:
        behind += f", {count(rate.sessions, 'session')}"
    return f"{name}: {percent(rate.value)} (95 %: {interval(rate)}), {behind}"


def axis_end(rates: Iterable[Rate]) -> float:
    """Where an axis from zero ends: room for every rate that enough calls stand behind, and for most intervals."""
    solid = _solid(rates)
    if not solid:
        return 1.0
    highest = max(rate.value or 0 for rate in solid)
    highs = sorted(rate.high for rate in solid)
    three_quarters = highs[(len(highs) - 1) * 3 // 4]
    highest_interval = min(highs[-1], 1.5 * highest)
    reach = max(1.25 * highest, three_quarters, highest_interval, 0.01)
    return min(round_end(reach), 1.0)


def round_end(reach: float) -> float:
    """The next round place beyond: there an axis ends."""
    step = _step(reach)
    return step * math.ceil(reach / step - 1e-9)


def _solid(rates: Iterable[Rate]) -> list[Rate]:
    """Those that enough stands behind; where most have less, as rates of sessions do, the better half of them."""
    counted = [rate for rate in rates if rate.value is not None]
    if not counted:
        return []
    enough = min(MIN_CALLS_FOR_AXIS, median(rate.n for rate in counted))
    return [rate for rate in counted if rate.n >= enough]


def ticks(end: float) -> list[float]:
    step = _step(end)
    return [step * index for index in range(round(end / step) + 1)]


def _step(end: float) -> float:
    """A round distance (1, 2 or 5 times a power of ten) that gives three to six of them."""
    rough = end / 5
    power: float = 10 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def named_ticks(end: float) -> Sequence[tuple[float, str]]:
    places = [round(value, 6) for value in ticks(end)]
    return [(place, short_percent(place)) for place in places]
