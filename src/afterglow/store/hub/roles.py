"""The three roles of a hub in PostgreSQL.

The owner holds the tables and cannot log in; the app answers requests and the merger merges, both own nothing and are
bound by row-level security. Roles belong to a whole server, so their names begin with that of the database.
"""

from __future__ import annotations

import secrets
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from msgspec import Struct
from psycopg import sql

from afterglow.errors import NotFound, StoreError

NAME_CHARACTERS = 50  # PostgreSQL cuts names at 63 bytes; ours add a few
BOUND = "NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION"
OWNER_OF_SCHEMA = (
    "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'afterglow'"
)

UNBOUND = """
SELECT 1 FROM pg_roles WHERE rolname = %s AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication
  OR EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid))
"""
USED_ELSEWHERE = """
SELECT 1 FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid, pg_database here
WHERE d.refclassid = 'pg_authid'::regclass AND r.rolname = ANY (%s) AND here.datname = current_database()
  AND (d.dbid NOT IN (0, here.oid) OR d.classid = 'pg_database'::regclass AND d.objid <> here.oid)
"""


class HubRoles(Struct, frozen=True):
    """By the name they share."""

    name: str

    @property
    def owner(self) -> str:
        return f"{self.name}_owner"

    @property
    def app(self) -> str:
        return f"{self.name}_app"

    @property
    def merge(self) -> str:
        return f"{self.name}_merge"


def roles_of(db: psycopg.Connection[Any]) -> HubRoles:
    """Of the hub in this database. A copy of a database has the roles of its original."""
    row = db.execute(OWNER_OF_SCHEMA).fetchone()
    if row is None:
        raise NotFound(
            "there is no hub in this database; make one with `afterglow hub init URL`"
        )
    return HubRoles(row[0].removesuffix("_owner"))


def make_roles(db: psycopg.Connection[Any]) -> tuple[HubRoles, dict[str, str]]:
    """Those of a hub that is to be in this database, and the passwords of the two that log in."""
    roles = _free_roles(db)
    _make(db, roles.owner, "NOLOGIN")
    # Whoever makes a hub may act as its owner; a superuser may anyway.
    db.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(roles.owner)))
    for role in (roles.app, roles.merge):
        _make(db, role, "LOGIN")
    return roles, give_passwords(db, roles)


def give_passwords(db: psycopg.Connection[Any], roles: HubRoles) -> dict[str, str]:
    """New ones: who has the former can log in no more."""
    passwords = {role: secrets.token_urlsafe(32) for role in (roles.app, roles.merge)}
    for role, password in passwords.items():
        set_password(db, role, password)
    return passwords


def _free_roles(db: psycopg.Connection[Any]) -> HubRoles:
    """Roles that no other database of the server knows: a database that was renamed takes its roles along."""
    stem = f"afterglow_{db.info.dbname}"[:NAME_CHARACTERS]
    for number in count(1):
        roles = HubRoles(stem if number == 1 else f"{stem}_{number}")
        names = [roles.owner, roles.app, roles.merge]
        if db.execute(USED_ELSEWHERE, [names]).fetchone() is None:
            return roles
    raise AssertionError("numbers do not end")


def _make(db: psycopg.Connection[Any], role: str, login: str) -> None:
    """Only a superuser may say that a role is bound; what others make is so without a word."""
    row = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    verb = "ALTER" if row else "CREATE"
    bound = BOUND if is_superuser(db) else ""
    db.execute(
        sql.SQL(f"{verb} ROLE {{}} {login} {bound}").format(sql.Identifier(role))
    )
    if db.execute(UNBOUND, [role]).fetchone():
        raise StoreError(
            f"there is a role {role} already, and row-level security does not bind it; drop it first"
        )


def is_superuser(db: psycopg.Connection[Any]) -> bool:
    row = db.execute(
        "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    return bool(row and row[0])


def set_password(db: psycopg.Connection[Any], role: str, password: str) -> None:
    """Sent as a hash, so that no log of statements holds it."""
    scrambled = db.pgconn.encrypt_password(
        password.encode(), role.encode(), b"scram-sha-256"
    )
    db.execute(
        sql.SQL("ALTER ROLE {} PASSWORD {}").format(
            sql.Identifier(role), sql.Literal(scrambled.decode())
        )
    )


def drop_roles(db: psycopg.Connection[Any], roles: HubRoles) -> None:
    """Of a hub that is gone."""
    for role in (roles.app, roles.merge, roles.owner):
        db.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))


def address_as(url: str, role: str, password: str) -> str:
    """The same database, for that role."""
    parts = urlsplit(url)
    _, _, host = parts.netloc.rpartition("@")
    login = f"{quote(role, safe='')}:{quote(password, safe='')}"
    query = urlencode(
        [pair for pair in parse_qsl(parts.query) if pair[0] not in ("user", "password")]
    )
    return urlunsplit(parts._replace(netloc=f"{login}@{host}", query=query))


def address_acting_as(url: str, role: str) -> str:
    """The same login, which acts as that role in everything it does."""
    parts = urlsplit(url)
    pairs = dict(parse_qsl(parts.query))
    escaped = role.replace("\\", r"\\").replace(" ", r"\ ")
    pairs["options"] = f"{pairs.get('options', '')} -c role={escaped}".strip()
    return urlunsplit(parts._replace(query=urlencode(pairs, quote_via=quote)))
