"""`afterglow doctor`"""

from __future__ import annotations

import click
from msgspec.structs import replace

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.errors import ConfigError
from afterglow.flows.doctor import doctor as run
from afterglow.flows.doctor import mend
from afterglow.records.doctor import Checkup
from afterglow.show.tables import paragraph
from afterglow.text.clip import printable

SIGNS = {"ok": "ok  ", "note": "note", "attention": " !! "}


@click.command()
@click.option(
    "--fix",
    is_flag=True,
    help="First put right what needs no decision: who may read the home, what killed commands left.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def doctor(fix: bool, as_json: bool) -> None:
    """Say what is found, connected and delivered, what silently does nothing, and what to do next.

    Exit code 0 if all is well, 1 if something needs attention. Nothing is changed unless you say --fix.
    """
    trouble = ""
    try:
        settings = config.load()
    except ConfigError as error:
        settings, trouble = config.without_file(), str(error)
    fixed = mend(settings) if fix else ()
    checkup = replace(run(settings, trouble=trouble), fixed=fixed)
    if as_json:
        print_json(checkup)
    else:
        _tell(checkup)
    if not checkup.healthy:
        click.get_current_context().exit(1)


def _tell(checkup: Checkup) -> None:
    click.echo(f"afterglow {checkup.version}, {checkup.home}")
    for line in checkup.fixed:
        click.echo(f"  fixed: {printable(line)}")
    about = ""
    for finding in checkup.findings:
        if finding.about != about:
            about = finding.about
            click.echo(f"\n{about}")
        click.echo(paragraph(printable(finding.text), f"  {SIGNS[finding.level]}  "))
    needed = _commands(checkup, needed=True)
    useful = [line for line in _commands(checkup, needed=False) if line not in needed]
    for title, commands in (("do this", needed), ("you may want to", useful)):
        if commands:
            click.echo(f"\n{title}")
            for command in commands:
                click.echo(f"  {command}")
    if checkup.healthy:
        click.echo(f"\n{_verdict(checkup)}")


def _commands(checkup: Checkup, *, needed: bool) -> list[str]:
    """What to do about findings that need attention, or about the others: each once."""
    return list(
        dict.fromkeys(
            finding.do
            for finding in checkup.findings
            if finding.do and (finding.level == "attention") == needed
        )
    )


def _verdict(checkup: Checkup) -> str:
    if checkup.connected:
        return "all is well"
    return "nothing is broken, but no agent is connected: no session starts with what earlier ones taught"
