"""`afterglow hub ...`: for who runs a hub. Making it, keeping it, and who belongs to it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from afterglow.cli.hub_options import Server, as_admin, on_database
from afterglow.cli.hub_people import grant, grants, revoke, team, token, user
from afterglow.cli.options import Since, output
from afterglow.cli.output import print_json
from afterglow.errors import UsageError
from afterglow.flows import hub as flow
from afterglow.records.hub import HubPlace
from afterglow.records.hub_people import HubMade, HubState
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import printable
from afterglow.text.numbers import count, local_day, local_time, size

MAX_LINES = 100  # of the audit log, unless said


@click.group()
def hub() -> None:
    """A team's hub: make it, look after people and rights, back it up.

    Commands ask as the owner of the database, or as an admin if AFTERGLOW_HUB_TOKEN holds an admin's token. Both are
    written into the audit log. `afterglow serve --hub` runs it.
    """


for command in (user, token, team, grant, grants, revoke):
    hub.add_command(command)


@hub.command()
@click.argument("address", metavar="URL", required=False, default="")
@click.option(
    "--name",
    default="team",
    show_default=True,
    metavar="ORG",
    help="The first organisation.",
)
@click.option(
    "--admin", required=True, metavar="NAME", help="Its first admin, who reviews all."
)
@output("table", "json")
@on_database
def init(server: Server, address: str, name: str, admin: str, format: str) -> None:
    """Make a hub in an empty database and print its first admin's token, once.

    URL is the database, with a role that may make roles. Two roles are made for the server; their passwords are written
    into a file of the afterglow home that only you can read.
    """
    report = flow.init_hub(
        server.settings, address or server.url, organisation=name, admin=admin
    )
    print_json(report) if format == "json" else click.echo(_made(report))


def _made(report: HubMade) -> str:
    expiry = (
        f", until {local_day(report.admin.expires)}" if report.admin.expires else ""
    )
    return "\n".join(
        [
            f"A hub in {report.database}: organisation {report.organisation}, admin {report.admin.person}.",
            f"The server's passwords are in {printable(report.passwords)}.",
            "",
            f"The token of {report.admin.person}{expiry}; it is shown only now:",
            report.admin.token,
            "",
            "Start it: afterglow serve --hub URL",
        ]
    )


@hub.command()
@click.option(
    "--new-passwords",
    is_flag=True,
    help="Give the server's roles new passwords, and write them into this home.",
)
@output("table", "json")
@on_database
def upgrade(server: Server, new_passwords: bool, format: str) -> None:
    """Bring a hub's database up to date with this afterglow."""
    report = flow.upgrade_hub(*server, new_passwords=new_passwords)
    if format == "json":
        print_json(report)
        return
    if report.before == report.layout:
        click.echo(f"{report.database} is up to date (layout {report.layout})")
    else:
        click.echo(
            f"{report.database}: brought from layout {report.before} to {report.layout}"
        )
    if report.passwords:
        click.echo(f"new passwords of the server are in {printable(report.passwords)}")


@hub.command()
@output("table", "json")
@on_database
def status(server: Server, format: str) -> None:
    """A hub in numbers, and whether its layout is that of this afterglow."""
    state = flow.hub_state(server.url)
    print_json(state) if format == "json" else click.echo(_state(state))


def _state(state: HubState) -> str:
    layout = f"layout {state.layout}"
    if state.layout < state.newest_layout:
        layout += (
            f", this afterglow needs {state.newest_layout}: run `afterglow hub upgrade`"
        )
    names = ", ".join(each.name for each in state.organisations)
    lines = [
        f"{state.database}: PostgreSQL {state.server}, {size(state.bytes)}, {layout}",
        f"organisations: {names or 'none'}",
        f"{count(state.people, 'person', 'people')}, {count(state.tokens, 'token')} in force, "
        f"{count(state.repositories, 'repository', 'repositories')}",
    ]
    return "\n".join(lines)


@hub.group()
def org() -> None:
    """Organisations of a hub: each sees nothing of the others."""


@org.command("add")
@click.argument("name")
@click.option("--admin", required=True, metavar="NAME", help="Its first admin.")
@output("table", "json")
@on_database
def add_org(server: Server, name: str, admin: str, format: str) -> None:
    """Bring in a further organisation and print its first admin's token, once."""
    first = flow.add_organisation(server.url, name, admin=admin)
    if format == "json":
        print_json(first)
    else:
        click.echo(f"The token of {first.person}; it is shown only now:\n{first.token}")


@org.command("list")
@output("table", "json")
@on_database
def list_orgs(server: Server, format: str) -> None:
    """The organisations."""
    every = flow.list_organisations(server.url)
    if format == "json":
        print_json(every)
    else:
        click.echo(table(["id", "name"], [(each.id, each.name) for each in every]))


@hub.command()
@click.option("--since", type=Since(), default=0.0, help="Since: 7d, 2026-11-01.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=MAX_LINES,
    show_default=True,
    help="How many lines, newest first.",
)
@as_admin
def audit(place: HubPlace, since: float, limit: int, format: str) -> None:
    """Who did what at the hub, newest first. Nobody can change it."""
    lines = flow.read_audit(place, since=since, most=limit)
    if format == "json":
        print_json(lines)
    elif not lines:
        click.echo(paragraph("Nothing was written down in that time."))
    else:
        rows = [
            (local_time(each.time), each.by, each.what, each.about) for each in lines
        ]
        click.echo(table(["when", "who", "what", "about"], rows, wrapped="about"))


@hub.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@output("table", "json")
@on_database
def backup(server: Server, file: Path, format: str) -> None:
    """Write all of a hub into one FILE that only you can read, also while it works.

    Needs pg_dump of the server's version or newer.
    """
    report = flow.back_up_hub(*server, file)
    if format == "json":
        print_json(report)
    else:
        click.echo(
            f"{printable(report.file)}: {size(report.bytes)}, layout {report.layout}, "
            "read again and whole"
        )


@hub.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
@output("table", "json")
@on_database
def restore(server: Server, file: Path, yes: bool, format: str) -> None:
    """Put a hub from FILE into an empty database, and bring it up to date.

    Tokens go on letting people in. The server's roles get new passwords, written into this home.
    """
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                f"{file} would be put into {HubPlace(server.url)}; say --yes"
            )
        click.confirm(f"Put it into {HubPlace(server.url)}?", abort=True, err=True)
    report = flow.restore_hub(*server, file)
    if format == "json":
        print_json(report)
    else:
        click.echo(
            f"{report.database} is as {printable(report.file)} has it (layout {report.layout}); "
            f"the server's passwords are in {printable(report.passwords)}"
        )
