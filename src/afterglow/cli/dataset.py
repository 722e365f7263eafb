"""`afterglow dataset`"""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.dataset import TABLES
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
    help="The smallest crowd.",
)
@click.option(
    "--people",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="The fewest people in a crowd.",
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
@click.option("--dry-run", is_flag=True, help="Show what would leave; write nothing.")
@click.option("--force", is_flag=True, help="Replace a dataset that is in the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def export_command(
    folder: Path | None, format: Format, tables: str, k: int, people: int, licence: str, simulated: bool, dry_run: bool,
    force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write anonymised tables with a data card: proficiency markers, recoveries, templates, knowledge, experiments.

    Ids are pseudonyms, times are weeks at most, there is no free text, and no combination of recognisable values
    stands for fewer than k sessions. Look first: --dry-run.
    """
    wanted = [name.strip() for name in tables.split(",") if name.strip()]
    settings = config.load()
    if dry_run:
        found = prepare(
            settings,
            tables=wanted,
            k=k,
            people=people,
            licence=licence,
            simulated=simulated,
        )
        if as_json:
            print_json(
                {
                    "about": found.about,
                    "tables": [_summary(one) for one in found.tables.values()],
                }
            )
        else:
            click.echo(_preview(found))
        return
    if folder is None:
        raise click.UsageError(
            "say where: --output FOLDER (or --dry-run, which writes nothing)"
        )
    found, files = export(
        settings, folder, format=format, tables=wanted, k=k, people=people, licence=licence, simulated=simulated,
        force=force,
    )  # fmt: skip
    if as_json:
        print_json({"about": found.about, "folder": str(folder), "files": files})
        return
    rows = [
        (one.name, number(one.rows), number(one.suppressed), size(one.bytes))
        for one in files
    ]
    click.echo(table(("file", "rows", "left behind", "size"), rows, right="rows size"))
    click.echo(
        paragraph(
            f"Written to {folder}. Read its README.md before you share it. Licence: {licence or NO_LICENCE}."
        )
    )


def _preview(found: Dataset) -> str:
    """What would leave: sizes, columns, some rows."""
    rows = [
        (
            name,
            number(len(one.rows)),
            number(one.suppressed),
            number(one.smallest),
            number(one.fewest),
        )
        for name, one in found.tables.items()
    ]
    headers = ("table", "rows", "left behind", "smallest crowd", "people in it")
    parts = [table(headers, rows, right="rows behind crowd it")]
    for name, one in found.tables.items():
        parts.append(f"\n{name}: {one.table.words}")
        parts.append(
            paragraph(
                ", ".join(column.name for column in one.table.columns), "  columns: "
            )
        )
        if one.generalised:
            less = (
                f"{column} in {number(rows)} rows"
                for column, rows in one.generalised.items()
            )
            parts.append(paragraph(", ".join(less), "  tells less: "))
        for row in one.rows[:SAMPLE]:
            cells = (
                f"{column}={'' if cell is None else cell}"
                for column, cell in row.items()
            )
            parts.append(paragraph(" ".join(cells), "  row: "))
    parts.append(
        f"\nNothing was written. k = {found.about.k}; licence: {found.about.licence or NO_LICENCE}."
    )
    return "\n".join(parts)


def _summary(one: Filled) -> dict[str, object]:
    return {
        "table": one.table.name,
        "rows": len(one.rows),
        "suppressed": one.suppressed,
        "generalised": one.generalised,
        "smallest_crowd": one.smallest,
        "fewest_people": one.fewest,
        "columns": [
            {"name": column.name, "kind": column.kind, "words": column.words}
            for column in one.table.columns
        ],
        "sample": one.rows[:SAMPLE],
    }
