"""`afterglow backup`, `afterglow restore`"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import output
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.errors import UsageError
from afterglow.flows.backup import back_up, dated_name
from afterglow.flows.backup import restore as run_restore
from afterglow.folders import private
from afterglow.records.backup import BackupReport, RestoreReport
from afterglow.text.clip import printable
from afterglow.text.numbers import count, local_time, size

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("file", required=False, type=PATH)
@click.option(
    "--to",
    "folder",
    type=PATH,
    metavar="DIR",
    help="A file with date and time for its name in this folder, which is made if it is missing.",
)
@click.option(
    "--no-catalogue",
    is_flag=True,
    help="Leave out the catalogue of sessions: a scan makes it again from the transcripts that are still there.",
)
@output("table", "json")
def backup(
    file: Path | None, folder: Path | None, no_catalogue: bool, format: str
) -> None:
    """Write all that is kept into one FILE that only you can read, and read it again to see that it is whole.

    Also while agents and other commands write. An earlier backup of that name is replaced by the new one when that is
    finished and checked; any other file is left alone.
    """
    with progress_bar("writing the backup", ticking=True) as progress:
        report = back_up(
            config.load_anyway(),
            _target(file, folder),
            catalogue=not no_catalogue,
            progress=progress,
        )
    print_json(report) if format == "json" else click.echo(_made(report))


def _target(file: Path | None, folder: Path | None) -> Path:
    if (file is None) == (folder is None):
        raise UsageError(
            "say where to: `afterglow backup FILE` or `afterglow backup --to DIR`"
        )
    if folder is not None:
        return private(folder) / dated_name(time.time())
    assert file is not None
    return file


def _made(report: BackupReport) -> str:
    return (
        f"{printable(report.file)}: {count(report.files, 'file')}, {size(report.kept_bytes)} in {size(report.bytes)}, "
        f"read again and whole"
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--dry-run", is_flag=True, help="Only check the file, and say what it holds."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@output("table", "json")
def restore(file: Path, dry_run: bool, yes: bool, format: str) -> None:
    """Put the home back as it was when FILE was made by `afterglow backup`.

    The file is checked and its databases are opened and brought up to date beside the home first; then the two change
    places. The home from before is set aside, whole. What was forgotten since stays forgotten, and the connections of
    this machine stay as they are.
    """
    settings = config.load_anyway()
    if not dry_run and not yes and settings.home.exists():
        if not sys.stdin.isatty():
            raise UsageError(
                f"{settings.home} would be set aside for what {file} holds; say --yes, or --dry-run to look first"
            )
        held = run_restore(settings, file, dry_run=True)
        click.echo(_restored(held), err=True)
        click.confirm("Put it in the place of the home?", abort=True, err=True)
    with progress_bar("checking the backup", ticking=True):
        report = run_restore(settings, file, dry_run=dry_run)
    print_json(report) if format == "json" else click.echo(_restored(report))


def _restored(report: RestoreReport) -> str:
    lines = [
        f"{printable(report.file)}: made {local_time(report.time)} by afterglow {report.version}, "
        f"{count(report.files, 'file')}, {size(report.kept_bytes)}, whole"
    ]
    lines += [f"brought up to date: {line}" for line in report.upgraded]
    if report.dry_run:
        return "\n".join(lines)
    lines.append(f"{printable(report.home)} is as it was then")
    if report.set_aside:
        lines.append(
            f"the home from before is {printable(report.set_aside)}; delete it when you no longer need it"
        )
    return "\n".join(lines)
