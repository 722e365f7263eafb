"""The words a citation quotes, found in their place: at that line, to the letter but for white space and placeholders.

What a model was shown is redacted and cut. So a placeholder in a quote stands for anything, `…` for anything or
nothing, and a call's arguments may be quoted as they were shown instead of as JSON.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import msgspec
from msgspec import Struct

from afterglow.harvest.failure_kinds import is_mute
from afterglow.harvest.trail import Step, Trail
from afterglow.records.context import MARK
from afterglow.records.knowledge import Evidence
from afterglow.records.session import Turn
from afterglow.text.clip import uncoloured
from afterglow.text.fingerprint import fingerprint, telling_line

MIN_QUOTE = 8  # characters, unless it is the whole text: fewer prove nothing
MAX_QUOTE = 2000  # characters of a quote that are looked for
MAX_QUOTE_REPEATED = 80  # characters of it in an answer that it does not hold
MAX_CITED_SIDE = 800  # characters on both sides of a quote that a sentence may rest on
TURNS_AROUND = 3  # turns on both sides that are near
MAX_TEXT_NEAR = 1500  # characters of each of their texts
MAX_PLACES_TRIED = 100  # where a quote may begin
MAX_LINES_NAMED = 3  # where the words do stand

_PLACEHOLDER = re.compile(
    r"<(?:secret:[a-z0-9-]{1,40}|key|email|phone|card|iban|ssn|ip|name)>|~|…"
)
# Characters that a placeholder may stand for: a home, what was cut out, what is hidden.
_GAPS = {"~": 200, "…": 4000}
MAX_HIDDEN = 400

Pattern = list[tuple[int, re.Pattern[str]]]


class Cited(Struct, frozen=True):
    """A citation that holds: where its words stand, what a sentence may rest on, what is near, and the error a failed
    call showed there."""

    evidence: Evidence
    text: str
    around: str
    fingerprint: str = ""


class Citing:
    """The texts of one session by line. Examples a warm start put there, and contexts of ours, cannot be cited."""

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self._turns: dict[int, list[int]] = defaultdict(list)
        self._steps: dict[int, list[Step]] = defaultdict(list)
        for at, turn in enumerate(trail.turns):
            if turn.role != "tool":
                self._turns[turn.line].append(at)
        for step in trail.steps:
            for line in {step.call.line, result_line(step)}:
                self._steps[line].append(step)

    def find(self, line: int, quote: str) -> Cited | str:
        """The citation, or why it does not hold."""
        words = " ".join(quote[:MAX_QUOTE].split()).strip("… ")
        pattern = _pattern(words)
        if line not in self._turns and line not in self._steps:
            return f"has no line {line}; {self._elsewhere(pattern, words)}"
        cited = self._at(line, pattern, words)
        if cited is None:
            start = quote[:MAX_QUOTE_REPEATED]
            return (
                f"line {line} does not say {start!r}; {self._elsewhere(pattern, words)}"
            )
        return cited

    def _at(self, line: int, pattern: Pattern, words: str) -> Cited | str | None:
        for at in self._turns.get(line, ()):
            cited = self._in_turn(at, pattern, words)
            if cited is not None:
                return cited
        for step in self._steps.get(line, ()):
            cited = self._in_step(step, line, pattern, words)
            if cited is not None:
                return cited
        return None

    def _in_turn(self, at: int, pattern: Pattern, words: str) -> Cited | str | None:
        turn = self.trail.turns[at]
        span = _stands(pattern, words, turn.text)
        if span is None:
            return None
        if MARK.search(turn.text):
            return f"line {turn.line} is a context afterglow gave itself: that is no evidence"
        evidence = self.trail.said(turn, *span)
        return Cited(evidence, _near(turn.text, *span), self._around(at))

    def _in_step(
        self, step: Step, line: int, pattern: Pattern, words: str
    ) -> Cited | None:
        """In what a call brought, or in what it was asked."""
        around = self._around(step.turn)
        result = step.call.result or ""
        span = _stands(pattern, words, result) if line == result_line(step) else None
        if span is not None:
            text = f"{readable(step)[:MAX_TEXT_NEAR]}\n{_near(result, *span)}"
            return Cited(self.trail.got(step, *span), text, around, _error(step))
        if line != step.call.line:
            return None
        request = readable(step)
        span = _stands(pattern, words, request)
        if span is None and _stands(pattern, words, step.call.arguments):
            span = (0, len(request))
        if span is None:
            return None
        text = f"{_near(request, *span)}\n{telling_line(step.call.error)}"
        return Cited(self.trail.asked(step), text, around, _error(step))

    def _elsewhere(self, pattern: Pattern, words: str) -> str:
        """Where the words do stand, for whoever miscounted."""
        lines = sorted({*self._turns, *self._steps})
        cited_lines = [
            line for line in lines if isinstance(self._at(line, pattern, words), Cited)
        ]
        if cited_lines:
            first = cited_lines[:MAX_LINES_NAMED]
            return f"the words stand at line {', '.join(map(str, first))}"
        return "quote at least eight characters of one line to the letter, as the window shows it"

    def _around(self, at: int) -> str:
        near = self.trail.turns[max(at - TURNS_AROUND, 0) : at + TURNS_AROUND + 1]
        return "\n".join(text for turn in near for text in _texts(turn))


def readable(step: Step) -> str:
    """A call's arguments as a person would write them: the command, or a line for each argument."""
    if step.command:
        return step.command
    try:
        arguments = msgspec.json.decode(step.call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return step.call.arguments
    if not isinstance(arguments, dict):
        return step.call.arguments
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else _json(value)}"
        for name, value in arguments.items()
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")


