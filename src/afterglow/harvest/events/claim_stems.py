"""Pieces of words without which nothing is claimed: asked first, since most texts hold none and that is cheap to tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_STEMS = (
    "error", "err_", "fail", "fatal", "panic", "exception", "traceback", "abort", "found", "reported", "no such", "no test",
    "denied", "cannot", "can't", "could", "unable", "unknown", "unrecogni", "invalid", "unexpected", "unsupported",
    "illegal", "missing", "ambiguous", "accepts", "refused", "timed out", "exit", "http", "status", "✗", "✖", "×", "❌",
    "sh:", "problem", "issue", "rc=", "director", " in use", " exists", "too many", "broken", "(eval)",
    "rejected]",
)  # fmt: skip
_PLACE = re.compile(r"\.\w{1,6}(?::\d+|\(\d+,)")


def may_claim(text: str) -> bool:
    """Whether a text may hold a message or a report at all."""
    holds_stem = any(map(text.lower().__contains__, _STEMS))
    return holds_stem or _PLACE.search(text) is not None


def lines_with_stems(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines of a text that may hold a message or a report, with their places. A text holds few of the stems, so
    each line is asked for those alone."""
    text = "\n".join(lines)
    stems = list(filter(text.lower().__contains__, _STEMS))
    holds_place = _PLACE.search(text) is not None
    for place, line in enumerate(lines):
        holds_stem = any(map(line.lower().__contains__, stems))
        if holds_stem or (holds_place and _PLACE.search(line)):
            yield place, line
