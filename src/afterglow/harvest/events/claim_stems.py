"""Pieces of words without which nothing is claimed: asked first, since most texts hold none and that is cheap to tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stringzilla import find

_STEMS = tuple(stem.encode() for stem in (
    "error", "err_", "fail", "fatal", "panic", "exception", "traceback", "abort", "found", "reported", "no such", "no test",
    "denied", "cannot", "can't", "could", "unable", "unknown", "unrecogni", "invalid", "unexpected", "unsupported",
    "illegal", "missing", "ambiguous", "accepts", "refused", "timed out", "exit", "http", "status", "✗", "✖", "×", "❌",
    "sh:", "problem", "issue", "rc=", "director", " in use", " exists", "too many", "broken", "(eval)",
    "rejected]",
))  # fmt: skip
_PLACE = re.compile(r"\.\w{1,6}(?::\d+|\(\d+,)")


def may_claim(text: str) -> bool:
    """Whether a text may hold a message or a report at all."""
    small = _small(text)
    holds_stem = any(find(small, stem) >= 0 for stem in _STEMS)
    return holds_stem or _PLACE.search(text) is not None


def lines_with_stems(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines of a text that may hold a message or a report, with their places."""
    text = "\n".join(lines)
    small = _small(text)
    places = {place for stem in _STEMS for place in _lines_with(stem, small)}
    if _PLACE.search(text) is not None:
        places.update(place for place, line in enumerate(lines) if _PLACE.search(line))
    for place in sorted(places):
        yield place, lines[place]


def _lines_with(stem: bytes, small: bytes) -> Iterator[int]:
    """The numbers of the lines that hold a stem: looked for in all of them at once, since few do."""
    line = start = 0
    at = find(small, stem)
    while at >= 0:
        line += small.count(b"\n", start, at)
        yield line
        start = small.find(b"\n", at)
        at = find(small, stem, start) if start >= 0 else -1


def _small(text: str) -> bytes:
    return text.lower().encode("utf-8", "replace")
