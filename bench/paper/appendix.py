"""Where every number comes from: the file it stands in, its place there, and the command that made the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from afterglow.show.blocks import (
    Anchor,
    Block,
    Code,
    Grid,
    Heading,
    Num,
    Para,
    Words,
    numbers,
    say,
)
from afterglow.text.clip import clip
from bench.paper.results import Results

Row = tuple[tuple[Anchor], tuple[Code]]

LONGEST_PLACE = 40  # characters; a longer one takes a line for itself
LONGEST_NUMBER = 44  # characters of what is shown; a sentence is cut


def links(blocks: Iterable[Block]) -> dict[str, str]:
    """Address -> id of its row."""
    return {shown.path: f"v{at}" for at, shown in enumerate(numbers(blocks), start=1)}


def appendix(blocks: Iterable[Block], results: Results) -> Iterator[Block]:
    """One table a file: each number and its place."""
    anchors = list(enumerate(numbers(blocks), start=1))
    for name, file in results.files.items():
        mine = [
            (at, shown) for at, shown in anchors if shown.path.partition(":")[0] == name
        ]
        if not mine:
            continue
        yield Heading(f"{name}.json", 3)
        yield Para(say(f"{file.what} Made by ", Code(file.command), "."))
        yield _grid([_row(at, shown) for at, shown in mine])


def _grid(rows: Sequence[Row]) -> Grid:
    """Two numbers a line where their places are short: there are hundreds."""
    heads = ("number", "its place in the file")
    longest = max(len(place.text) for _, (place,) in rows)
    if longest > LONGEST_PLACE or len(rows) == 1:
        return Grid("", heads, "tl", tuple(rows))
    middle = (len(rows) + 1) // 2
    blanks: list[tuple[Words, Words]] = [((), ())] * (2 * middle - len(rows))
    right = [*rows[middle:], *blanks]
    pairs = zip(rows[:middle], right, strict=True)
    return Grid("", heads * 2, "tlll", tuple((*one, *other) for one, other in pairs))


def _row(at: int, shown: Num) -> Row:
    place = shown.path.partition(":")[2]
    return (Anchor(f"v{at}", clip(shown.text, LONGEST_NUMBER)),), (Code(place),)
