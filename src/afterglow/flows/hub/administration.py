"""What an admin does at a hub: people, teams, what they may. By an admin's token, or as the owner of the database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from afterglow.errors import Conflict, NotFound, Refused, UsageError
from afterglow.records.hub import HubPlace
from afterglow.records.hub_people import RIGHTS, AuditLine, Grant, Person, Team
from afterglow.records.settings import HISTORY_PROGRAMS
from afterglow.store.databases import Database
from afterglow.store.hub import grants, members
from afterglow.store.hub.askers import asking_member

# Names stand in lists, in the history of items and in addresses of pages.
NAME = re.compile(r"[^\x00-\x1f\x7f:/*]{1,60}")
PATTERN = re.compile(r"[^\x00-\x20\x7f*]{0,200}\*?")


@contextmanager
def _as_admin(place: HubPlace) -> Iterator[Database]:
    """The database refuses anybody else; here it is said in words."""
    with members.opened(place) as db:
        if place.token and not asking_member(db).is_admin:
            names = ", ".join(members.admins(db))
            raise Refused(
                f"this needs a token of an admin with the scope admin; admins are {names}"
            )
        yield db


def list_people(place: HubPlace) -> list[Person]:
    """Also for members who are no admins: whom to ask."""
    with members.opened(place) as db:
        return members.people(db)


def add_member(place: HubPlace, name: str, *, is_admin: bool = False) -> Person:
    """Whoever had left under this name comes back."""
    name = checked_name(name)
    with _as_admin(place) as db:
        former = members.person_named(db, name)
        if former is None:
            return members.add_person(db, name, is_admin=is_admin)
        if former.left_at is None:
            raise Conflict(f"there is a member {name} already")
        members.set_left(db, former.id, has_left=False)
        members.set_admin(db, former.id, is_admin=is_admin)
        return members.person_named(db, name) or former


def checked_name(name: str) -> str:
    name = name.strip()
    if not NAME.fullmatch(name) or name.lower() in HISTORY_PROGRAMS:
        raise UsageError(
            f"{name!r} cannot be a name here: 1 to 60 characters without : / *, and no program of the history "
            f"({', '.join(HISTORY_PROGRAMS)})"
        )
    return name


def remove_member(place: HubPlace, name: str) -> Person:
    """None of their tokens lets them in any more. What they contributed stays until it is taken back."""
    with _as_admin(place) as db:
        person = _person(db, name)
        _leave_an_admin(db, person)
        members.set_left(db, person.id, has_left=True)
        return person


def make_admin(place: HubPlace, name: str, *, is_admin: bool) -> Person:
    with _as_admin(place) as db:
        person = _person(db, name)
        if not is_admin:
            _leave_an_admin(db, person)
        members.set_admin(db, person.id, is_admin=is_admin)
        return person


def _leave_an_admin(db: Database, person: Person) -> None:
    if members.admins(db) == [person.name]:
        raise Refused(
            f"{person.name} is the only admin; make another one first: `afterglow hub user add NAME --admin`"
        )


def _person(db: Database, name: str) -> Person:
    person = members.person_named(db, name)
    if person is None or person.left_at is not None:
        raise NotFound(
            f"there is no member {name}; `afterglow hub user list` shows them"
        )
    return person


def list_teams(place: HubPlace) -> list[Team]:
    with members.opened(place) as db:
        return members.teams(db)


def make_team(place: HubPlace, name: str) -> None:
    """No team is called as a member is: rights are given by name."""
    name = checked_name(name)
    with _as_admin(place) as db:
        if _team(db, name) or members.person_named(db, name):
            raise Conflict(f"there is a team or a member {name} already")
        members.add_team(db, name)


def end_team(place: HubPlace, name: str) -> None:
    with _as_admin(place) as db:
        members.remove_team(db, _existing_team(db, name).id)


def change_team(place: HubPlace, team: str, name: str, *, belongs: bool) -> None:
    with _as_admin(place) as db:
        change = members.add_to_team if belongs else members.remove_from_team
        change(db, _existing_team(db, team).id, _person(db, name).id)


def _team(db: Database, name: str) -> Team | None:
    return next((team for team in members.teams(db) if team.name == name), None)


def _existing_team(db: Database, name: str) -> Team:
    team = _team(db, name)
    if team is None:
        raise NotFound(f"there is no team {name}; `afterglow hub team list` shows them")
    return team


def list_grants(place: HubPlace) -> list[Grant]:
    with members.opened(place) as db:
        return grants.grants(db)


def give_right(place: HubPlace, holder: str, pattern: str, right: str) -> None:
    """To a team or a person, in the place of what they had for that pattern."""
    if right not in RIGHTS:
        raise UsageError(f"no right {right!r}; there are {', '.join(RIGHTS)}")
    if not pattern or not PATTERN.fullmatch(pattern):
        raise UsageError(
            f"{pattern!r} is no pattern; acme/harbor, acme/* or * would work"
        )
    with _as_admin(place) as db:
        team, person = _holder(db, holder)
        grants.add_grant(db, team=team, person=person, pattern=pattern, allows=right)


def take_right(place: HubPlace, holder: str, pattern: str) -> None:
    with _as_admin(place) as db:
        team, person = _holder(db, holder)
        if not grants.remove_grant(db, team=team, person=person, pattern=pattern):
            raise NotFound(
                f"{holder} has no right for {pattern}; `afterglow hub grants` shows them"
            )


def _holder(db: Database, name: str) -> tuple[int | None, int | None]:
    """The number of the team, or of the person."""
    team = _team(db, name)
    if team is not None:
        return team.id, None
    person = members.person_named(db, name)
    if person is None:
        raise NotFound(f"there is no team and no member {name}")
    return None, person.id


def list_repositories(place: HubPlace) -> list[str]:
    with members.opened(place) as db:
        return grants.repositories(db)


def read_audit(
    place: HubPlace, *, since: float = 0.0, before: int | None = None, most: int = 100
) -> list[AuditLine]:
    with _as_admin(place) as db:
        return grants.audit(db, since=since, before=before, most=most)
