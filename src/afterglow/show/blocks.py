"""What a report is made of before it is HTML or Markdown: headings, paragraphs, tables, figures.

Sections are written once, as blocks of plain words; a writer turns them into a format and escapes them there. A number
taken from the analysis is a `Num`: it remembers where it stands in it, so that a paper can link it to its computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from afterglow.show.svg import Drawing
from afterglow.text.numbers import count


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

    pieces: tuple[str | Num | Name, ...]


class Name(NamedTuple):
    """A name that may break where it is put together: `mcp__server__tool`. With an address it leads there."""

    text: str
    href: str = ""


class Tag(NamedTuple):
    """A word in a frame, in one of the tones of figures."""

    text: str
    tone: str


class Meter(NamedTuple):
    """An interval drawn in a table cell, from its low end to its high one with a dot between; dashed, what it is
    compared with. All are shares of the cell's width; what lies beyond an end of it is cut there."""

    low: float
    high: float
    middle: float
    mark: float
    tone: str


class Axis(NamedTuple):
    """The head of a column of meters: what its two ends stand for."""

    left_end: str
    right_end: str


Piece = str | Num | Strong | Code | Cite | Anchor | Small | Name | Tag | Meter | Axis
PIECES = (str, Num, Strong, Code, Cite, Anchor, Small, Name, Tag, Meter, Axis)
Words = tuple[Piece, ...]


class Heading(NamedTuple):
    text: str
    level: int = 2
    tag: Tag | None = None


class Para(NamedTuple):
    """`kind`: lead (the answer), mute (aside), warning (in a box of its own, which may have a title)."""

    words: Words
    kind: str = ""
    title: str = ""


class Points(NamedTuple):
    items: tuple[Words, ...]
    numbered: bool = False


class Grid(NamedTuple):
    """A table, numbered where it has a caption. `aligns` has one letter a column: l, r, d for a drawing, t for prose in
    the first column, which else is a name; a capital letter is a column a phone leaves out. `tones` colours the last
    column of each row."""

    caption: str
    heads: tuple[str | Axis, ...]
    aligns: str
    rows: tuple[tuple[Words, ...], ...]
    tones: tuple[str, ...] = ()


class Picture(NamedTuple):
    """A drawing in the text, without number or caption. Where it is wide, `narrow` is the same for a phone; `file` is
    where it lies beside a Markdown file."""

    title: str
    drawing: Drawing
    narrow: Drawing | None = None
    file: str = ""


class Figure(NamedTuple):
    """A drawing with its caption. `name` is that of its file, `plain` the same in characters for where no picture can
    be shown, `path` what it was drawn from, `narrow` the same for a phone."""

    name: str
    title: str
    caption: str
    drawing: Drawing
    plain: tuple[str, ...]
    path: str
    narrow: Drawing | None = None


class Definitions(NamedTuple):
    entries: tuple[tuple[str, Words], ...]


class Tile(NamedTuple):
    """One number that matters, large: number, unit, what it is, a tag, small print."""

    big: str
    unit: str
    label: str
    small: tuple[str, ...]
    tag: Tag | None = None


class Tiles(NamedTuple):
    tiles: tuple[Tile, ...]


class Verdict(NamedTuple):
    """A claim, what became of it (`tone`: yes, no, maybe), and the numbers behind that."""

    verdict: str
    tone: str
    claim: str
    aside: str
    sentence: str


class Verdicts(NamedTuple):
    verdicts: tuple[Verdict, ...]


class Listing(NamedTuple):
    """Text to be copied as it is."""

    text: str


class Break(NamedTuple):
    """A new page, on paper."""


class Pair(NamedTuple):
    """Columns side by side where there is room."""

    columns: tuple[tuple[Block, ...], ...]


class Footer(NamedTuple):
    """How the numbers above are made."""

    blocks: tuple[Block, ...]


Block = (
    Heading
    | Para
    | Points
    | Grid
    | Picture
    | Figure
    | Definitions
    | Tiles
    | Verdicts
    | Listing
    | Break
    | Pair
    | Footer
)


def say(*pieces: Piece | Sequence[Piece]) -> Words:
    """Pieces of a sentence, one behind the other; a sequence of them is taken apart."""
    words: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, PIECES):
            words.append(piece)
        else:
            words.extend(piece)
    return tuple(words)


def listed(parts: Sequence[Words], word: str = "and") -> Words:
    """`a`, `a and b`, `a, b and c`."""
    words: list[Piece] = []
    for index, part in enumerate(parts):
        if index:
            words.append(f" {word} " if index == len(parts) - 1 else ", ")
        words += part
    return tuple(words)


def more(remaining: int, what: str) -> list[Block]:
    """That there are more rows than the table has."""
    if remaining <= 0:
        return []
    return [Para((f"{count(remaining, 'more ' + what)} not shown.",), "mute")]


def numbers(blocks: Iterable[Block]) -> list[Num]:
    """Every number of the blocks, in the order of reading, each place of the analysis once."""
    by_path: dict[str, Num] = {}
    for block in blocks:
        for piece in _flat(_pieces(block)):
            if isinstance(piece, Num):
                by_path.setdefault(piece.path, piece)
    return list(by_path.values())


def _flat(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        if isinstance(piece, Small):
            yield from piece.pieces
        else:
            yield piece


def _pieces(block: Block) -> Iterable[Piece]:
    match block:
        case Para():
            return block.words
        case Points():
            return chain.from_iterable(block.items)
        case Definitions():
            return chain.from_iterable(words for _, words in block.entries)
        case Grid():
            return chain.from_iterable(chain.from_iterable(block.rows))
        case Figure():
            return [Num(block.name, block.path)]
        case _:
            return ()
