"""The readings as one HTML file: nothing to load, no script, light or dark as the reader likes."""

from __future__ import annotations

from html import escape
from importlib.resources import files

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
from afterglow.profile.page import VARIABLES
from afterglow.records.reading import Measured, Reading
from afterglow.show.html import Cell, definitions, grid, heading, para
from afterglow.show.svg import FONT, inline, style
from afterglow.text.numbers import number

TILES = (
    "error recurrence",
    "error reduction",
    "hit rate",
    "first-try success",
    "velocity",
)
HEADS: list[Cell] = [
    ("", "reading"), ("r", "value, 95 %"), ("r extra", "n"), ("extra", "trend"), ("extra", "what kind of number"),
]  # fmt: skip


def page(measured: Measured, *, simulated: bool = False) -> str:
    """The whole file, section by section."""
    css = (
        files("afterglow.profile.page")
        .joinpath("style.css")
        .read_text(encoding="utf-8")
        .replace("FONT", FONT)
    )
    banner = (
        '<div class="banner">Simulated: these sessions were generated, not observed.</div>'
        if simulated
        else ""
    )
    body = "\n".join(
        (_head(measured), _table(measured), _plots(measured), _meanings(measured))
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Is it working?</title><style>{css}{style(VARIABLES)}</style></head>\n"
        f"<body>{banner}<main>\n{body}\n</main></body></html>\n"
    )


def _head(measured: Measured) -> str:
    named = {reading.name: reading for reading in measured.readings}
    tiles = "".join(_tile(named[name]) for name in TILES if name in named)
    return f'<h1>Is it working?</h1>{para(f"{head(measured)}. Measured {measured.day}.")}<div class="heads">{tiles}</div>'


def _tile(reading: Reading) -> str:
    """One number that matters; without data, why there is none."""
    if reading.value is None:
        small = escape(reading.reason)
    else:
        small = f"95 %: {interval(reading)}<br>n = {number(reading.n)} {escape(reading.of)}<br>{reading.nature}"
    big, _, unit = value(reading).partition(" ")
    return f"<div><b>{big} <span>{unit}</span></b><p>{escape(reading.meaning)}</p><small>{small}</small></div>"


def _table(measured: Measured) -> str:
    rows: list[list[Cell]] = [
        [
            ("name", f"{escape(reading.name)}<small>{escape(reading.meaning)}</small>"),
            ("r", f"{value(reading)}<small>{interval(reading)}</small>"),
            ("r extra", f"{number(reading.n)}<small>{escape(reading.of)}</small>"),
            ("extra", escape(trend(reading))),
            ("extra", kind(reading)),
        ]
        for reading in measured.readings
        if reading.value is not None
    ]
    none = "".join(
        para(f"No data for {', '.join(names)}: {reason}.", "mute")
        for reason, names in missing(measured).items()
    )
    return heading("Readings") + (grid(HEADS, rows) if rows else "") + none


def _plots(measured: Measured) -> str:
    drawn = ""
    for reading in measured.readings:
        drawing = plot(reading)
        if drawing is not None and reading.value is not None:
            words = shifted(reading.shift) if reading.shift else ""
            drawn += (
                f"<div>{heading(reading.name.capitalize(), level=3)}{inline(drawing, reading.meaning)}"
                f"{para(words, 'mute') if words else ''}</div>"
            )
    return (
        f'{heading("How it went on")}<div class="pair">{drawn}</div>' if drawn else ""
    )


def _meanings(measured: Measured) -> str:
    told = definitions(
        (
            reading.name,
            f"{reading.definition} {reading.detail + '.' if reading.detail else ''} ({kind(reading)})",
        )
        for reading in measured.readings
    )
    kinds = definitions(NATURES.items())
    notes = "".join(para(words, "mute") for words in NOTES)
    troubles = "".join(
        para(f"Could not be read: {trouble}", "mute") for trouble in measured.troubles
    )
    return f"<footer>{heading('What the numbers mean')}{told}{kinds}{notes}{troubles}</footer>"
