"""A seed taken apart into what can be left out of it, and put together again.

What a piece is worth is how many sessions stand behind it. Of examples the first are those of what is done most often,
so a later place counts less. A person's word counts as two sessions; a line of context as one; a name of a file or the
like as a quarter, because it only says where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import sqrt
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.warm.compress.size import of_example, of_line, of_recovery, tokens

# In sessions that would have to stand behind it; the reasons are above.
PERSON_WORTH, LINE_WORTH, MARKER_WORTH = 2.0, 1.0, 0.25
_PATTERNS = ("conventions", "corrections")
_MARKERS = ("files", "urls", "repos", "commands")


class Piece(Struct, frozen=True):
    """One thing a seed holds: in which field, at which place, what it takes and what it is worth."""

    field: str
    at: int
    what: ToolCallExample | RecoveryPattern | str
    tokens: int
    worth: float


def pieces(seed: SessionSeed) -> list[Piece]:
    """All of a seed but the styles, which take a word each and stay."""
    lines = [line for line in seed.system_context.splitlines() if line.strip()]
    every = list(_text_pieces("system_context", lines, LINE_WORTH))
    for at, example in enumerate(seed.tool_examples):
        worth = example.support / sqrt(1 + at)
        size = of_example(example)
        every.append(Piece("tool_examples", at, example, size, worth))
    for at, pattern in enumerate(seed.recovery_patterns):
        size = of_recovery(pattern)
        every.append(Piece("recovery_patterns", at, pattern, size, pattern.support))
    every += _struct_pieces(seed.user_patterns, _PATTERNS, PERSON_WORTH)
    every += _struct_pieces(seed.context_markers, _MARKERS, MARKER_WORTH)
    return every


def _struct_pieces(
    owner: UserPatterns | ContextMarkers, fields: Iterable[str], worth: float
) -> Iterator[Piece]:
    for field in fields:
        yield from _text_pieces(field, getattr(owner, field), worth)


def _text_pieces(field: str, texts: Iterable[str], worth: float) -> Iterator[Piece]:
    for at, text in enumerate(texts):
        yield Piece(field, at, text, of_line(text), worth)


def together(seed: SessionSeed, chosen: Iterable[Piece]) -> SessionSeed:
    """The seed with only these pieces, in their places."""
    by_field: dict[str, list[Piece]] = defaultdict(list)
    for piece in chosen:
        by_field[piece.field].append(piece)
    contents: dict[str, tuple[Any, ...]] = defaultdict(tuple)
    for field, field_pieces in by_field.items():
        field_pieces.sort(key=lambda piece: piece.at)
        contents[field] = tuple(piece.what for piece in field_pieces)
    patterns = {field: contents[field] for field in _PATTERNS}
    markers = {field: contents[field] for field in _MARKERS}
    return replace(
        seed,
        system_context="\n".join(contents["system_context"]),
        tool_examples=contents["tool_examples"],
        recovery_patterns=contents["recovery_patterns"],
        user_patterns=replace(seed.user_patterns, **patterns),
        context_markers=replace(seed.context_markers, **markers),
    )


def fitted(template: WarmTemplate, budget: int) -> WarmTemplate:
    """What is worth least goes, of equals the last, until the rest fits; at last the styles, too."""
    remaining = sorted(
        pieces(template.seed), key=lambda piece: (-piece.worth, piece.at)
    )
    small = template
    while (over := tokens(small) - budget) > 0:
        if not remaining:
            return replace(template, seed=SessionSeed())
        while remaining and over > 0:
            over -= remaining.pop().tokens
        small = replace(template, seed=together(template.seed, remaining))
    return small
