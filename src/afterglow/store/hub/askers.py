"""Who asks a hub, by the token that proves it, and the short-lived tokens of browsers that have logged in."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from afterglow.errors import TokenRefused
from afterglow.records.hub import HubPlace, Member
from afterglow.store.databases import Database
from afterglow.store.postgres.connection import PostgresConnection, postgres_trouble

RIGHTS = ("read", "contribute", "review")
SESSION_PREFIX = "ags_"  # so that people and scanners for secrets know what it is
UNKNOWN = "this token is not known here: it may be mistyped, expired or revoked; an admin of the hub can give you another"

_ASKING = """
SELECT person, name, org, org_name, admin, scope, extract(epoch FROM expires)::float8, requests_a_minute, bytes_a_minute,
  my_patterns('read'), my_patterns('contribute'), my_patterns('review')
FROM asking()
"""


@contextmanager
def hub_connection(place: HubPlace) -> Iterator[Database]:
    """A connection on somebody's behalf; what PostgreSQL says against it is said in words."""
    with postgres_trouble(place):
        db = PostgresConnection(place)
        try:
            yield db
        finally:
            db.close()


def asking_member(db: Database) -> Member:
    row = db.execute(_ASKING).fetchone()
    if row is None:
        raise TokenRefused(UNKNOWN)
    names = Member.__struct_fields__[:-1]
    patterns = dict(zip(RIGHTS, map(tuple, row[len(names) :]), strict=True))
    return Member(**dict(zip(names, row, strict=False)), patterns=patterns)


def open_session(db: Database) -> str:
    """A token of who asks, for a browser: no wider and no longer than the one it was opened with."""
    token = SESSION_PREFIX + secrets.token_urlsafe(32)
    digest = sha256(token.encode()).digest()
    (expires,) = db.execute("SELECT open_session(?)", [digest]).fetchone()
    if expires is None:
        raise TokenRefused(UNKNOWN)
    return token


def close_session(db: Database) -> None:
    """The very token that asks is of no use any more."""
    db.execute("UPDATE tokens SET revoked = now() WHERE id = my_token()")


def note_use(db: Database) -> None:
    db.execute("SELECT note_use()")


def readable_repos(db: Database) -> tuple[str, ...]:
    """Those that have something, by name; without what holds everywhere."""
    (names,) = db.execute("SELECT my_repos('read')").fetchone()
    return tuple(sorted(name for name in names if name))
