"""A seed taken apart into what can be left out of it, and put together again.

What a piece is worth is how many sessions stand behind it. Of examples the first are those of what is done most often,
so a later place counts less. A person's word counts as two sessions; a line of context as one; a name of a file or the
like as a quarter, because it only says where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.template import (
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    WarmTemplate,
)
from afterglow.warm.compress.size import of_example, of_line, of_recovery, tokens

PERSON, LINE, MARKER = 2.0, 1.0, 0.25
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
    found = [
        Piece("system_context", at, line, of_line(line), LINE)
        for at, line in enumerate(_lines(seed))
    ]
    found += [
        Piece("tool_examples", at, one, of_example(one), one.support / sqrt(1 + at))
        for at, one in enumerate(seed.tool_examples)
    ]
    found += [
        Piece("recovery_patterns", at, one, of_recovery(one), one.support)
        for at, one in enumerate(seed.recovery_patterns)
    ]
    for fields, of, worth in (
        (_PATTERNS, seed.user_patterns, PERSON),
        (_MARKERS, seed.context_markers, MARKER),
    ):
        for field in fields:
            found += [
                Piece(field, at, text, of_line(text), worth)
                for at, text in enumerate(getattr(of, field))
            ]
    return found


def together(seed: SessionSeed, kept: Iterable[Piece]) -> SessionSeed:
    """The seed with only these pieces, in their places."""
    by_field: dict[str, list[Piece]] = defaultdict(list)
    for piece in kept:
        by_field[piece.field].append(piece)
    held = {
        field: tuple(piece.what for piece in sorted(some, key=lambda piece: piece.at))
        for field, some in by_field.items()
    }
    return replace(
        seed,
        system_context="\n".join(str(line) for line in held.get("system_context", ())),
        tool_examples=held.get("tool_examples", ()),
        recovery_patterns=held.get("recovery_patterns", ()),
        user_patterns=replace(
            seed.user_patterns, **{field: held.get(field, ()) for field in _PATTERNS}
        ),
        context_markers=replace(
            seed.context_markers, **{field: held.get(field, ()) for field in _MARKERS}
        ),
    )


def fitted(template: WarmTemplate, budget: int) -> WarmTemplate:
    """What is worth least goes, of equals the last, until the rest fits; at last the styles, too."""
    left = sorted(pieces(template.seed), key=lambda piece: (-piece.worth, piece.at))
    small = template
    while (over := tokens(small) - budget) > 0:
        if not left:
            return replace(template, seed=SessionSeed())
        while left and over > 0:
            over -= left.pop().tokens
        small = replace(template, seed=together(template.seed, left))
    return small


def _lines(seed: SessionSeed) -> list[str]:
    return [line for line in seed.system_context.splitlines() if line.strip()]
