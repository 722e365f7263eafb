"""`afterglow measure`"""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import output, output_file, report_filters
from afterglow.cli.output import as_json, deliver, require_folder
from afterglow.cli.progress import progress_bar
from afterglow.flows import measure as flow
from afterglow.measure.moment_text import MOMENT_HEADS, moment_rows, moment_sentences
from afterglow.measure.reading_text import head, interval, missing, trend, value
from afterglow.records.reading import Measured
from afterglow.records.selection import Selection
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.show.screen import styled
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import printable
from afterglow.text.numbers import number


@click.command()
@report_filters
@output_file
@click.option(
    "--save",
    is_flag=True,
    help="Keep today's readings, and write metrics/dashboard.md with plots.",
)
@output("table", "json", "md", "html")
def measure(
    selection: Selection,
    output: Path | None,
    save: bool,
    format: str,
) -> None:
    """Is it working? Whether knowledge grows, reaches sessions, is used, and errors stop coming back.

    Every reading has its interval and n; one without data says why. `--save` keeps a snapshot a day, and later runs
    show the change since.
    """
    require_folder(output)
    settings = config.load()
    with progress_bar("measuring", ticking=True) as progress:
        measured = flow.measure(settings, selection, progress=progress)
    if save:
        click.echo(
            f"snapshot and dashboard written to {flow.save(settings, measured).parent}",
            err=True,
        )
    deliver(render(measured, format), output, f"{len(measured.readings)} readings")


def render(measured: Measured, format: str) -> str:
    if format == "json":
        return as_json(measured)
    if format == "md":
        from afterglow.measure.dashboard import markdown

        return markdown(measured).rstrip("\n")
    if format == "html":
        from afterglow.measure.page import page

        return page(measured)
    return "\n".join(
        [
            paragraph(printable(head(measured))),
            "",
            *_rows(measured),
            *_moments(measured),
            *_missing(measured),
            *_foot(measured),
        ]
    )


def _rows(measured: Measured) -> list[str]:
    rows = [
        (
            reading.name,
            value(reading),
            interval(reading),
            number(reading.n),
            trend(reading),
            reading.meaning,
        )
        for reading in measured.readings
        if reading.value is not None
    ]
    headers = ("reading", "value", "95 %", "n", "trend", "meaning")
    if not rows:
        return []
    return [
        table(headers, rows, right="value n", whole="reading", optional="meaning"),
        "",
    ]


def _moments(measured: Measured) -> list[str]:
    """What came of telling sessions something, where something was told."""
    rows = moment_rows(measured)
    if not rows:
        return []
    numbers = " ".join(MOMENT_HEADS[1:-1])
    return [
        table(MOMENT_HEADS, rows, right=numbers, whole="moment", optional="repeated"),
        *(paragraph(sentence, bullet="- ") for sentence in moment_sentences(measured)),
        "",
    ]


def _missing(measured: Measured) -> list[str]:
    lines = [
        paragraph(f"{', '.join(names)}: {reason}", bullet="- ")
        for reason, names in missing(measured).items()
    ]
    return [styled("No data", "strong"), *lines, ""] if lines else []


def _foot(measured: Measured) -> list[str]:
    words = "Trends compare sessions that may differ in more than what is measured; `--format md` defines each number. "
    words += f"{HOW_TO_READ}."
    return [
        *(f"could not be read: {trouble}" for trouble in measured.troubles),
        paragraph(words),
    ]
