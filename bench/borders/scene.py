"""A hub in which every row carries a mark, so that one look at an answer tells whether somebody saw what they may not.

Two organisations with the same repository, members with each right, and a row in every table for each of them: whatever
table comes to be is in it by itself. Rows are put in behind the borders, with triggers off.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import sql

from afterglow.records.hub import HubPlace
from afterglow.store.hub.migrations import make_hub
from afterglow.store.hub.roles import HubRoles, address_as, drop_roles, roles_of

NOWHERE = "(no repository)"
# name -> organisation, is admin, pattern, right, scope of the token
MEMBERS = {
    "ada": ("acme", True, "*", "review", "admin"),
    "ben": ("acme", False, "acme/harbor", "review", "review"),
    "cyd": ("acme", False, "acme/harbor", "contribute", "sync"),
    "dee": ("acme", False, "acme/quay", "read", "read"),
    "fay": ("acme", False, "", "", "review"),  # belongs to it, and may nothing
    "gus": ("acme", True, "*", "review", "admin"),  # has left
    "eve": ("rival", True, "*", "review", "admin"),
}
# Whose rows stand for a place of an organisation, and the mark of what its readers see.
PLACES = {
    "acme_harbor": ("acme", "acme/harbor", "cyd"),
    "acme_quay": ("acme", "acme/quay", "fay"),
    "acme_everywhere": ("acme", "", "fay"),
    "acme_nowhere": ("acme", NOWHERE, "fay"),
    "rival_harbor": ("rival", "acme/harbor", "eve"),
    "rival_secret": ("rival", "rival/secret", "eve"),
    "rival_everywhere": ("rival", "", "eve"),
}
# Tables in which a row is its person's alone, whatever its repository.
OWN = {"findings", "said", "looked", "reports"}
OWN |= {"unredacted_views", "machines"}
# An admin sees that somebody contributed something, to take it back for who has left; not what.
SENT = {"contributions"}
BOOKS = {"deliveries", "delivered_items", "plans", "assignments", "trials"}
BOOKS |= {"assigned_deliveries"}
# Filled with members and their rights, not with marks.
PEOPLE = {"layout", "organisations", "turns", "people", "teams", "team_members"}
PEOPLE |= {"grants", "repositories", "tokens", "audit"}
SHARED = {"acme_everywhere", "acme_org"}
SENT_AT_ACME = {"sent_cyd", "sent_fay"}
# What each may see; any other mark in what they get is a border crossed.
SIGHT = {
    "nobody": set[str](),
    "left": set[str](),
    "expired": set[str](),
    "revoked": set[str](),
    "dee": {"acme_quay", *SHARED},
    "cyd": {"acme_harbor", "own_cyd", "sent_cyd", *SHARED},
    "ben": {"acme_harbor", *SHARED},
    "fay": {"acme_quay", "acme_nowhere", "own_fay", "sent_fay", *SHARED},  # her own
    "ada": {
        "acme_harbor",
        "acme_quay",
        "acme_people",
        "acme_team",
        *SENT_AT_ACME,
        *SHARED,
    },
    "merge": {
        "acme_harbor",
        "acme_quay",
        "acme_everywhere",
        "acme_nowhere",
        "acme_team",
        "acme_pending",
        "own_cyd",
        "own_fay",
        *SENT_AT_ACME,
    },
}

LISTS = ("tags", "related", "fingerprints", "topics", "items")  # kept as JSON
KINDS = ("people", "team", "org", "pending")
TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'afterglow'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname
"""
COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'afterglow' AND table_name = %s
  AND is_generated = 'NEVER' AND is_identity = 'NO'
