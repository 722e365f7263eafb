"""Turns as people read them: long texts cut, a headline for what is folded, failures told apart, nothing secret in it.

Only what is shown is redacted, each text with what stands around the cut, so that no secret loses what gives it away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from afterglow.calls import readable_arguments
from afterglow.flows.read.opened_sessions import (
    MAX_FAILURE,
    MAX_REQUEST,
    MAX_RESULT,
    WINDOW_CHARACTERS,
    said_limit,
    turn_size,
)
from afterglow.records.session import Call, Turn
from afterglow.records.transcript import FailureKind, ShownCall, ShownText, ShownTurn
from afterglow.text.clip import clip, first_line, readable
from afterglow.text.fingerprint import telling_line

MAX_HEADLINE = 160  # characters: a line of a wide screen
MAX_TELLING = 300  # of what says that a call failed
TAIL_SHARE = (
    3  # one in so many characters of a long text is of its end: errors stand there
)
REDACTED_AROUND = 16_384  # characters on the far side of a cut: longer than any key

Clean = Callable[[str], str]


def lines_of(turn: Turn) -> Iterator[int]:
    """The lines of the source where texts of a turn stand."""
    yield turn.line
    for call in turn.calls:
        yield call.line
        if call.result_line is not None:
            yield call.result_line


class Showing:
    """Makes turns of a window readable. A line that several of its texts share is the anchor of the first."""

    def __init__(
        self,
        clean: Clean,
        failures: Mapping[int, FailureKind],
        marked: int | None = None,
    ) -> None:
        self._clean = clean
        self._failures = failures
        self._marked = marked
        self._anchors: set[int] = set()

    def turn(self, at: int, turn: Turn) -> ShownTurn:
        # A turn that alone is longer than a window gives each of its texts less.
        share = min(1.0, WINDOW_CHARACTERS / max(turn_size(turn), 1))
        has_anchor = self._is_new(turn.line)
        calls = tuple(
            self._call(index, call, share) for index, call in enumerate(turn.calls)
        )
        text = self._text(turn.text, int(share * said_limit(turn)))
        is_in_call = any(call.is_marked for call in calls)
        return ShownTurn(
            index=at,
            line=turn.line,
            has_anchor=has_anchor,
            role=turn.role,
            kind=turn.kind,
            headline=_headline(text, calls),
            text=text,
            time=turn.time,
            calls=calls,
            failures=sum(call.failure is not None for call in calls),
            is_marked=turn.line == self._marked and not is_in_call,
        )

    def _call(self, index: int, call: Call, share: float) -> ShownCall:
        failure = self._failures.get(call.line)
        limit = MAX_RESULT if failure is None else MAX_FAILURE
        lines = [call.line]
        if call.result_line is not None:
            lines.append(call.result_line)
        return ShownCall(
            index=index,
            tool=self._clean(readable(clip(call.tool, MAX_HEADLINE))),
            request=self._text(
                readable_arguments(call.arguments), int(share * MAX_REQUEST)
            ),
            result=self._text(call.result or "", int(share * limit)),
            outcome=call.outcome.value,
            line=call.line,
            anchors=tuple(filter(self._is_new, lines)),
            has_result=call.result is not None,
            failure=failure,
            words=self._telling(call) if failure is not None else "",
            is_marked=self._marked in lines,
        )

    def _is_new(self, line: int) -> bool:
        """Whether no text before has the line: it can be led to."""
        is_new = line not in self._anchors
        self._anchors.add(line)
        return is_new

    def _telling(self, call: Call) -> str:
        text = (call.error or call.result or "")[:REDACTED_AROUND]
        return clip(readable(telling_line(self._clean(text))), MAX_TELLING)

    def _text(self, text: str, limit: int) -> ShownText:
        text = text.strip("\n")
        if len(text) <= limit:
            return ShownText(readable(self._clean(text)).strip("\n"))
        tail = limit // TAIL_SHARE
        head = limit - tail
        first, last = self._ends(text, head, tail)
        if first == last and len(first) <= limit:  # what was redacted was the longer
            return ShownText(first)
        missing = len(text) - limit
        return ShownText(first[:head], last[-tail:] if tail else "", missing)

    def _ends(self, text: str, head: int, tail: int) -> tuple[str, str]:
        """Head and tail with what stands around them, redacted."""
        if len(text) <= 2 * REDACTED_AROUND:
            cleaned = readable(self._clean(text))
            return cleaned, cleaned
        first = readable(self._clean(text[: head + REDACTED_AROUND]))
        return first, readable(self._clean(text[-tail - REDACTED_AROUND :]))


def _headline(text: ShownText, calls: tuple[ShownCall, ...]) -> str:
    """The first line that is said; else what is called."""
    if line := first_line(text.head, MAX_HEADLINE):
        return line
    requests = (first_line(call.request.head, MAX_HEADLINE) for call in calls)
    return next((line for line in requests if line), "")
