"""Tokens: what proves who asks. The hub keeps their hashes; a token itself is shown once, to whom it was made for."""

from __future__ import annotations

import secrets
from hashlib import sha256

from afterglow.records.hub_people import HubToken, NewToken, Person
from afterglow.store.databases import Database

PREFIX = "agl_"  # so that scanners for secrets, and people, know one when they see it
BYTES = 32  # as hard to guess as its hash is to turn back, so the hash needs no salt

EPOCH = "extract(epoch FROM t.{0})::float8"
COLUMNS = (
    "t.id, p.name, t.label, t.scope, "
    + ", ".join(
        EPOCH.format(name) for name in ("created", "expires", "revoked", "last_used")
    )
    + ", t.session"
)


def fresh_token() -> str:
    return PREFIX + secrets.token_urlsafe(BYTES)


def hash_of(token: str) -> bytes:
    return sha256(token.encode()).digest()


def add_token(
    db: Database, person: Person, *, scope: str, label: str, days: int | None
) -> NewToken:
    """`days` until it expires; none: never."""
    token = fresh_token()
    expiry = "now() + make_interval(days => ?)" if days else "NULL"
    values = [person.id, hash_of(token), label, scope, *([days] if days else [])]
    row = db.execute(
        f"INSERT INTO tokens (person, hash, label, scope, expires) VALUES (?, ?, ?, ?, {expiry}) "
        "RETURNING id, extract(epoch FROM expires)::float8",
        values,
    ).fetchone()
    return NewToken(
        token=token, id=row[0], person=person.name, scope=scope, expires=row[1]
    )


def tokens(db: Database, *, person: int | None = None) -> list[HubToken]:
    """Those that can be seen: one's own, or everybody's. Newest first."""
    whose = "" if person is None else " AND t.person = ?"
    rows = db.execute(
        f"SELECT {COLUMNS} FROM tokens t JOIN people p ON p.org = t.org AND p.id = t.person "
        f"WHERE t.org = my_org(){whose} ORDER BY t.id DESC",
        [] if person is None else [person],
    )
    return [HubToken(*row) for row in rows]


def revoke_token(db: Database, id: int) -> bool:
    """False if there is none that could be revoked."""
    rows = db.execute(
        "UPDATE tokens SET revoked = now() WHERE org = my_org() AND id = ? AND revoked IS NULL",
        [id],
    )
    return rows.rowcount > 0
