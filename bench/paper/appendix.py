"""Where every number comes from: the file it stands in, its place there, and the command that made the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from afterglow.show.blocks import (
    Anchor,
    Block,
    Code,
    Grid,
    Heading,
    Num,
    Para,
    Piece,
    Words,
    numbers,
    say,
)
from afterglow.text.clip import clip
from bench.paper.results import Results

LONGEST_NUMBER = 44  # characters of what is shown; a sentence is cut
# The last key of a place, with the number of a column or an entry around it: `[2].value`, `discordant[0]`, `n`.
_LEAF = re.compile(
    r"(?P<parent>.*?)\.?(?P<leaf>(?:\[\d+\]\.)?[\w-]+(?:\[\d+\])?|\[\d+\])"
)


def links(blocks: Iterable[Block]) -> dict[str, str]:
    """Address -> id of its number."""
    return {shown.path: f"v{at}" for at, shown in enumerate(numbers(blocks), start=1)}


def appendix(blocks: Iterable[Block], results: Results) -> Iterator[Block]:
    """One table a file: numbers that stand side by side in it are one row."""
    by_file: dict[str, dict[str, list[Piece]]] = {}
    for at, shown in enumerate(numbers(blocks), start=1):
        file, _, place = shown.path.partition(":")
        parent, leaf = _apart(place)
        cell = by_file.setdefault(file, {}).setdefault(parent, [])
        cell += [", "] if cell else []
        cell += _entry(f"v{at}", shown, leaf)
    for name, rows in by_file.items():
        file_of = results.files[name]
        yield Heading(f"{name}.json", 3)
        yield Para(say(f"{file_of.what} Made by ", Code(file_of.command), "."))
        cells = tuple((_row(parent, cell),) for parent, cell in rows.items())
        yield Grid("", ("place in the file: numbers that stand there",), "t", cells)


def _apart(place: str) -> tuple[str, str]:
    """`plans.moments.tasks` -> `plans.moments` and `tasks`."""
    found = _LEAF.fullmatch(place)
    return (found["parent"], found["leaf"]) if found else (place, "")


def _entry(id: str, shown: Num, leaf: str) -> list[Piece]:
    number = Anchor(id, clip(shown.text, LONGEST_NUMBER))
    return [Code(leaf), " ", number] if leaf else [number]


def _row(parent: str, cell: list[Piece]) -> Words:
    return (Code(parent), ": ", *cell) if parent else tuple(cell)
