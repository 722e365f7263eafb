"""The dashboard: readings as Markdown that people and git can read, with small plots as SVG beside it."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.plots import plot
from afterglow.measure.reading_text import (
    NATURES,
    NOTES,
    change,
    head,
    interval,
    kind,
    missing,
    shifted,
    trend,
    value,
)
from afterglow.records.reading import Measured, Reading
from afterglow.show.svg import standalone
from afterglow.text.numbers import number

PLOTS = "plots"


def dashboard(measured: Measured) -> dict[str, str]:
    """Name -> text of every file: `dashboard.md` and the plots it shows."""
    plots = {}
    for reading in measured.readings:
        drawing = plot(reading, width=600)
        if drawing is not None and reading.value is not None:
            plots[_file(reading)] = standalone(
                drawing, _title(reading), [_line(reading), reading.definition]
            )
    return {"dashboard.md": markdown(measured, plots), **plots}


def markdown(measured: Measured, plots: dict[str, str] | None = None) -> str:
    """The dashboard alone; `plots` are the files it may show."""
    return (
        "\n".join(
            [*_top(measured), *_plots(measured, plots or {}), *_definitions(measured)]
        )
        + "\n"
    )


def _top(measured: Measured) -> Iterator[str]:
    yield from (
        "# Is it working?",
        "",
        f"{head(measured)}. Measured {measured.day}.",
        "",
    )
    yield "| reading | value | 95 % | n | trend | what it is | |"
    yield "|---|---:|---|---:|---|---|---|"
    for reading in measured.readings:
        if reading.value is not None:
            cells = (reading.name, f"**{value(reading)}**", interval(reading), f"{number(reading.n)} {reading.of}",
                     trend(reading), reading.meaning, reading.nature)  # fmt: skip
            yield f"| {' | '.join(cells)} |"
    yield ""
    for reason, names in missing(measured).items():
        yield f"No data for {', '.join(names)}: {reason}."
        yield ""


def _plots(measured: Measured, plots: dict[str, str]) -> Iterator[str]:
    if plots:
        yield from ("## How it went on", "")
    for reading in measured.readings:
        if _file(reading) in plots:
            yield from (f"![{_title(reading)}]({_file(reading)})", "")


def _definitions(measured: Measured) -> Iterator[str]:
    yield from ("## What the numbers mean", "")
    for reading in measured.readings:
        more = [
            f"{reading.detail}." if reading.detail else "",
            f"{shifted(reading.shift)}." if reading.shift else "",
        ]
        yield f"- **{reading.name}** ({kind(reading)}): {' '.join(filter(None, (reading.definition, *more)))}"
    yield ""
    for nature, words in NATURES.items():
        yield f"- *{nature}*: {words}"
    yield ""
    for note in NOTES:
        yield f"- {note}"
    yield from (f"- Could not be read: {trouble}" for trouble in measured.troubles)


def _title(reading: Reading) -> str:
    return f"{reading.name[:1].upper()}{reading.name[1:]}: {reading.meaning}"


def _line(reading: Reading) -> str:
    now = (
        f"{value(reading)} [{interval(reading)}], n = {number(reading.n)} {reading.of}"
    )
    moved = shifted(reading.shift) if reading.shift else change(reading)
    return f"{now}. {moved}." if moved else f"{now}."


def _file(reading: Reading) -> str:
    return f"{PLOTS}/{''.join(c if c.isalnum() else '-' for c in reading.name)}.svg"
