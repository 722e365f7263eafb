"""A spot as a model may read it: its texts by line, cut to what matters, without secrets and without orders.

Everything is redacted with what stands around it, and a value that is secret in one line is taken out of all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from afterglow.harvest import trust
from afterglow.harvest.lessons.candidates import Spot
from afterglow.harvest.lessons.citations import readable
from afterglow.harvest.screen import danger
from afterglow.harvest.secret_values import values_in, without
from afterglow.harvest.trail import Step, Trail
from afterglow.records.context import MARK
from afterglow.records.knowledge import Trust
from afterglow.records.lessons import Who, WindowLine
from afterglow.records.session import Turn
from afterglow.text.clip import clip, uncoloured
from afterglow.text.fingerprint import telling_line
from afterglow.text.redact import Redactor

MAX_TOOL_NAME = 64  # characters
# Characters of a text's beginning and end that are kept until it is redacted.
MARGIN = 3000
# Characters shown: of what a person said, of other words, of a call, of a failed result, of another one.
Sizes = tuple[int, int, int, int, int]
SIZES: tuple[Sizes, ...] = (
    (900, 600, 400, 700, 160),
    (600, 350, 250, 350, 80),
    (400, 200, 160, 200, 0),
)
_SIZE_OF: dict[Who, int] = {"person": 0, "model": 1, "agent": 4}  # which of the sizes
_NO_NAME = re.compile(r"[^\w.:/-]+")


class Raw(Struct, frozen=True):
    """One text before it is redacted: its beginning and its end."""

    line: int
    who: Who
    head: str
    tail: str
    trust: Trust
    size: int  # which of the sizes it is cut to
    tool: str = ""
    outcome: str = ""
    error: str = ""
    sign: bool = False


def raw_lines(trail: Trail, spot: Spot) -> tuple[Raw, ...]:
    """The texts of a spot in order. Our own contexts, and what agents file under a person's name, are left out."""
    steps: dict[int, list[Step]] = {}
    for step in trail.steps:
        if spot.first <= step.turn <= spot.last:
            steps.setdefault(step.turn, []).append(step)
    signs = set(spot.lines)
    lines: list[Raw] = []
    for at in range(spot.first, spot.last + 1):
        turn = trail.turns[at]
        if turn.role != "tool" and turn.text.strip() and not MARK.search(turn.text):
            spoken = turn.kind in {"said", "steer", "undone"}
            who = _speaker(turn) if spoken else "agent"
            size = _SIZE_OF[who]
            lines.append(
                _raw(turn.line, who, turn.text, trust.of_turn(turn), size, signs)
            )
        for step in steps.get(at, ()):
            lines += _of_step(step, signs)
    return tuple(lines)


def _speaker(turn: Turn) -> Who:
    return "person" if turn.role == "user" else "model"


def _of_step(step: Step, signs: Collection[int]) -> Iterator[Raw]:
    call, outcome = step.call, "failed" if step.failed else step.call.outcome.value
    tool = _NO_NAME.sub("_", step.tool)[
        :MAX_TOOL_NAME
    ]  # a name stands beside the text, where nothing is screened
    yield _raw(call.line, "call", readable(step), "assistant", 2, signs, tool, outcome)
    line = call.line if call.result_line is None else call.result_line
    if call.result:
        bad = step.failed or step.blocked
        error = telling_line(call.error) if step.failed else ""
        error = (
            error if error in call.result else ""
        )  # the name of a linter's rule is our word, not the program's
        yield _raw(
            line,
            "result",
            call.result,
            trust.of_result(call),
            3 if bad else 4,
            signs,
            "",
            outcome,
            error,
        )


def _raw(
    line: int,
    who: Who,
    text: str,
    trusted: Trust,
    size: int,
    signs: Collection[int],
    tool: str = "",
    outcome: str = "",
    error: str = "",
) -> Raw:
    text = uncoloured(text).strip()
    tail = text[max(len(text) - MARGIN, MARGIN) :]
    return Raw(
        line,
        who,
        text[:MARGIN],
        tail,
        trusted,
        size,
        tool,
        outcome,
        error[:MARGIN],
        line in signs,
    )


def shown(
    raw: Sequence[Raw], redactor: Redactor, sizes: Sizes
) -> tuple[WindowLine, ...]:
    """What may be read of them, cut to `sizes`; a text with no room at all is left out."""
    parts = [part for text in raw for part in (text.head, text.tail, text.error)]
    redacted = [result.text for result in redactor.redact_many(parts)]
    values = dict(pair for part in parts for pair in values_in(part, redactor)).items()
    clean = [without(text, values) for text in redacted]
    lines = []
    for at, source in enumerate(raw):
        head, tail, error = clean[3 * at : 3 * at + 3]
        room = sizes[source.size]
        text = _cut(head, tail, error, room) if room else ""
        if not text:
            continue
        if why := danger(text, source.trust):
            text = f"(left out: {why})"
        lines.append(
            WindowLine(
                source.line, source.who, text, source.trust, source.tool, source.outcome
            )
        )
    return tuple(lines)


def _cut(head: str, tail: str, error: str, room: int) -> str:
    """The beginning and the end of a text; of a failed result also the line that names the problem."""
    if len(head) + len(tail) <= room:
        return head + tail
    if not error:
        return clip(head, room)
    end = (tail or head)[-room // 3 :]
    begin = clip(head, room // 3)
    middle = clip(error, room // 3)
    return "\n".join(
        [
            begin,
            *([f"… {middle}"] if middle not in begin and middle not in end else []),
            f"… {end}",
        ]
    )
