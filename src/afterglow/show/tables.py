"""Plain text tables and paragraphs, never wider than the screen. No library: `sessions list` has to answer at once."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from afterglow.show.screen import MAX_TEXT_COLUMNS, columns, styled
from afterglow.text.clip import printable

GAP = "  "
MIN_TEXT_COLUMNS = 12  # a name or a sentence cut shorter says nothing
MAX_WORD_COLUMNS = (
    16  # a column of single words up to this is left whole: ids, states, days
)

# Rates, intervals, differences, times: cut, they would say something else.
_NUMBERS = re.compile(r"[\W\d]*(?:(?:points|to|min|million|UTC|[khns])[\W\d]*)*")
_WORD = re.compile(r"\S*")


def width(text: str) -> int:
    """Columns on screen: wide characters take two, marks none."""
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    right: str = "",
    whole: str = "",
    wrapped: str = "",
    optional: str = "",
    named_by: int = 1,
) -> str:
    """Aligned columns; `right` names the headers whose column is right-aligned, `whole` those that are never cut,
    `wrapped` those that go on in the next line instead.

    Where the screen is too narrow the widest columns of words are cut first, numbers never. Where that is not enough,
    `optional` columns are left out, the first named first; then the last columns stand in a second table below, with
    the first column again, or the first `named_by` where it takes several to name a row.
    """
    aligned, uncut, broken = right.split(), whole.split(), wrapped.split()
    every: list[_Column] = []
    for at, name in enumerate(headers):
        column = _Column(
            name,
            [printable(str(row[at])) for row in rows],
            to_right=name in aligned,
            whole=name in uncut,
            wrapped=name in broken,
        )
        every.append(column)
    room = columns()
    remaining = _without_optional(every, optional.split(), room)
    parts = _parts(remaining, room, named_by)
    return "\n\n".join(_drawn(part, room) for part in parts)


def paragraph(text: str, bullet: str = "") -> str:
    """Text broken to the screen."""
    return textwrap.fill(
        text,
        min(columns(), MAX_TEXT_COLUMNS),
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_on_hyphens=False,
    )


class _Column:
    """A head and its cells; how wide it would like to be, and how narrow it may become."""

    def __init__(
        self,
        name: str,
        cells: Sequence[str],
        *,
        to_right: bool,
        whole: bool,
        wrapped: bool,
    ) -> None:
        self.name, self.cells = name, cells
        self.to_right, self.wrapped = to_right, wrapped
        self.width = max(map(width, [name, *cells]))
        self.least = self.width
        if not to_right and not whole and self._may_be_cut():
            self.least = min(self.width, MIN_TEXT_COLUMNS)

    def _may_be_cut(self) -> bool:
        """Not numbers, and not short words: what is left of these says something else."""
        if all(map(_NUMBERS.fullmatch, self.cells)):
            return False
        if self.width > MAX_WORD_COLUMNS:
            return True
        return not all(map(_WORD.fullmatch, self.cells))

    def lines(self, cell: str, space: int) -> list[str]:
        if not self.wrapped:
            return [self.fitted(cell, space)]
        return [self.fitted(line, space) for line in textwrap.wrap(cell, space)]

    def fitted(self, text: str, space: int) -> str:
        cut = _cut(text, space)
        gap = " " * (space - width(cut))
        return gap + cut if self.to_right else cut + gap


def _without_optional(
    every: Sequence[_Column], optional: Sequence[str], room: int
) -> list[_Column]:
    remaining = list(every)
    for name in optional:
        if _line_width([column.least for column in remaining]) <= room:
            break
        remaining = [column for column in remaining if column.name != name]
    return remaining


def _parts(every: Sequence[_Column], room: int, named_by: int) -> list[list[_Column]]:
    """The columns of each table: as many as fit at their narrowest, those that name a row in all of them."""
    names, following = list(every[:named_by]), every[named_by:]
    parts = [names]
    for column in following:
        candidate = [*parts[-1], column]
        least = _line_width([narrowed.least for narrowed in candidate])
        if parts[-1] == names or least <= room:
            parts[-1] = candidate
        else:
            parts.append([*names, column])
    return parts


def _drawn(part: Sequence[_Column], room: int) -> str:
    spaces = _shrunk(part, room)
    heads = [c.fitted(c.name, space) for c, space in zip(part, spaces, strict=True)]
    drawn = [
        styled(GAP.join(heads).rstrip(), "strong"),
        styled(GAP.join("─" * space for space in spaces), "faint"),
    ]
    for row in zip(*(column.cells for column in part), strict=True):
        drawn += _drawn_row(part, row, spaces)
    return "\n".join(drawn)


def _drawn_row(
    part: Sequence[_Column], row: Sequence[str], spaces: Sequence[int]
) -> Iterator[str]:
    """As many lines as the cell with the most has."""
    cells: list[list[str]] = []
    for column, cell, space in zip(part, row, spaces, strict=True):
        cells.append(column.lines(cell, space))
    height = max(map(len, cells))
    for lines, space in zip(cells, spaces, strict=True):
        missing = height - len(lines)
        lines.extend([" " * space] * missing)
    for line in zip(*cells, strict=True):
        yield GAP.join(line).rstrip()


def _shrunk(part: Sequence[_Column], room: int) -> list[int]:
    """The width of each column: what is too much is taken from the widest that may be cut."""
    spaces = [column.width for column in part]
    while _line_width(spaces) > room:
        cuttable = [at for at, c in enumerate(part) if spaces[at] > c.least]
        if not cuttable:
            break
        spaces[max(cuttable, key=spaces.__getitem__)] -= 1
    return spaces


def _line_width(spaces: Sequence[int]) -> int:
    return sum(spaces) + len(GAP) * (len(spaces) - 1)


def _cut(text: str, space: int) -> str:
    if width(text) <= space:
        return text
    while text and width(text) > space - 1:
        text = text[:-1]
    return text + "…"
