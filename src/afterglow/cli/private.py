"""`afterglow private`"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.flows.forget import Privacy, What, make_private
from afterglow.text.clip import printable
from afterglow.text.numbers import local_day


@click.command()
@click.argument("what", type=click.Choice(["on", "off", "status"]), default="status")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--next", "once", is_flag=True, help="Only the next session there.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def private(what: str, folder: Path, once: bool, as_json: bool) -> None:
    """Keep sessions in FOLDER (this one, if not said) to yourself: nothing is told to them, nothing is kept of them.

    `on` holds for sessions that begin from now on, until `off`; what began in between stays private. A single session
    is private when its program is started with AFTERGLOW_PRIVATE=1, or when its first request has a line `#private`.
    """
    privacy = make_private(config.load(), cast(What, what), folder, once=once)
    if as_json:
        print_json(privacy)
    else:
        _tell(privacy)


def _tell(privacy: Privacy) -> None:
    if privacy.private:
        click.echo("AFTERGLOW_PRIVATE is set: what is started from here is private")
    for folder in privacy.folders:
        which = "the next session" if folder.once else "sessions"
        since = local_day(folder.since)
        click.echo(f"{which} in {printable(folder.path)}: private since {since}")
    if not privacy.folders and not privacy.private:
        click.echo("No folder is private; `afterglow private on` makes this one so.")
