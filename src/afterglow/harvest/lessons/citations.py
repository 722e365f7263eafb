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

SHORTEST = 8  # characters of a quote, unless it is the whole text
CITED = 800  # characters on both sides of a quote that a sentence may rest on
AROUND = 3  # turns on both sides that are near
NEAR = 1500  # characters of each of their texts
QUOTE = 2000

_PLACEHOLDER = re.compile(
    r"<(?:secret:[a-z0-9-]{1,40}|key|email|phone|card|iban|ssn|ip|name)>|~|…"
)
HIDDEN = 400  # characters that a placeholder may stand for
_GAPS = {"~": 200, "…": 4000}
TRIES = 100  # places where a quote may begin

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
            for line in {step.call.line, _result_line(step)}:
                self._steps[line].append(step)

    def find(self, line: int, quote: str) -> Cited | str:
        """The citation, or why it does not hold."""
        words = " ".join(quote[:QUOTE].split()).strip("… ")
        pattern = _pattern(words)
        if line not in self._turns and line not in self._steps:
            return f"has no line {line}; {self._elsewhere(pattern, words)}"
        found = self._at(line, pattern, words)
        if found is None:
            return f"line {line} does not say {quote[:80]!r}; {self._elsewhere(pattern, words)}"
        return found

    def _at(self, line: int, pattern: Pattern, words: str) -> Cited | str | None:
        for at in self._turns.get(line, ()):
            turn = self.trail.turns[at]
            if (span := _stands(pattern, words, turn.text)) is not None:
                if MARK.search(turn.text):
                    return f"line {line} is a context afterglow gave itself: that is no evidence"
                return Cited(
                    self.trail.said(turn, *span),
                    _near(turn.text, *span),
                    self._around(at),
                )
        for step in self._steps.get(line, ()):
            result = step.call.result or ""
            if (
                line == _result_line(step)
                and (span := _stands(pattern, words, result)) is not None
            ):
                text = f"{readable(step)[:NEAR]}\n{_near(result, *span)}"
                return Cited(
                    self.trail.got(step, *span),
                    text,
                    self._around(step.turn),
                    _error(step),
                )
            shown = readable(step)
            if line == step.call.line and any(
                _stands(pattern, words, one) for one in (shown, step.call.arguments)
            ):
                span = _stands(pattern, words, shown) or (0, len(shown))
                text = f"{_near(shown, *span)}\n{telling_line(step.call.error)}"
                return Cited(
                    self.trail.asked(step), text, self._around(step.turn), _error(step)
                )
        return None

    def _elsewhere(self, pattern: Pattern, words: str) -> str:
        """Where the words do stand, for whoever miscounted."""
        lines = sorted({*self._turns, *self._steps})
        there = [
            line for line in lines if isinstance(self._at(line, pattern, words), Cited)
        ][:3]
        if there:
            return f"the words stand at line {', '.join(map(str, there))}"
        return "quote at least eight characters of one line to the letter, as the window shows it"

    def _around(self, at: int) -> str:
        near = self.trail.turns[max(at - AROUND, 0) : at + AROUND + 1]
        return "\n".join(text for turn in near for text in _texts(turn))


def readable(step: Step) -> str:
    """A call's arguments as a person would write them: the command, or a line for each argument."""
    if step.command:
        return step.command
    try:
        given = msgspec.json.decode(step.call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return step.call.arguments
    if not isinstance(given, dict):
        return step.call.arguments
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else _json(value)}"
        for name, value in given.items()
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")


def _result_line(step: Step) -> int:
    return step.call.line if step.call.result_line is None else step.call.result_line


def _pattern(words: str) -> Pattern:
    """The quote as words that follow one another, each with how far it may stand behind the one before: white space
    folds, and what was hidden or cut stands for anything."""
    parts: list[tuple[int, re.Pattern[str]]] = []
    gap = end = 0
    for found in [*_PLACEHOLDER.finditer(words), None]:
        literal = words[end : found.start() if found else None].strip()
        if literal:
            parts.append(
                (gap, re.compile(r"\s+".join(map(re.escape, literal.split()))))
            )
        if found:
            gap, end = _GAPS.get(found[0], HIDDEN), found.end()
    return parts


def _stands(pattern: Pattern, words: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text. Few characters prove nothing, unless they are all there is."""
    if not pattern:
        return None
    if (
        len(_PLACEHOLDER.sub("", words).strip()) < SHORTEST
        and " ".join(text.split()) != words
    ):
        return None
    for first in islice(pattern[0][1].finditer(text), TRIES):
        end = first.end()
        for gap, literal in pattern[1:]:
            found = literal.search(text, end, end + gap + 2 * len(literal.pattern))
            if found is None:
                break
            end = found.end()
        else:
            return first.start(), end
    if "\x1b" in text and _stands(pattern, words, uncoloured(text)):
        return 0, len(text)  # words between colours
    return None


def _near(text: str, start: int, end: int) -> str:
    return text[max(start - CITED, 0) : end + CITED]


def _error(step: Step) -> str:
    """What the error is known by when it happens again; empty when it says nothing. A linter's name stands for all of
    its rules: too much for one lesson."""
    line = telling_line(step.call.error) if step.failed else ""
    return (
        ""
        if is_mute(line) or line.startswith("lint: ")
        else fingerprint(step.call.error)
    )


def _texts(turn: Turn) -> Iterator[str]:
    yield turn.text[:NEAR]
    for call in turn.calls:
        yield call.arguments[:NEAR]
        yield (call.result or "")[:NEAR]
