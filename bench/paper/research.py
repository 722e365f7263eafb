"""Answers of `afterglow research`, as the paper shows them: the sentence, what else was found, figures and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from afterglow.measure.research.page import figure_block
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import ResearchFigure
from afterglow.show.blocks import Block, Grid, Num, Para, Small, Words
from afterglow.text.numbers import interval, number, percent, points, points_interval
from bench.paper.results import Results


def answer(results: Results, question: str) -> Iterator[Block]:
    file = f"research-{question}"
    found = results.value(f"{file}:")
    yield Para((Num(found["answer"], f"{file}:answer"),))
    for at, sentence in enumerate(found["findings"]):
        yield Para((Num(sentence, f"{file}:findings[{at}]"),))
    for at, figure in enumerate(found["figures"]):
        block = figure_block(msgspec.convert(figure, ResearchFigure))
        yield block._replace(path=f"{file}:figures[{at}]")
    for at, table in enumerate(found["tables"]):
        yield _grid(table, f"{file}:tables[{at}]")


def _grid(table: dict[str, Any], place: str) -> Grid:
    rows = tuple(
        tuple(
            _cell(cell, f"{place}.rows[{down}][{across}]")
            for across, cell in enumerate(row)
        )
        for down, row in enumerate(table["rows"])
    )
    caption = ". ".join(
        words.rstrip(".") for words in (table["title"], table["about"]) if words
    )
    aligns = "l" + "r" * (len(table["heads"]) - 1)
    return Grid(caption, tuple(table["heads"]), aligns, rows)


def _cell(cell: Any, place: str) -> Words:
    """A rate or a difference with its interval below; a word is itself, and so is a name in the first column."""
    if isinstance(cell, str):
        return (cell,)
    if cell is None:
        return ("–",)
    if not isinstance(cell, dict):
        return (Num(number(cell), place),)
    if "first_name" in cell:
        difference = msgspec.convert(cell, Difference)
        if difference.value is None:
            return ("–",)
        written = Num(points(difference.value), f"{place}.value")
        return (written, Small((points_interval(difference),)))
    rate = msgspec.convert(cell, Rate)
    if not rate.n:
        return ("–",)
    behind = f"{interval(rate)}, n = {number(rate.n)}"
    return (Num(percent(rate.value), f"{place}.value"), Small((behind,)))
