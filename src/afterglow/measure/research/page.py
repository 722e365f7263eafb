"""An answer as a page: the answer first, then figures, tables, limits and how it was computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from afterglow.measure.research.words import cell_words, head
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import (
    Cell,
    ResearchAnswer,
    ResearchFigure,
    ResearchTable,
)
from afterglow.show import html
from afterglow.show.blocks import (
    Block,
    Code,
    Figure,
    Footer,
    Grid,
    Heading,
    Para,
    Points,
    Small,
    Words,
    say,
)
from afterglow.show.panels import panels, plain_panels
from afterglow.show.rate_blocks import NARROW_FIGURE, WIDE_FIGURE, rate_cell
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.text.numbers import points, points_interval

MAX_NAME_CHARACTERS = 48  # longer ones in a first column are sentences
NOT_ON_A_PHONE = frozenset({"sessions", "shuffled starts"})  # heads of columns


def page(answer: ResearchAnswer) -> str:
    """The answer as a file of its own."""
    sections = chain([Heading(answer.title, 1)], blocks(answer))
    return html.page(sections, answer.title, simulated=answer.simulated)


def blocks(answer: ResearchAnswer) -> Iterator[Block]:
    """What stands below the question."""
    yield Para(_prose(answer.answer), "lead" if answer.enough else "warning")
    yield Para(say(head(answer)), "mute")
    for sentence in answer.findings:
        yield Para(_prose(sentence))
    for figure in answer.figures:
        yield figure_block(figure)
    for table in answer.tables:
        yield from table_blocks(table)
    if answer.limits:
        yield Heading("What this cannot say")
        yield Points(tuple(map(_prose, answer.limits)))
    if answer.next_step:
        yield Para(_prose(answer.next_step))
    notes = (*answer.method, f"{HOW_TO_READ}.")
    paragraphs = [Para(_prose(words), "mute") for words in notes]
    yield Footer((Heading("How these numbers are made"), *paragraphs))


def figure_block(figure: ResearchFigure) -> Figure:
    return Figure(
        name=figure.name,
        title=figure.title,
        caption=figure.caption,
        drawing=panels(figure.panels, WIDE_FIGURE),
        plain=tuple(plain_panels(figure.panels)),
        path=f"figures.{figure.name}",
        narrow=panels(figure.panels, NARROW_FIGURE),
    )


def table_blocks(table: ResearchTable) -> Iterator[Block]:
    yield Heading(table.title)
    if table.about:
        yield Para(say(table.about), "mute")
    rows = tuple(tuple(map(_cell, row)) for row in table.rows)
    yield Grid("", table.heads, column_aligns(table.heads, table.rows), rows)


def column_aligns(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """One letter a column, as a grid wants them: numbers to the right, words to the left, sentences in the first column
    as prose. What a phone has no room for is left out there."""
    return "".join(
        _align(name, at, [row[at] for row in rows]) for at, name in enumerate(heads)
    )


def _align(name: str, at: int, cells: Sequence[object]) -> str:
    words = [cell for cell in cells if isinstance(cell, str)]
    if at == 0:
        return "t" if any(len(cell) > MAX_NAME_CHARACTERS for cell in words) else "l"
    letter = "l" if words else "r"
    return letter.upper() if name in NOT_ON_A_PHONE else letter


def _prose(text: str) -> Words:
    """A sentence; what stands in backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner
        return say(text)
    return say(*(Code(part) if at % 2 else part for at, part in enumerate(parts)))


def _cell(cell: Cell) -> Words:
    """A rate with its interval below it, a difference likewise; anything else as it is read."""
    if isinstance(cell, Rate) and cell.n:
        return rate_cell(cell)
    if isinstance(cell, Difference) and cell.value is not None:
        return say(points(cell.value), Small((points_interval(cell),)))
    return say(cell_words(cell))
