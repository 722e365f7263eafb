"""The most support that fits: each piece whole, an example perhaps with less of its result, or left out.

Solved exactly (one pass over the pieces, one cell a token), on what pieces take one by one; the whole is counted at the
end. A duplicate adds nothing and goes first.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from afterglow.records.template import ToolCallExample, WarmTemplate
from afterglow.warm.compress.clipped_results import clipped
from afterglow.warm.compress.merged_duplicates import merged
from afterglow.warm.compress.pieces import Piece, fitted, pieces, together
from afterglow.warm.compress.size import of_example, tokens

NAME = "knapsack"
ABOUT = "the most support within the budget"
# Characters of a result, and the worth of an example with these: how a call is made matters more than its output.
SHORTER_RESULTS = ((200, 0.95), (50, 0.9), (20, 0.85))


def shrink(template: WarmTemplate, budget: int, model: object) -> WarmTemplate:
    small = unique = merged(template)
    choices = [_ways(piece) for piece in pieces(unique.seed)]
    room = budget
    while (over := tokens(small) - budget) > 0 and room > 0:
        if small is not unique:
            room -= over  # headings take room, too: as much as there was too little
        small = replace(unique, seed=together(unique.seed, best(choices, room)))
    return fitted(small, budget)


def best(choices: Sequence[Sequence[Piece]], budget: int) -> list[Piece]:
    """At most one of each group, together within the budget, with the highest worth."""
    room = max(budget, 0)
    worth = [0.0] * (room + 1)
    # For each group and room: which of the group, -1 for none.
    taken: list[list[int]] = []
    for group in choices:
        best_worth, which = worth[:], [-1] * (room + 1)
        for index, piece in enumerate(group):
            for space in range(piece.tokens, room + 1):
                value = worth[space - piece.tokens] + piece.worth
                if value > best_worth[space]:
                    best_worth[space], which[space] = value, index
        worth = best_worth
        taken.append(which)
    chosen: list[Piece] = []
    for group, which in zip(reversed(choices), reversed(taken), strict=True):
        if which[room] >= 0:
            chosen.append(group[which[room]])
            room -= chosen[-1].tokens
    return chosen


def _ways(piece: Piece) -> list[Piece]:
    """A piece whole and, where that saves something, with a shorter result."""
    ways = [piece]
    if not isinstance(piece.what, ToolCallExample):
        return ways
    for length, share in SHORTER_RESULTS:
        short = clipped(piece.what, length)
        if short == ways[-1].what:
            continue
        worth = share * piece.worth
        ways.append(replace(piece, what=short, tokens=of_example(short), worth=worth))
    return ways
