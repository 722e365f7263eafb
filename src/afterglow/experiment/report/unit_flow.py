"""The flow of units from assignment to analysis, arm by arm: who was left out, why, and who is left."""

from __future__ import annotations

from typing import NamedTuple

from afterglow.experiment.report.view import View
from afterglow.show.svg import Drawing, line, n, text, toned
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import number, short_percent

COLUMN, GAP, PAD = 200.0, 20.0, 17.0
PHONE_WIDTH = 320.0


class Stream(NamedTuple):
    """One arm. `lost` were assigned and neither left out by a rule nor analysed: nothing came of them yet."""

    arm: str
    share: float
    assigned: int
    excluded: dict[str, int]
    lost: int
    analysed: int


def streams(view: View) -> list[Stream]:
    arms = []
    for arm, part in zip(view.plan.arms, view.plan.allocation, strict=True):
        assigned, analysed = (
            view.analysis.assigned.get(arm, 0),
            view.analysis.analysed.get(arm, 0),
        )
        excluded = {
            why: times
            for why, times in view.analysis.excluded.get(arm, {}).items()
            if times
        }
        lost = max(assigned - analysed - sum(excluded.values()), 0)
        arms.append(
            Stream(arm, part, assigned, dict(sorted(excluded.items())), lost, analysed)
        )
    return arms


def flow(view: View) -> Drawing:
    """Boxes from top to bottom, one column an arm."""
    arms = streams(view)
    width = COLUMN * len(arms) + GAP * (len(arms) - 1)
    total = sum(stream.assigned for stream in arms)
    marks, split, top = [], 58.0, 76.0
    marks += _box(
        width / 2 - COLUMN / 2,
        14,
        COLUMN,
        [f"{number(total)} {view.unit}s {view.given}"],
    )
    left_out = [_left_out(stream) for stream in arms]
    tall = max(len(lines) for lines in left_out)
    second, third = top + 2 * PAD + 34, top + 2 * PAD + 34 + tall * PAD + 34
    if len(arms) > 1:
        marks.append(line(COLUMN / 2, split, width - COLUMN / 2, split, "grid"))
    marks.append(line(width / 2, 14 + PAD + 12, width / 2, split, "grid"))
    for index, stream in enumerate(arms):
        x = index * (COLUMN + GAP)
        middle = x + COLUMN / 2
        marks += [
            line(middle, split, middle, top, "grid"),
            *_box(
                x,
                top,
                COLUMN,
                [
                    clip(printable(stream.arm), 26),
                    _assigned(view, stream),
                ],
            ),
            line(middle, top + 2 * PAD + 12, middle, second, "grid"),
            *_box(x, second, COLUMN, left_out[index], tall),
            line(middle, second + tall * PAD + 12, middle, third, "grid"),
            *_box(x, third, COLUMN, [f"{number(stream.analysed)} analysed"]),
        ]
    return _stamped(view, width, third + PAD + 14, marks)


def narrow_flow(view: View) -> Drawing:
    """The same for a phone: the arms below each other, each in a box of its own."""
    arms = streams(view)
    total = sum(stream.assigned for stream in arms)
    y = 14.0
    marks = _box(0, y, PHONE_WIDTH, [f"{number(total)} {view.unit}s {view.given}"])
    bottom = y + PAD + 12
    for stream in arms:
        y = bottom + 16
        lines = [
            clip(printable(stream.arm), 40),
            _assigned(view, stream),
            *_left_out(stream),
            f"{number(stream.analysed)} analysed",
        ]
        marks.append(line(PHONE_WIDTH / 2, bottom, PHONE_WIDTH / 2, y, "grid"))
        marks += _box(0, y, PHONE_WIDTH, lines)
        bottom = y + PAD * len(lines) + 12
    return _stamped(view, PHONE_WIDTH, bottom + 2, marks)


def _stamped(view: View, width: float, height: float, marks: list[str]) -> Drawing:
    body = f'<g transform="translate(1 0)">{toned("calls", marks)}</g>'
    if view.simulated:
        body += toned("within", [text(width, 12, "SIMULATED", "s", "end")])
    return Drawing(width + 2, height, body)


def _assigned(view: View, stream: Stream) -> str:
    """With the share that was planned, where units were shared out."""
    words = f"{number(stream.assigned)} {view.given}"
    if view.plan.every_arm:
        return words
    return f"{words}, {short_percent(stream.share)} planned"


def _left_out(stream: Stream) -> list[str]:
    whole = sum(stream.excluded.values())
    lines = [f"{number(whole)} left out by a rule"]
    lines += [
        f"  {number(times)} {clip(printable(why), 24)}"
        for why, times in stream.excluded.items()
    ]
    return [*lines, f"{number(stream.lost)} without a record"]


def _box(
    x: float, y: float, width: float, lines: list[str], tall: int = 0
) -> list[str]:
    height = PAD * max(tall, len(lines)) + 12
    size = f'width="{n(width)}" height="{n(height)}"'
    marks = [f'<rect class="grid" fill="none" x="{n(x)}" y="{n(y)}" {size} rx="4"/>']
    for at, words in enumerate(lines):
        inset = 22 if words.startswith("  ") else 10
        marks.append(
            text(x + inset, y + 18 + PAD * at, words.strip(), "" if at else "s")
        )
    return marks