def result_line(step: Step) -> int:
    return step.call.line if step.call.result_line is None else step.call.result_line


def _pattern(words: str) -> Pattern:
    """The quote as words that follow one another, each with how far it may stand behind the one before: white space
    folds, and what was hidden or cut stands for anything."""
    parts: list[tuple[int, re.Pattern[str]]] = []
    gap = end = 0
    for hole in [*_PLACEHOLDER.finditer(words), None]:
        literal = words[end : hole.start() if hole else None].strip()
        if literal:
            folded = r"\s+".join(map(re.escape, literal.split()))
            parts.append((gap, re.compile(folded)))
        if hole:
            gap, end = _GAPS.get(hole[0], MAX_HIDDEN), hole.end()
    return parts


def _stands(pattern: Pattern, words: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text. Few characters prove nothing, unless they are all there is."""
    if not pattern:
        return None
    is_short = len(_PLACEHOLDER.sub("", words).strip()) < MIN_QUOTE
    if is_short and " ".join(text.split()) != words:
        return None
    for first in islice(pattern[0][1].finditer(text), MAX_PLACES_TRIED):
        end = _end_of(pattern[1:], text, first.end())
        if end is not None:
            return first.start(), end
    bare = uncoloured(text)
    if len(bare) < len(text) and _stands(pattern, words, bare):
        return 0, len(text)  # words between colours
    return None


def _end_of(pattern: Pattern, text: str, end: int) -> int | None:
    """Where the last of the words ends that follow one another behind `end`."""
    for gap, literal in pattern:
        match = literal.search(text, end, end + gap + 2 * len(literal.pattern))
        if match is None:
            return None
        end = match.end()
    return end


def _near(text: str, start: int, end: int) -> str:
    return text[max(start - MAX_CITED_SIDE, 0) : end + MAX_CITED_SIDE]


def _error(step: Step) -> str:
    """What the error is known by when it happens again; empty when it says nothing. A linter's name stands for all of
    its rules: too much for one lesson."""
    line = telling_line(step.call.error) if step.failed else ""
    if is_mute(line) or line.startswith("lint: "):
        return ""
    return fingerprint(step.call.error)


def _texts(turn: Turn) -> Iterator[str]:
    yield turn.text[:MAX_TEXT_NEAR]
    for call in turn.calls:
        yield call.arguments[:MAX_TEXT_NEAR]
        yield (call.result or "")[:MAX_TEXT_NEAR]
