"""`afterglow hub user|token|team|grant|grants|revoke`: who belongs to a hub, by what they ask, what they may."""

from __future__ import annotations

import click

from afterglow.cli.hub_options import as_admin
from afterglow.cli.output import print_json
from afterglow.flows import hub as flow
from afterglow.records.hub import HubPlace
from afterglow.records.hub_people import RIGHTS, SCOPES, HubToken, Person
from afterglow.show.tables import table
from afterglow.text.numbers import local_day

DEFAULT_DAYS = 180


@click.group()
def user() -> None:
    """Members of the hub."""


@user.command("add")
@click.argument("name")
@click.option("--admin", "is_admin", is_flag=True, help="They look after the hub too.")
@as_admin
def add_user(place: HubPlace, name: str, is_admin: bool, format: str) -> None:
    """Bring somebody in; then give them a right and a token."""
    person = flow.add_member(place, name, is_admin=is_admin)
    if format == "json":
        print_json(person)
    else:
        click.echo(
            f"{person.name} is a member; next: `afterglow hub grant {person.name} PATTERN RIGHT` "
            f"and `afterglow hub token add {person.name}`"
        )


@user.command("list")
@as_admin
def list_users(place: HubPlace, format: str) -> None:
    """All members, and who has left."""
    people = flow.list_people(place)
    if format == "json":
        print_json(people)
        return
    rows = [(each.name, _standing(each), local_day(each.joined)) for each in people]
    click.echo(table(["name", "is", "since"], rows))


def _standing(person: Person) -> str:
    if person.left_at is not None:
        return f"left {local_day(person.left_at)}"
    return "admin" if person.is_admin else "member"


@user.command("remove")
@click.argument("name")
@as_admin
def remove_user(place: HubPlace, name: str, format: str) -> None:
    """Let somebody in no more: none of their tokens works from now on. What they contributed stays."""
    person = flow.remove_member(place, name)
    if format == "json":
        print_json(person)
    else:
        click.echo(f"{person.name} is let in no more")


@click.group()
def token() -> None:
    """What proves who asks. The hub keeps only hashes."""


@token.command("add")
@click.argument("person")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="sync",
    show_default=True,
    help="What it is for, at most: reading, syncing a machine, reviewing, or looking after the hub.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=DEFAULT_DAYS,
    show_default=True,
    help="Until it expires.",
)
@click.option("--label", default="", metavar="TEXT", help="To know it again.")
@as_admin
def add_token(
    place: HubPlace, person: str, scope: str, days: int, label: str, format: str
) -> None:
    """Make a token for a member and print it, once."""
    fresh = flow.make_token(place, person, scope=scope, label=label, days=days)
    if format == "json":
        print_json(fresh)
    else:
        click.echo(
            f"token {fresh.id} of {fresh.person}; it is shown only now:", err=True
        )
        click.echo(fresh.token)


@token.command("list")
@click.argument("person", required=False, default="")
@as_admin
def list_tokens(place: HubPlace, person: str, format: str) -> None:
    """Tokens, of one member if named: never the token itself."""
    tokens = [each for each in flow.list_tokens(place, person) if not each.session]
    if format == "json":
        print_json(tokens)
        return
    headers = ["id", "person", "scope", "label", "made", "state", "used"]
    rows = [
        (
            each.id,
            each.person,
            each.scope,
            each.label,
            local_day(each.created),
            _state(each),
            local_day(each.last_used) if each.last_used else "never",
        )
        for each in tokens
    ]
    click.echo(table(headers, rows, right="id", optional="made used"))


def _state(token: HubToken) -> str:
    if token.revoked is not None:
        return f"revoked {local_day(token.revoked)}"
    return f"until {local_day(token.expires)}" if token.expires else "for ever"


@token.command("revoke")
@click.argument("id", type=int)
@as_admin
def revoke_token(place: HubPlace, id: int, format: str) -> None:
    """A token is of no use from now on, and neither is what was made with it."""
    flow.end_token(place, id)
    if format == "json":
        print_json({"revoked": id})
    else:
        click.echo(f"token {id} is revoked")


@click.group()
def team() -> None:
    """Teams: what is granted to one, all its members have."""


@team.command("add")
@click.argument("name")
@as_admin
def add_team(place: HubPlace, name: str, format: str) -> None:
    """Make a team."""
    flow.make_team(place, name)
    print_json({"team": name}) if format == "json" else click.echo(
        f"team {name} is made"
    )


@team.command("list")
@as_admin
def list_teams(place: HubPlace, format: str) -> None:
    """Teams with their members."""
    teams = flow.list_teams(place)
    if format == "json":
        print_json(teams)
    else:
        rows = [(each.name, ", ".join(each.members)) for each in teams]
        click.echo(table(["team", "members"], rows, wrapped="members"))


@team.command("member")
@click.argument("team")
@click.argument("person")
@click.option("--remove", is_flag=True, help="They no longer belong to it.")
@as_admin
def change_member(
    place: HubPlace, team: str, person: str, remove: bool, format: str
) -> None:
    """Put a member into a team, or take them out."""
    flow.change_team(place, team, person, belongs=not remove)
    belongs = "does not belong" if remove else "belongs"
    if format == "json":
        print_json({"team": team, "person": person, "belongs": not remove})
    else:
        click.echo(f"{person} {belongs} to {team}")


@team.command("remove")
@click.argument("name")
@as_admin
def remove_team(place: HubPlace, name: str, format: str) -> None:
    """End a team, with what was granted to it."""
    flow.end_team(place, name)
    print_json({"ended": name}) if format == "json" else click.echo(f"{name} is ended")


@click.command()
@click.argument("holder", metavar="TEAM|PERSON")
@click.argument("pattern")
@click.argument("right", type=click.Choice(RIGHTS))
@as_admin
def grant(place: HubPlace, holder: str, pattern: str, right: str, format: str) -> None:
    """Give a right in the repositories of PATTERN: acme/harbor, acme/* or *.

    read: get what was learned there. contribute: send what one's own sessions taught. review: decide for everybody.
    Each holds those before it, and takes the place of what was granted for the same pattern.
    """
    flow.give_right(place, holder, pattern, right)
    if format == "json":
        print_json({"holder": holder, "pattern": pattern, "right": right})
    else:
        click.echo(f"{holder}: {right} in {pattern}")


@click.command()
@as_admin
def grants(place: HubPlace, format: str) -> None:
    """Who has which right where."""
    rows = flow.list_grants(place)
    if format == "json":
        print_json(rows)
        return
    lines = [
        (each.holder, "team" if each.is_team else "person", each.pattern, each.allows)
        for each in rows
    ]
    click.echo(table(["who", "is", "pattern", "right"], lines))


@click.command()
@click.argument("holder", metavar="TEAM|PERSON")
@click.argument("pattern")
@as_admin
def revoke(place: HubPlace, holder: str, pattern: str, format: str) -> None:
    """Take back the right that a team or person has for PATTERN."""
    flow.take_right(place, holder, pattern)
    if format == "json":
        print_json({"holder": holder, "pattern": pattern, "right": ""})
    else:
        click.echo(f"{holder} has no right by {pattern} any more")
