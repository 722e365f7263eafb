"""What a report is made of before it is HTML or Markdown: headings, paragraphs, tables, figures.

Sections are written once, as blocks of plain words; a writer turns them into a format and escapes them there. A number
taken from the analysis is a `Num`: it remembers where it stands in it, so that a paper can link it to its computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterglow.show.svg import Drawing


class Num(NamedTuple):
    """A number as it is shown, and where it comes from: `estimates[0].difference`."""

    text: str
    path: str


class Strong(NamedTuple):
    text: str


class Code(NamedTuple):
    text: str


class Cite(NamedTuple):
    """A mark that leads to an entry of the references."""

    number: int


class Anchor(NamedTuple):
    """A place in the appendix that numbers lead to."""

    id: str
    text: str


class Small(NamedTuple):
    """What stands below the main thing of a cell: pieces that hold no further ones."""

    pieces: tuple[str | Num, ...]


Piece = str | Num | Strong | Code | Cite | Anchor | Small
Words = tuple[Piece, ...]


class Heading(NamedTuple):
    text: str
    level: int = 2


class Para(NamedTuple):
    """`kind`: lead (the answer), mute (aside), warning (in a box of its own)."""

    words: Words
    kind: str = ""


class Points(NamedTuple):
    items: tuple[Words, ...]
    numbered: bool = False


class Grid(NamedTuple):
    """A table. `aligns` has one letter a column: l, r; a capital letter is a column a phone leaves out. `tones` colours
    the last column of each row."""

    caption: str
    heads: tuple[str, ...]
    aligns: str
    rows: tuple[tuple[Words, ...], ...]
    tones: tuple[str, ...] = ()


class Figure(NamedTuple):
    """A drawing with its caption. `name` is that of its file, `plain` the same in characters for where no picture can
    be shown, `path` what it was drawn from."""

    name: str
    title: str
    caption: str
    drawing: Drawing
    plain: tuple[str, ...]
    path: str


class Definitions(NamedTuple):
    entries: tuple[tuple[str, Words], ...]


class Tiles(NamedTuple):
    """Numbers that matter, large: number, unit, what it is, small print."""

    tiles: tuple[tuple[str, str, str, tuple[str, ...]], ...]


class Listing(NamedTuple):
    """Text to be copied as it is."""

    text: str


class Break(NamedTuple):
    """A new page, on paper."""


Block = Heading | Para | Points | Grid | Figure | Definitions | Tiles | Listing | Break


def say(*pieces: Piece | Sequence[Piece]) -> Words:
    """Pieces of a sentence, one behind the other; a sequence of them is taken apart."""
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str | Num | Strong | Code | Cite | Anchor | Small):
            found.append(piece)
        else:
            found.extend(piece)
    return tuple(found)


def listed(parts: Sequence[Words], word: str = "and") -> Words:
    """`a`, `a and b`, `a, b and c`."""
    found: list[Piece] = []
    for index, part in enumerate(parts):
        found += [
            "" if not index else f" {word} " if index == len(parts) - 1 else ", ",
            *part,
        ]
    return tuple(piece for piece in found if piece != "")


def numbers(blocks: Iterable[Block]) -> list[Num]:
    """Every number of the blocks, in the order of reading, each place of the analysis once."""
    found: dict[str, Num] = {}
    for block in blocks:
        for piece in _pieces(block):
            for one in piece.pieces if isinstance(piece, Small) else (piece,):
                if isinstance(one, Num):
                    found.setdefault(one.path, one)
    return list(found.values())


def _pieces(block: Block) -> Iterator[Piece]:
    if isinstance(block, Para):
        yield from block.words
    elif isinstance(block, Points):
        for item in block.items:
            yield from item
    elif isinstance(block, Definitions):
        for _, words in block.entries:
            yield from words
    elif isinstance(block, Grid):
        for row in block.rows:
            for words in row:
                yield from words
    elif isinstance(block, Figure):
        yield Num(block.name, block.path)
