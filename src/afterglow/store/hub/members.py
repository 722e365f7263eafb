"""The people and the teams of a hub. What somebody may not do, the database refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from afterglow.records.hub import HubPlace
from afterglow.records.hub_people import Organisation, Person, Team
from afterglow.store.databases import Database
from afterglow.store.hub.askers import hub_connection

SECONDS = "extract(epoch FROM {})::float8"
PERSON = f"id, name, is_admin, {SECONDS.format('joined')}, {SECONDS.format('left_at')}"


@contextmanager
def opened(place: HubPlace) -> Iterator[Database]:
    """The hub on somebody's behalf, in one transaction: all that is done in it or nothing."""
    with hub_connection(place) as db:
        db.execute("BEGIN")
        yield db
        db.execute("COMMIT")


def organisations(db: Database) -> list[Organisation]:
    rows = db.execute("SELECT id, name FROM organisations ORDER BY id")
    return [Organisation(*row) for row in rows]


def organisation_numbers(db: Database) -> list[int]:
    """All that the merger may know of them."""
    return [id for (id,) in db.execute("SELECT id FROM organisations ORDER BY id")]


def add_organisation(db: Database, name: str) -> int:
    """By the owner."""
    query = "INSERT INTO organisations (name) VALUES (?) RETURNING id"
    return int(db.execute(query, [name]).fetchone()[0])


def people(db: Database) -> list[Person]:
    rows = db.execute(f"SELECT {PERSON} FROM people WHERE org = my_org() ORDER BY name")
    return [Person(*row) for row in rows]


def person_named(db: Database, name: str) -> Person | None:
    row = db.execute(
        f"SELECT {PERSON} FROM people WHERE org = my_org() AND name = ?", [name]
    ).fetchone()
    return Person(*row) if row else None


def add_person(db: Database, name: str, *, is_admin: bool) -> Person:
    row = db.execute(
        f"INSERT INTO people (name, is_admin) VALUES (?, ?) RETURNING {PERSON}",
        [name, "yes" if is_admin else "no"],
    ).fetchone()
    return Person(*row)


def set_left(db: Database, person: int, *, has_left: bool) -> None:
    """Whoever has left is let in by none of their tokens."""
    moment = "now()" if has_left else "NULL"
    db.execute(
        f"UPDATE people SET left_at = {moment} WHERE org = my_org() AND id = ?",
        [person],
    )


def set_admin(db: Database, person: int, *, is_admin: bool) -> None:
    db.execute(
        "UPDATE people SET is_admin = ? WHERE org = my_org() AND id = ?",
        ["yes" if is_admin else "no", person],
    )


def admins(db: Database) -> list[str]:
    rows = db.execute(
        "SELECT name FROM people WHERE org = my_org() AND is_admin AND left_at IS NULL ORDER BY name"
    )
    return [name for (name,) in rows]


def teams(db: Database) -> list[Team]:
    rows = db.execute(
        "SELECT t.id, t.name, array_remove(array_agg(p.name ORDER BY p.name), NULL) FROM teams t "
        "LEFT JOIN team_members m ON m.org = t.org AND m.team = t.id "
        "LEFT JOIN people p ON p.org = m.org AND p.id = m.person "
        "WHERE t.org = my_org() GROUP BY t.id, t.name ORDER BY t.name"
    )
    return [Team(id, name, tuple(members)) for id, name, members in rows]


def add_team(db: Database, name: str) -> int:
    query = "INSERT INTO teams (name) VALUES (?) RETURNING id"
    return int(db.execute(query, [name]).fetchone()[0])


def remove_team(db: Database, team: int) -> None:
    db.execute("DELETE FROM teams WHERE org = my_org() AND id = ?", [team])


def add_to_team(db: Database, team: int, person: int) -> None:
    db.execute(
        "INSERT INTO team_members (team, person) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [team, person],
    )


def remove_from_team(db: Database, team: int, person: int) -> None:
    db.execute(
        "DELETE FROM team_members WHERE org = my_org() AND team = ? AND person = ?",
        [team, person],
    )


def numbers(db: Database) -> tuple[int, int, int, int]:
    """By the owner: bytes of the database, people, tokens that let somebody in, repositories."""
    row = db.execute(
        "SELECT pg_database_size(current_database()), (SELECT count(*) FROM people WHERE left_at IS NULL), "
        "(SELECT count(*) FROM tokens WHERE NOT session AND revoked IS NULL AND (expires IS NULL OR expires > now())), "
        "(SELECT count(*) FROM repositories)"
    ).fetchone()
    return row[0], row[1], row[2], row[3]
