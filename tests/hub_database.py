"""A hub for tests: laid out once for a worker, a copy of it for each test.

Two organisations. In `acme`: ada is admin and reviews everything, ben reviews acme/harbor, cyd contributes to it, dee
reads acme/quay. In `rival`: eve is admin and reviews everything, also her own acme/harbor.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from msgspec import Struct
from psycopg import sql

from afterglow.records.hub import HubPlace
from afterglow.store.hub.migrations import close_to_others, make_hub
from afterglow.store.hub.roles import (
    HubRoles,
    address_acting_as,
    address_as,
    drop_roles,
    roles_of,
)
from postgres_server import new_database

# name -> organisation, is admin, pattern, right
MEMBERS = {
    "ada": ("acme", True, "*", "review"),
    "ben": ("acme", False, "acme/harbor", "review"),
    "cyd": ("acme", False, "acme/harbor", "contribute"),
    "dee": ("acme", False, "acme/quay", "read"),
    "eve": ("rival", True, "*", "review"),
}
REPOSITORIES = {"acme": ("acme/harbor", "acme/quay"), "rival": ("acme/harbor",)}


class HubDatabase(Struct, frozen=True):
    """`superuser` is an address without borders; `owner` acts as who holds the tables."""

    superuser: str
    owner: HubPlace
    app: HubPlace  # without a token
    merge: HubPlace  # for `acme`
    members: dict[str, HubPlace]
    people: dict[str, int]
    orgs: dict[str, int]
    roles: HubRoles

    def member(self, name: str) -> HubPlace:
        return self.members[name]

    @property
    def ada(self) -> HubPlace:
        return self.members["ada"]

    @property
    def ben(self) -> HubPlace:
        return self.members["ben"]

    @property
    def cyd(self) -> HubPlace:
        return self.members["cyd"]

    @property
    def dee(self) -> HubPlace:
        return self.members["dee"]

    @property
    def eve(self) -> HubPlace:
        return self.members["eve"]


class HubTemplate(Struct, frozen=True):
    database: str
    server: str
    passwords: dict[str, str]


def token_of(name: str) -> str:
    return f"token-of-{name}"


@pytest.fixture(scope="session")
def hub_template(postgres: str) -> Iterator[HubTemplate]:
    with new_database(postgres) as address:
        with psycopg.connect(address, autocommit=True) as db:
            passwords = make_hub(db)
            roles = roles_of(db)
            _fill(db)
            database = db.info.dbname
        yield HubTemplate(database, postgres, passwords)
    with psycopg.connect(postgres, autocommit=True) as db:
        drop_roles(db, roles)


@pytest.fixture
def hub_database(hub_template: HubTemplate) -> Iterator[HubDatabase]:
    with copied_hub(hub_template) as hub:
        yield hub


@contextmanager
def copied_hub(hub_template: HubTemplate) -> Iterator[HubDatabase]:
    with new_database(hub_template.server, hub_template.database) as address:
        with psycopg.connect(address, autocommit=True) as db:
            roles = roles_of(db)
            close_to_others(db, roles)  # a copy has the usual rights of a new database
            orgs = dict(_rows(db, "SELECT name, id FROM afterglow.organisations"))
            people = dict(_rows(db, "SELECT name, id FROM afterglow.people"))
        app, merge = (
            address_as(address, role, hub_template.passwords[role])
            for role in (roles.app, roles.merge)
        )
        yield HubDatabase(
            superuser=address,
            owner=HubPlace(address_acting_as(address, roles.owner), org=orgs["acme"]),
            app=HubPlace(app),
            merge=HubPlace(merge, org=orgs["acme"]),
            members={name: HubPlace(app, token=token_of(name)) for name in MEMBERS},
            people=people,
            orgs=orgs,
            roles=roles,
        )


def _rows(db: psycopg.Connection[Any], query: str) -> list[Any]:
    return db.execute(sql.SQL(query)).fetchall()


def _fill(db: psycopg.Connection[Any]) -> None:
    db.execute("SET search_path = afterglow")
    for org, names in REPOSITORIES.items():
        row = db.execute(
            "INSERT INTO organisations (name) VALUES (%s) RETURNING id", [org]
        ).fetchone()
        assert row
        for name in names:
            db.execute("INSERT INTO repositories VALUES (%s, %s)", [row[0], name])
    for name, (org, admin, pattern, allows) in MEMBERS.items():
        row = db.execute(
            "INSERT INTO people (org, name, is_admin) SELECT id, %s, %s FROM organisations WHERE name = %s "
            "RETURNING org, id",
            [name, admin, org],
        ).fetchone()
        assert row
        db.execute(
            "INSERT INTO grants (org, person, pattern, allows) VALUES (%s, %s, %s, %s)",
            [*row, pattern, allows],
        )
        db.execute(
            "INSERT INTO tokens (org, person, hash, label, scope) VALUES (%s, %s, %s, 'test', %s)",
            [
                *row,
                sha256(token_of(name).encode()).digest(),
                "admin" if admin else "review",
            ],
        )
