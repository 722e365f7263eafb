"""A span with a little of what stands around it, redacted: what `explain` shows of a transcript."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from afterglow.calls import shell_line
from afterglow.harvest.evidence_spans import Found
from afterglow.records.knowledge import Evidence
from afterglow.records.session import Call, Outcome
from afterglow.text.clip import clip
from afterglow.text.fingerprint import telling_line

CONTEXT_LINES = 2  # before and after: enough to see what it was about
SPAN, SPAN_LINES = 1500, 15  # characters and lines of a span that are shown
MAX_LINE_CHARACTERS = 240  # of a line of context, of a command, of what it printed: three lines of a screen
REDACTION_MARGIN = 4000  # characters read on both sides, so that no secret is met without what gives it away
_PLACEHOLDER = re.compile(
    r"<[^<>\s]{1,60}>|~"
)  # what a redactor puts in; a text may have its own, which do no harm


class Excerpt(
    Struct,
    frozen=True,
    omit_defaults=True,
    rename={"request": "asked", "result": "said"},
):
    """Text before, in and after a span; for a call also its tool, what it asked for, and what came of it."""

    before: str
    span: str
    after: str
    tool: str = ""
    outcome: str = ""
    request: str = ""
    result: str = ""
    masked: bool = False


class Excerpts:
    """Cuts excerpts out of found texts. Nothing leaves it that the redactor has not seen with what stands around it."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact

    def around(self, evidence: Evidence, match: Found) -> Excerpt | None:
        place = match.place
        if place is None:
            return None
        before, span, after = self._split(place.text, match.start, evidence.length)
        call = place.call
        if call is None:
            return Excerpt(before, span, after)
        request = result = (
            ""  # the other half of the call, beside the half that is quoted
        )
        if place.part == "result":
            request = self._line(shell_line(call.arguments) or call.arguments)
        elif place.part == "arguments":
            result = self._line(_said(call))
        return Excerpt(
            before,
            span,
            after,
            tool=self._line(call.tool),
            outcome=call.outcome.value,
            request=request,
            result=result,
            masked=call.masked,
        )

    def _split(self, text: str, start: int, length: int) -> tuple[str, str, str]:
        """The window is redacted as a whole; then the span is found in it again."""
        end = min(start + min(length, REDACTION_MARGIN), len(text))
        first = max(start - REDACTION_MARGIN, 0)
        window = text[first : end + REDACTION_MARGIN]
        redacted = self._redact(window)
        low, high = (
            _placed(window, redacted, start - first),
            _placed(window, redacted, end - first, last=True),
        )
        before, after = (
            redacted[:low].splitlines(keepends=True),
            redacted[high:].splitlines(keepends=True),
        )
        mine = (
            0 if not before or before[-1].endswith("\n") else 1
        )  # the line the span begins in is no context yet
        span = _headed(redacted[low:high])
        whole = span == redacted[low:high] and end == start + length
        return (
            "".join(
                _short(line, head=False) for line in before[-CONTEXT_LINES - mine :]
            ),
            span,
            "".join(_short(line) for line in after[: CONTEXT_LINES + 1]).rstrip("\n")
            if whole
            else "",
        )

    def _line(self, text: str) -> str:
        return clip(
            " ⏎ ".join(
                line.strip()
                for line in self._redact(text[:REDACTION_MARGIN]).splitlines()
                if line.strip()
            ),
            MAX_LINE_CHARACTERS,
        )


def _placed(text: str, redacted: str, at: int, *, last: bool = False) -> int:
    """Where position `at` of a text is once placeholders stand in it; a position inside one is its start or its end."""
    if text == redacted:
        return at
    here = closed = opened = (
        0  # up to where both say the same, and where the last placeholder began
    )
    for piece in [*_PLACEHOLDER.finditer(redacted), None]:
        words = redacted[closed : piece.start() if piece else None]
        begin = text.find(words, here)
        if begin < 0 or at < begin:
            return closed if last else opened
        if at <= begin + len(words) or piece is None:
            return closed + min(at - begin, len(words))
        here, opened, closed = begin + len(words), piece.start(), piece.end()
    return closed


def _headed(span: str) -> str:
    """As much of a span as can be read at once."""
    lines = span.split("\n", SPAN_LINES)
    return (
        clip(span, SPAN)
        if len(lines) <= SPAN_LINES
        else clip("\n".join(lines[:SPAN_LINES]), SPAN - 1) + "…"
    )


def _short(line: str, *, head: bool = True) -> str:
    """A long line of context: its head, or the end that stands next to the span."""
    if len(line) <= MAX_LINE_CHARACTERS:
        return line
    return (
        clip(line, MAX_LINE_CHARACTERS) + "\n" * line.endswith("\n")
        if head
        else "…" + line[-MAX_LINE_CHARACTERS + 1 :]
    )


def _said(call: Call) -> str:
    """What names the trouble in a failed call's result; the first words of another's."""
    text = call.error or call.result or ""
    return (
        telling_line(text)
        if call.outcome is Outcome.FAILED or call.masked
        else text.strip().partition("\n")[0]
    )
