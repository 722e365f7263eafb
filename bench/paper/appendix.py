"""Where every number comes from: the file it stands in, its place there, and the command that made the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from afterglow.show.blocks import (
    Anchor,
    Block,
    Code,
    Grid,
    Heading,
    Num,
    Para,
    numbers,
    say,
)
from afterglow.text.clip import clip
from bench.paper.results import Results

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
        rows = tuple(_row(at, shown) for at, shown in mine)
        yield Grid("", ("number", "its place in the file"), "tl", rows)


def _row(at: int, shown: Num) -> tuple[tuple[Anchor], tuple[Code]]:
    place = shown.path.partition(":")[2]
    return (Anchor(f"v{at}", clip(shown.text, LONGEST_NUMBER)),), (Code(place),)
