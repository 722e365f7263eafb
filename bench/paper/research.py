"""Answers of `afterglow research`, as the paper shows them: the sentence, what else was found, figures and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from afterglow.measure.research.page import column_aligns, figure_block
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import ResearchFigure
from afterglow.show.blocks import (
    Block,
    Figure,
    Grid,
    Heading,
    Num,
    Para,
    Points,
    Small,
    Words,
)
from afterglow.text.numbers import interval, number, percent, points, points_interval
from bench.paper.results import Results

MAX_PANELS = 2  # of a figure on a page of paper
NO_NUMBER: Words = ("–",)
SOURCE = "(source)"  # behind a sentence whose numbers come as one


def answer(
    results: Results,
    question: str,
    *chosen: str,
    read: Callable[[str], Words],
) -> Iterator[Block]:
    """The sentence, what else was found, every figure, and every table; or those that are named: `tables=0,1
    findings=0`. What is not shown stands in the file."""
    file = f"research-{question}"
    found = results.value(f"{file}:")
    places = dict(choice.split("=") for choice in chosen)
    findings, tables = (
        _chosen(found[key], places.get(key)) for key in ("findings", "tables")
    )
    yield Para((*read(found["answer"]), " ", Num(SOURCE, f"{file}:answer")))
    if findings:
        yield Points(
            tuple(
                (*read(sentence), " ", Num(SOURCE, f"{file}:findings[{at}]"))
                for at, sentence in findings
            )
        )
    for at, figure in enumerate(found["figures"]):
        yield from _figures(figure, f"{file}:figures[{at}]")
    for at, table in tables:
        yield _grid(table, f"{file}:tables[{at}]")


def _chosen(entries: Sequence[Any], places: str | None) -> list[tuple[int, Any]]:
    if places is None:
        return list(enumerate(entries))
    return [(int(place), entries[int(place)]) for place in places.split(",") if place]


def methods(results: Results, read: Callable[[str], Words]) -> Iterator[Block]:
    """How each question was answered and what that cannot say, in the words of the answers; `read` knows their signs."""
    for name, file in results.files.items():
        if not name.startswith("research-"):
            continue
        yield Heading(file.result["title"], 3)
        for paragraph in file.result["method"]:
            yield Para(read(paragraph))
        yield Points(tuple(map(read, file.result["limits"])))


def _figures(figure: dict[str, Any], place: str) -> Iterator[Figure]:
    """A figure of many panels comes in several, each small enough to be read on paper."""
    whole = msgspec.convert(figure, ResearchFigure)
    panels = whole.panels
    parts = [panels[at : at + MAX_PANELS] for at in range(0, len(panels), MAX_PANELS)]
    for at, part in enumerate(parts, start=1):
        which = f" ({at} of {len(parts)})" if len(parts) > 1 else ""
        shown = replace(whole, title=f"{whole.title}{which}", panels=part)
        yield figure_block(shown)._replace(path=place)


def _grid(table: dict[str, Any], place: str) -> Grid:
    """How many stand behind a column is said once where it is the same for all of its rates."""
    columns = list(zip(*table["rows"], strict=True))
    sizes = [{cell["n"] for cell in column if _is_rate(cell)} for column in columns]
    heads = [
        f"{head} (n = {number(*size)})" if len(size) == 1 else head
        for head, size in zip(table["heads"], sizes, strict=True)
    ]
    rows = tuple(
        tuple(
            _cell(cell, f"{place}.rows[{down}][{across}]", len(sizes[across]) > 1)
            for across, cell in enumerate(row)
        )
        for down, row in enumerate(table["rows"])
    )
    caption = ". ".join(
        words.rstrip(".") for words in (table["title"], table["about"]) if words
    )
    aligns = column_aligns(table["heads"], table["rows"])
    return Grid(caption, tuple(heads), aligns, rows)


def _is_rate(cell: Any) -> bool:
    return isinstance(cell, dict) and "first_name" not in cell


def _cell(cell: Any, place: str, with_n: bool) -> Words:
    """A rate or a difference with its interval below; a word is itself, and so is a name in the first column."""
    if isinstance(cell, str):
        return (cell,)
    if cell is None:
        return NO_NUMBER
    if not isinstance(cell, dict):
        return (Num(number(cell), place),)
    if not _is_rate(cell):
        return _difference(msgspec.convert(cell, Difference), place)
    rate = msgspec.convert(cell, Rate)
    if not rate.n:
        return NO_NUMBER
    behind = f", n = {number(rate.n)}" if with_n else ""
    small = Small((f"{interval(rate)}{behind}",))
    return (Num(percent(rate.value), f"{place}.value"), small)


def _difference(difference: Difference, place: str) -> Words:
    if difference.value is None:
        return NO_NUMBER
    written = Num(points(difference.value), f"{place}.value")
    return (written, Small((points_interval(difference),)))
