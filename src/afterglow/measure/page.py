"""The readings as one page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from afterglow.measure.moment_text import (
    BY_MOMENT,
    DEFINITIONS,
    MOMENT_HEADS,
    moment_rows,
    moment_sentences,
)
from afterglow.measure.plots import plot
from afterglow.measure.reading_text import (
    NATURES,
    NOTES,
    head,
    interval,
    kind,
    missing,
    shifted,
    trend,
    value,
)
from afterglow.records.reading import Measured, Reading
from afterglow.show import html
from afterglow.show.blocks import (
    Block,
    Definitions,
    Footer,
    Grid,
    Heading,
    Pair,
    Para,
    Picture,
    Small,
    Tile,
    Tiles,
    Words,
    say,
)
from afterglow.show.links import NOWHERE, Links
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.text.numbers import number

TITLE = "Is it working?"
MOST_TELLING = (
    "error recurrence",
    "error reduction",
    "hit rate",
    "first-try success",
    "velocity",
)


def page(measured: Measured, *, simulated: bool = False) -> str:
    """The readings as a file of its own."""
    sections = chain([Heading(TITLE, 1)], blocks(measured))
    return html.page(sections, TITLE, simulated=simulated)


def blocks(measured: Measured, links: Links = NOWHERE) -> Iterator[Block]:
    """The readings below their title, the most telling first; `links` lead to the sessions of a week."""
    yield from _head(measured)
    yield from _table(measured)
    yield from _moments(measured)
    yield from _plots(measured, links)
    yield from _meanings(measured)


def _head(measured: Measured) -> Iterator[Block]:
    by_name = {reading.name: reading for reading in measured.readings}
    yield Para(say(f"{head(measured)}. Measured {measured.day}."))
    yield Tiles(tuple(_tile(by_name[name]) for name in MOST_TELLING if name in by_name))


def _tile(reading: Reading) -> Tile:
    """One number that matters; without data, why there is none."""
    small: tuple[str, ...] = (reading.reason,)
    big, unit = value(reading), ""
    if reading.value is not None:
        n = f"n = {number(reading.n)} {reading.of}"
        small = (f"95 %: {interval(reading)}", n, reading.nature)
    if reading.unit == "points":
        big, _, unit = big.partition(" ")
    return Tile(big, unit, reading.meaning, small)


def _table(measured: Measured) -> Iterator[Block]:
    yield Heading("Readings")
    rows = tuple(
        _row(reading) for reading in measured.readings if reading.value is not None
    )
    heads = ("reading", "value, 95 %", "n", "trend", "what kind of number")
    if rows:
        yield Grid("", heads, "lrRLL", rows)
    for reason, names in missing(measured).items():
        yield Para(say(f"No data for {', '.join(names)}: {reason}."), "mute")


def _row(reading: Reading) -> tuple[Words, ...]:
    return (
        say(reading.name, Small((reading.meaning,))),
        say(value(reading), Small((interval(reading),))),
        say(number(reading.n), Small((reading.of,))),
        say(trend(reading)),
        say(kind(reading)),
    )


def _moments(measured: Measured) -> Iterator[Block]:
    rows = tuple(tuple(map(say, row)) for row in moment_rows(measured))
    if not rows:
        return
    yield Heading(BY_MOMENT)
    yield Grid("", MOMENT_HEADS, "lrrrrRrRL", rows)
    for sentence in moment_sentences(measured):
        yield Para(say(sentence), "mute")


def _plots(measured: Measured, links: Links) -> Iterator[Block]:
    columns = []
    for reading in measured.readings:
        drawing = plot(reading, links=links)
        if drawing is None:
            continue
        column: list[Block] = [
            Heading(reading.name.capitalize(), 3),
            Picture(reading.meaning, drawing),
        ]
        if reading.shift:
            column.append(Para(say(shifted(reading.shift)), "mute"))
        elif reading.no_shift:
            column.append(
                Para(say(f"No trend can be told: {reading.no_shift}."), "mute")
            )
        columns.append(tuple(column))
    if columns:
        yield Heading("How it went on")
        yield Pair(tuple(columns))


def _meanings(measured: Measured) -> Iterator[Block]:
    notes = [
        *NOTES,
        *(f"Could not be read: {trouble}" for trouble in measured.troubles),
    ]
    yield Footer(
        (
            Heading("What the numbers mean"),
            Definitions(
                tuple(
                    (reading.name, _meaning(reading)) for reading in measured.readings
                )
            ),
            *_moment_meanings(measured),
            Definitions(
                tuple((nature, say(words)) for nature, words in NATURES.items())
            ),
            *(Para(say(words), "mute") for words in (*notes, f"{HOW_TO_READ}.")),
        )
    )


def _moment_meanings(measured: Measured) -> Iterator[Block]:
    if measured.moments:
        yield Definitions(tuple((name, say(words)) for name, words in DEFINITIONS))


def _meaning(reading: Reading) -> Words:
    detail = f" {reading.detail}." if reading.detail else ""
    return say(f"{reading.definition}{detail} ({kind(reading)})")
