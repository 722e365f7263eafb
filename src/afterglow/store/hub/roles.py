"""The three roles of a hub in PostgreSQL.

The owner holds the tables and cannot log in; the app answers requests and the merger merges, both own nothing and are
bound by row-level security. Roles belong to a whole server, so their names begin with that of the database.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from msgspec import Struct
from psycopg import sql

from afterglow.errors import NotFound

NAME_CHARACTERS = 50  # PostgreSQL cuts names at 63 bytes; ours add a few
BOUND = "NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT"
OWNER_OF_SCHEMA = (
    "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'afterglow'"
)


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
    database = db.info.dbname
    roles = HubRoles(f"afterglow_{database}"[:NAME_CHARACTERS])
    _make(db, roles.owner, "NOLOGIN")
    # Whoever makes a hub may act as its owner; a superuser may anyway.
    db.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(roles.owner)))
    passwords = {role: secrets.token_urlsafe(32) for role in (roles.app, roles.merge)}
    for role, password in passwords.items():
        _make(db, role, "LOGIN")
        set_password(db, role, password)
    return roles, passwords


def _make(db: psycopg.Connection[Any], role: str, login: str) -> None:
    row = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    verb = "ALTER" if row else "CREATE"
    # A role that is not a superuser's to make may not even be told that it shall be bound: it is by default.
    bound = BOUND if _is_superuser(db) else "NOCREATEDB NOCREATEROLE NOINHERIT"
    db.execute(
        sql.SQL(f"{verb} ROLE {{}} {login} {bound}").format(sql.Identifier(role))
    )


def _is_superuser(db: psycopg.Connection[Any]) -> bool:
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


def address_acting_as(url: str, role: str, settings: Mapping[str, str] = {}) -> str:
    """The same login, which acts as that role in everything it does."""
    parts = urlsplit(url)
    pairs = dict(parse_qsl(parts.query))
    variables = {"role": role, **settings}
    options = " ".join(f"-c {name}={value}" for name, value in variables.items())
    pairs["options"] = f"{pairs.get('options', '')} {options}".strip()
    return urlunsplit(parts._replace(query=urlencode(pairs, quote_via=quote)))
