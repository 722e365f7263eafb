"""`afterglow dataset`"""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.dataset import CONTENTS, TABLES
from afterglow.dataset.card import NO_LICENCE
from afterglow.dataset.encode import FORMATS, Format
from afterglow.dataset.table import Filled
from afterglow.flows.dataset import LEAST, Dataset, K, export, prepare
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import number, size

SAMPLE = 3  # rows that a dry run shows


@click.group()
def dataset() -> None:
    """Share numbers about sessions, without telling who, where or what about."""


@dataset.command("export")
@click.option(
    "--output", "folder", type=click.Path(path_type=Path), help="The folder to write."
)
@click.option(
    "--format", "format", type=click.Choice(FORMATS), default="csv", show_default=True
)
@click.option(
    "--tables", default="", metavar="NAMES", help=f"Only these: {','.join(TABLES)}."
)
@click.option(
    "--k",
    "k",
    type=click.IntRange(LEAST),
    default=K,
    show_default=True,
    help="Each row must be like so many others at least, itself counted.",
)
@click.option(
    "--people",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Rows that are alike must come from so many people at least.",
)
@click.option(
    "--licence",
    default="",
    metavar="NAME",
    help="What the data card says, like CC-BY-4.0.",
)
@click.option(
    "--simulated",
    is_flag=True,
    help="Say in the data card that the sessions are simulated.",
)
@click.option(
    "--template-contents",
    "contents",
    is_flag=True,
    help="What warm templates say as well: redacted, without names and places.",
)
@click.option("--dry-run", is_flag=True, help="Show what would leave; write nothing.")
@click.option("--force", is_flag=True, help="Replace a dataset that is in the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def export_command(
    folder: Path | None,
    format: Format,
    tables: str,
    k: int,
    people: int,
    licence: str,
    simulated: bool,
    contents: bool,
    dry_run: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write anonymised tables with a data card: proficiency markers, recoveries, templates, knowledge, experiments.

    Ids are pseudonyms, times are weeks at most, there is no free text unless you ask for the contents of templates, and
    no combination of recognisable values stands for fewer than k sessions. Look first: --dry-run.
    """
    chosen_tables = [name.strip() for name in tables.split(",") if name.strip()]
    settings = config.load()
    if dry_run:
        with progress_bar("making tables", ticking=True):
            dataset_to_share = prepare(
                settings,
                tables=chosen_tables,
                k=k,
                people=people,
                licence=licence,
                simulated=simulated,
                contents=contents,
            )
        if as_json:
            print_json(
                {
                    "about": dataset_to_share.about,
                    "tables": [
                        _summary(file) for file in dataset_to_share.tables.values()
                    ],
                }
            )
        else:
            click.echo(_preview(dataset_to_share))
        return
    if folder is None:
        raise click.UsageError(
            "say where: --output FOLDER (or --dry-run, which writes nothing)"
        )
    with progress_bar("making tables", ticking=True):
        dataset_to_share, files = export(
            settings,
            folder,
            format=format,
            tables=chosen_tables,
            k=k,
            people=people,
            licence=licence,
            simulated=simulated,
            force=force,
            contents=contents,
        )
    if as_json:
        print_json(
            {"about": dataset_to_share.about, "folder": str(folder), "files": files}
        )
        return
    rows = [
        (file.name, number(file.rows), number(file.suppressed), size(file.bytes))
        for file in files
    ]
    click.echo(table(("file", "rows", "left out", "size"), rows, right="rows size"))
    words = f" and every row of {CONTENTS}" if contents else ""
    click.echo(
        paragraph(
            f"Written to {folder}. Read its README.md{words} before you share it. "
            f"Licence: {licence or NO_LICENCE}."
        )
    )


def _preview(dataset: Dataset) -> str:
    """What would leave: sizes, columns, some rows."""
    rows = [
        (
            name,
            number(len(filled.rows)),
            number(filled.suppressed),
            number(filled.smallest),
            number(filled.fewest),
        )
        for name, filled in dataset.tables.items()
    ]
    headers = ("table", "rows", "left out", "alike at least", "people at least")
    parts = [table(headers, rows, right="rows")]
    for name, filled in dataset.tables.items():
        parts.append(f"\n{name}: {filled.table.words}")
        parts.append(
            paragraph(
                ", ".join(column.name for column in filled.table.columns), "  columns: "
            )
        )
        if filled.generalised:
            less = (
                f"{column} in {number(rows)} rows"
                for column, rows in filled.generalised.items()
            )
            parts.append(paragraph(", ".join(less), "  made coarser: "))
        for row in filled.rows[:SAMPLE]:
            cells = (
                f"{column}={'' if cell is None else cell}"
                for column, cell in row.items()
            )
            parts.append(paragraph(" ".join(cells), "  row: "))
    parts.append(
        "\n"
        + paragraph(
            f"Nothing was written. Each row is like {dataset.about.k} or more, itself counted (--k): what would stand out is "
            f"made coarser or left out. Licence: {dataset.about.licence or NO_LICENCE}."
        )
    )
    return "\n".join(parts)


def _summary(filled: Filled) -> dict[str, object]:
    return {
        "table": filled.table.name,
        "rows": len(filled.rows),
        "suppressed": filled.suppressed,
        "generalised": filled.generalised,
        "smallest_crowd": filled.smallest,
        "fewest_people": filled.fewest,
        "columns": [
            {"name": column.name, "kind": column.kind, "words": column.words}
            for column in filled.table.columns
        ],
        "sample": filled.rows[:SAMPLE],
    }
