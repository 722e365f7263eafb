"""The dashboard: readings as Markdown that people and git can read, with small plots as SVG beside it."""

from __future__ import annotations

from collections.abc import Iterator

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
from afterglow.show import markdown as writer
from afterglow.show.blocks import (
    Block,
    Definitions,
    Grid,
    Heading,
    Para,
    Picture,
    Points,
    Strong,
    Words,
    say,
)
from afterglow.show.svg import Drawing, standalone
from afterglow.text.numbers import number

PLOTS = "plots"
PLOT_WIDTH = 600.0


def dashboard(measured: Measured) -> dict[str, str]:
    """Name -> text of every file: `dashboard.md` and the plots it shows."""
    plots: dict[str, str] = {}
    pictures: list[Picture] = []
    for reading in measured.readings:
        drawing = plot(reading, width=PLOT_WIDTH)
        if drawing is not None:
            picture = Picture(_title(reading), drawing, file=_file(reading))
            pictures.append(picture)
            plots[picture.file] = _plot_file(reading, drawing)
    blocks = [*_top(measured), *_plots(pictures), *_definitions(measured)]
    return {"dashboard.md": writer.markdown(blocks, simulated=False), **plots}


def markdown(measured: Measured) -> str:
    """The dashboard alone, without plots."""
    blocks = [*_top(measured), *_definitions(measured)]
    return writer.markdown(blocks, simulated=False)


def _top(measured: Measured) -> Iterator[Block]:
    yield Heading("Is it working?", 1)
    yield Para(say(f"{head(measured)}. Measured {measured.day}."))
    yield Grid(
        "",
        ("reading", "value", "95 %", "n", "trend", "what it is", "kind"),
        "lrlrlll",
        tuple(
            _row(reading) for reading in measured.readings if reading.value is not None
        ),
    )
    for reason, names in missing(measured).items():
        yield Para(say(f"No data for {', '.join(names)}: {reason}."))
    yield from _moments(measured)


def _moments(measured: Measured) -> Iterator[Block]:
    rows = tuple(tuple(map(say, row)) for row in moment_rows(measured))
    if not rows:
        return
    yield Heading(BY_MOMENT)
    yield Grid("", MOMENT_HEADS, "lrrrrrrrl", rows)
    for sentence in moment_sentences(measured):
        yield Para(say(sentence))


def _row(reading: Reading) -> tuple[Words, ...]:
    return (
        say(reading.name),
        say(Strong(value(reading))),
        say(interval(reading)),
        say(f"{number(reading.n)} {reading.of}"),
        say(trend(reading)),
        say(reading.meaning),
        say(reading.nature),
    )


def _plots(pictures: list[Picture]) -> Iterator[Block]:
    if pictures:
        yield Heading("How it went on")
        yield from pictures


def _definitions(measured: Measured) -> Iterator[Block]:
    yield Heading("What the numbers mean")
    yield Definitions(
        tuple(
            (f"{reading.name} ({kind(reading)})", _meaning(reading))
            for reading in measured.readings
        )
    )
    if measured.moments:
        yield Definitions(tuple((name, say(words)) for name, words in DEFINITIONS))
    yield Definitions(tuple((nature, say(words)) for nature, words in NATURES.items()))
    notes = [
        *NOTES,
        *(f"Could not be read: {trouble}" for trouble in measured.troubles),
    ]
    yield Points(tuple(say(note) for note in notes))


def _meaning(reading: Reading) -> Words:
    sentences = [reading.definition]
    if reading.detail:
        sentences.append(f"{reading.detail}.")
    if reading.shift:
        sentences.append(f"{shifted(reading.shift)}.")
    elif reading.no_shift:
        sentences.append(f"No trend can be told: {reading.no_shift}.")
    return say(" ".join(sentences))


def _plot_file(reading: Reading, drawing: Drawing) -> str:
    return standalone(drawing, _title(reading), [_line(reading), reading.definition])


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