"""


class Scene(Struct, frozen=True):
    """The hub, who asks it, and the words that attempts are filled in with."""

    superuser: str
    actors: dict[str, HubPlace]
    values: dict[str, str]
    tables: tuple[str, ...]
    marks: frozenset[str]

    def forbidden(self, actor: str) -> set[str]:
        secrets = {value for key, value in self.values.items() if "token" in key}
        labels = {f"label_{name}" for name in MEMBERS}
        own = {f"label_{actor}"} if actor != "ada" else labels - {"label_eve"}
        return (set(self.marks) - SIGHT[actor]) | secrets | (labels - own)


@contextmanager
def marked_hub(url: str) -> Iterator[Scene]:
    """In an empty database; its roles go with it."""
    with psycopg.connect(url, autocommit=True) as db:
        passwords = make_hub(db)
        roles = roles_of(db)
        db.execute("SET search_path = afterglow")
        numbers = _people(db)
        tables = tuple(name for (name,) in db.execute(TABLES))
        db.execute("SET session_replication_role = replica")
        for at, (mark, place) in enumerate(PLACES.items()):
            for table in tables:
                if table not in PEOPLE:
                    _row(db, table, 1000 + at, mark, place, numbers)
        db.execute("RESET session_replication_role")
    try:
        yield _scene(url, roles, passwords, numbers, tables)
    finally:
        with psycopg.connect(url, autocommit=True) as db:
            db.execute("DROP SCHEMA afterglow CASCADE")
            names = sql.SQL(", ").join(
                map(sql.Identifier, (roles.owner, roles.app, roles.merge))
            )
            db.execute(sql.SQL("DROP OWNED BY {}").format(names))
            drop_roles(db, roles)


def _people(db: psycopg.Connection[Any]) -> dict[str, int]:
    """Numbers of organisations and people by name."""
    numbers: dict[str, int] = {}
    for org in ("acme", "rival"):
        numbers[org] = _new(
            db,
            "INSERT INTO organisations (name) VALUES (%s) RETURNING id",
            f"{org}_org",
        )
        team = _new(
            db,
            "INSERT INTO teams (org, name) VALUES (%s, %s) RETURNING id",
            numbers[org],
            f"{org}_team",
        )
        numbers[f"{org}_team"] = team
        for _, repo, _ in PLACES.values():
            if repo not in ("", NOWHERE) and (org == "rival" or repo[0] == "a"):
                db.execute(
                    "INSERT INTO repositories VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    [numbers[org], repo],
                )
    for name, (org, is_admin, pattern, allows, scope) in MEMBERS.items():
        number = numbers[name] = _new(
            db,
            "INSERT INTO people (org, name, is_admin) VALUES (%s, %s, %s) RETURNING id",
            numbers[org],
            "rival_people" if org == "rival" else name,
            is_admin,
        )
        if pattern:
            db.execute(
                "INSERT INTO grants (org, person, pattern, allows) VALUES (%s, %s, %s, %s)",
                [numbers[org], number, pattern, allows],
            )
        for kind in (name, f"expired-{name}", f"revoked-{name}"):
            expiry = "now() - interval '1 day'" if "expired" in kind else "NULL"
            end = "now()" if "revoked" in kind else "NULL"
            db.execute(
                "INSERT INTO tokens (org, person, hash, label, scope, expires, revoked) "
                f"VALUES (%s, %s, %s, %s, %s, {expiry}, {end})",
                [numbers[org], number, _hash(kind), f"label_{name}", scope],
            )
    db.execute("UPDATE people SET left_at = now() WHERE name = 'gus'")
    return numbers


def _new(db: psycopg.Connection[Any], query: str, *values: object) -> int:
    row = db.execute(sql.SQL(query), values).fetchone()
    assert row
    return int(row[0])


def token_of(name: str) -> str:
    return f"agl_invented-{name}"


def _hash(name: str) -> bytes:
    return sha256(token_of(name).encode()).digest()


def _row(
    db: psycopg.Connection[Any],
    table: str,
    number: int,
    mark: str,
    place: tuple[str, str, str],
    numbers: dict[str, int],
) -> None:
    """One with the mark in every text, whatever the table has."""
    org, repo, person = place
    if table in OWN or (table in BOOKS and repo in ("", NOWHERE)):
        mark = f"own_{person}"
    if table == "pending":
        mark = "acme_pending" if org == "acme" else "rival_pending"
    if table in SENT:
        mark = f"sent_{person}"
    values: dict[str, object] = {}
    for column, kind in db.execute(COLUMNS, [table]).fetchall():
        if column == "item" and kind == "text":
            values[column] = f"k{number}"
        elif kind == "text":
            values[column] = f"{mark}-{number}"
        elif kind in ("bigint", "integer", "double precision"):
            values[column] = number
        elif kind == "bytea":
            values[column] = mark.encode()
    values |= {
        "org": numbers[org],
        "person": numbers[person],
        "repo": repo,
        "item_repo": repo,
        "id": f"k{number}",
        "withdrawn": 0,
        "category": "fact",
        "trust": "user",
        **dict.fromkeys(LISTS, "[]"),
        "placebo": 0,
        "status": "candidate",
        "rating": 3,
        "state": "waiting",
        "brought_by": numbers[person],
        "approved_by": None,
        "name": f"packages of {repo}"
        if table == "facts" and repo
        else values.get("name"),
    }
    columns = [name for (name, _) in db.execute(COLUMNS, [table]).fetchall()]
    chosen = [name for name in columns if name in values]
    db.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, chosen)),
            sql.SQL(", ").join([sql.Placeholder()] * len(chosen)),
        ),
        [values[name] for name in chosen],
    )


def _scene(
    url: str,
    roles: HubRoles,
    passwords: dict[str, str],
    numbers: dict[str, int],
    tables: tuple[str, ...],
) -> Scene:
    app, merge = (
        address_as(url, role, passwords[role]) for role in (roles.app, roles.merge)
    )
    actors = {name: HubPlace(app, token=token_of(name)) for name in MEMBERS}
    actors |= {
        "nobody": HubPlace(app),
        "left": HubPlace(app, token=token_of("gus")),
        "expired": HubPlace(app, token=token_of("expired-ada")),
        "revoked": HubPlace(app, token=token_of("revoked-ada")),
        "merge": HubPlace(merge, org=numbers["acme"]),
    }
    values = {name: str(number) for name, number in numbers.items()}
    values |= {f"{name}_token": token_of(name) for name in MEMBERS if name != "dee"}
    values |= {f"{name}_hash": _hash(name).hex() for name in MEMBERS}
    values |= {"owner": roles.owner, "app": roles.app, "merge_role": roles.merge}
    own = {f"{kind}_{each[2]}" for each in PLACES.values() for kind in ("own", "sent")}
    people = {f"{org}_{kind}" for org in ("acme", "rival") for kind in KINDS}
    return Scene(
        superuser=url,
        actors=actors,
        values=values,
        tables=tables,
        marks=frozenset({*PLACES, *own, *people, "rival/secret"}),
    )
