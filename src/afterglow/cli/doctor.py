"""`afterglow doctor`"""

from __future__ import annotations

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.config import Config
from afterglow.errors import ConfigError
from afterglow.flows.doctor import doctor as run
from afterglow.records.doctor import Checkup
from afterglow.show.tables import paragraph
from afterglow.text.clip import printable

SIGNS = {"ok": "ok  ", "note": "note", "attention": " !! "}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def doctor(as_json: bool) -> None:
    """Say what is found, connected and delivered, what silently does nothing, and what to do next.

    Exit code 0 if all is well, 1 if something needs attention. Nothing is changed.
    """
    trouble = ""
    try:
        settings = config.load()
    except ConfigError as error:
        home, user_home = config.homes()
        settings, trouble = Config(home=home, user_home=user_home), str(error)
    found = run(settings, trouble=trouble)
    if as_json:
        print_json(found)
    else:
        _tell(found)
    if not found.healthy:
        click.get_current_context().exit(1)


def _tell(found: Checkup) -> None:
    click.echo(f"afterglow {found.version}, {found.home}")
    about = ""
    for one in found.findings:
        if one.about != about:
            about = one.about
            click.echo(f"\n{about}")
        click.echo(paragraph(printable(one.text), f"  {SIGNS[one.level]}  "))
    wanted = dict.fromkeys(
        one.do for one in found.findings if one.do and one.level == "attention"
    )
    useful = dict.fromkeys(
        one.do for one in found.findings if one.do and one.do not in wanted
    )
    for title, commands in (("do this", wanted), ("you may want to", useful)):
        if commands:
            click.echo(f"\n{title}")
            for command in commands:
                click.echo(f"  {command}")
    if found.healthy:
        click.echo("\nall is well")
