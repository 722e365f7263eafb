"""Values that are secret where they stand, and texts without them, whole or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from afterglow.text.redact import Redactor

SHORTEST, CUT = (
    4,
    8,
)  # characters of a value that is looked for, and of the piece of one that still gives it away


def values_in(text: str, redactor: Redactor) -> Iterator[tuple[str, str]]:
    """Each value that is secret where it stands, and what stands for it elsewhere."""
    for hit in redactor.find(text):
        value = text[hit.start : hit.end].strip("\"'")
        if hit.kind == "home" or len(value) < SHORTEST:
            continue
        label = f"secret:{hit.rule}" if hit.kind == "secret" else hit.kind
        yield value, f"<{label}>"


def without(text: str, values: Iterable[tuple[str, str]]) -> str:
    """A text without these values, in small letters or large, whole or cut off."""
    for value, placeholder in values:
        for start, end in reversed(list(_pieces(text, value))):
            text = text[:start] + placeholder + text[end:]
    return text


def _pieces(text: str, value: str) -> Iterator[tuple[int, int]]:
    past = 0
    for match in re.finditer(re.escape(value[:CUT]), text, re.IGNORECASE):
        start = match.start()
        end = match.end() + _same_letters(text[match.end() :], value[CUT:])
        is_whole = CUT < len(value) == end - start
        is_cut_off = not text[end : end + 1].isalnum()
        if start >= past and (is_whole or is_cut_off):
            past = end
            yield start, end


def _same_letters(text: str, value: str) -> int:
    """How many letters both begin with, small or large."""
    pairs = zip(text, value, strict=False)
    same = takewhile(lambda pair: pair[0].lower() == pair[1].lower(), pairs)
    return len(list(same))
