"""How a hub's database is made and brought up to date: a list of functions, in order, all that are missing or none.

A part that keeps something in it has a module with its tables and a function here that lays them out. A hub is started
only over a database whose layout it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from afterglow.errors import StoreError
from afterglow.records.hub import HubPlace
from afterglow.store.hub.approvals import approvals
from afterglow.store.hub.contributions import contribution_tables
from afterglow.store.hub.gone_items import gone_item_tables
from afterglow.store.hub.identity_tables import identity_tables
from afterglow.store.hub.layout import EVERYONE, Layout
from afterglow.store.hub.roles import HubRoles, is_superuser, make_roles, roles_of
from afterglow.store.postgres.connection import PostgresConnection
from afterglow.store.postgres.experiment_tables import experiment_tables
from afterglow.store.postgres.knowledge_tables import knowledge_tables
from afterglow.store.postgres.ledger_tables import ledger_tables

Migration = Callable[[Layout], None]

# What every role may call, also to the harm of others.
SUPERFLUOUS = (
    "pg_terminate_backend(integer, bigint)",
    "pg_cancel_backend(integer)",
    "lo_create(oid)",
    "lo_creat(integer)",
    "lo_from_bytea(oid, bytea)",
)
OLDEST_SERVER = 150000  # UNIQUE NULLS NOT DISTINCT


def contributions(layout: Layout) -> None:
    app, merge = layout.quoted(layout.roles.app), layout.quoted(layout.roles.merge)
    layout.run_plain(contribution_tables(app, merge))


MIGRATIONS: tuple[Migration, ...] = (
    identity_tables,
    contributions,
    knowledge_tables,
    gone_item_tables,
    approvals,
    ledger_tables,
    experiment_tables,
)


def make_hub(
    db: psycopg.Connection[Any], migrations: Sequence[Migration] = MIGRATIONS
) -> dict[str, str]:
    """A hub in an empty database: its roles, its schema, its tables. The passwords of the roles that log in."""
    if db.info.server_version < OLDEST_SERVER:
        raise StoreError("a hub needs PostgreSQL 15 or newer")
    exists = "SELECT 1 FROM pg_namespace WHERE nspname = 'afterglow'"
    if db.execute(exists).fetchone():
        raise StoreError(
            "there is a hub in this database already; `afterglow hub upgrade` brings it up to date"
        )
    with db.transaction():
        roles, passwords = make_roles(db)
        close_to_others(db, roles)
        db.execute(
            sql.SQL("CREATE SCHEMA afterglow AUTHORIZATION {}").format(
                sql.Identifier(roles.owner)
            )
        )
        with as_owner(db, roles):
            layout = Layout(db, roles)
            _first_rights(layout)
            _apply(layout, db, 0, migrations)
    return passwords


def upgrade_hub(
    db: psycopg.Connection[Any], migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """The layout it had before."""
    roles = roles_of(db)
    with db.transaction(), as_owner(db, roles):
        db.execute("LOCK TABLE layout IN ACCESS EXCLUSIVE MODE")
        row = db.execute("SELECT version FROM layout").fetchone()
        version = _finished(row)
        refuse_newer(version, len(migrations))
        _apply(Layout(db, roles), db, version, migrations)
    return version


def check_layout(place: HubPlace, newest: int = len(MIGRATIONS)) -> None:
    """Before a hub is started."""
    db = PostgresConnection(place)
    try:
        row = db.execute("SELECT version FROM layout").fetchone()
    except psycopg.errors.UndefinedTable as error:
        raise StoreError(
            f"there is no hub in {place}; make one with `afterglow hub init URL`"
        ) from error
    finally:
        db.close()
    version = _finished(row)
    refuse_newer(version, newest)
    if version < newest:
        raise StoreError(
            f"{place} has layout {version}, this afterglow needs {newest}; "
            "bring it up to date with `afterglow hub upgrade`"
        )


def layout_of(db: psycopg.Connection[Any]) -> int:
    """Asked by the owner."""
    with db.transaction(), as_owner(db, roles_of(db)):
        return _finished(db.execute("SELECT version FROM layout").fetchone())


def _finished(row: Any) -> int:
    if row is None:
        raise StoreError(
            "this database was not restored to the end; restore into a new, empty one"
        )
    return int(row[0])


def refuse_newer(version: int, newest: int) -> None:
    if version > newest:
        raise StoreError(
            f"this hub's database was written by a newer afterglow (layout {version}, this one knows {newest}); "
            "upgrade afterglow to use it; nothing was changed"
        )


def _apply(
    layout: Layout,
    db: psycopg.Connection[Any],
    version: int,
    migrations: Sequence[Migration],
) -> None:
    for migrate in migrations[version:]:
        migrate(layout)
    layout.close_all()
    db.execute("UPDATE layout SET version = %s", [len(migrations)])


@contextmanager
def as_owner(db: psycopg.Connection[Any], roles: HubRoles) -> Iterator[None]:
    """Within a transaction, at whose end the role is the former one again."""
    db.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(roles.owner)))
    db.execute("SET LOCAL search_path = afterglow")
    yield
    db.execute("RESET ROLE")


def close_to_others(db: psycopg.Connection[Any], roles: HubRoles) -> None:
    """No other role of the server comes in, and no request may make a table of its own that stands before ours. Where a
    superuser makes the hub, no request may break off another or keep anything outside our tables either."""
    names = {
        "database": sql.Identifier(db.info.dbname),
        "owner": sql.Identifier(roles.owner),
        "app": sql.Identifier(roles.app),
        "merge": sql.Identifier(roles.merge),
    }
    for statement in (
        "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
        "GRANT CONNECT ON DATABASE {database} TO {owner}, {app}, {merge}",
    ):
        db.execute(sql.SQL(statement).format(**names))
    if is_superuser(db):
        for function in SUPERFLUOUS:
            db.execute(f"REVOKE EXECUTE ON FUNCTION pg_catalog.{function} FROM PUBLIC")


def _first_rights(layout: Layout) -> None:
    layout.run(
        """
        ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
        GRANT USAGE ON SCHEMA afterglow TO {app}, {merge};
        CREATE TABLE layout (version integer NOT NULL);
        INSERT INTO layout VALUES (0);
        """
    )
    layout.secure("layout", read=EVERYONE, merge="SELECT", border="true")
