"""Who asks a hub's database, and what they may: decided by their token alone."""

from __future__ import annotations

import psycopg
import pytest

from afterglow.records.hub import HubPlace
from afterglow.store.postgres.connection import PostgresConnection
from hub_database import HubDatabase

pytestmark = pytest.mark.slow


def answer(place: HubPlace, query: str, *values: object) -> object:
    db = PostgresConnection(place)
    try:
        row = db.execute(query, values).fetchone()
    finally:
        db.close()
    return row[0] if row else None


def test_a_token_says_who_asks_and_what_they_may(hub_database: HubDatabase):
    hub = hub_database
    assert answer(hub.ben, "SELECT me()") == hub.people["ben"]
    assert answer(hub.eve, "SELECT my_org()") == hub.orgs["rival"]
    assert answer(hub.app, "SELECT me()") is None
    assert answer(hub.app, "SELECT my_org()") is None
    assert answer(hub.merge, "SELECT my_org()") == hub.orgs["acme"]
    assert answer(hub.owner, "SELECT my_org()") == hub.orgs["acme"]
    assert [answer(place, "SELECT is_admin()") for place in (hub.ada, hub.ben)] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("name", "right", "repos"),
    [
        ("ada", "review", {"", "acme/harbor", "acme/quay"}),
        ("ben", "review", {"acme/harbor"}),
        ("ben", "contribute", {"", "acme/harbor"}),
        ("cyd", "review", set()),
        ("cyd", "contribute", {"", "acme/harbor"}),
        ("cyd", "read", {"", "acme/harbor"}),
        ("dee", "contribute", set()),
        ("dee", "read", {"", "acme/quay"}),
    ],
)
def test_rights_name_the_repositories(
    hub_database: HubDatabase, name: str, right: str, repos: set[str]
):
    place = hub_database.member(name)
    assert set(answer(place, "SELECT my_repos(?)", right)) == repos  # type: ignore[arg-type]
    for repo in ("", "acme/harbor", "acme/quay", "(no repository)"):
        assert answer(place, "SELECT may(?, ?)", right, repo) is (repo in repos)


def test_every_table_is_secured_for_everybody(hub_database: HubDatabase):
    with psycopg.connect(hub_database.superuser) as db:
        tables = db.execute(
            "SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity, pg_get_userbyid(c.relowner), "
            "(SELECT count(*) FROM pg_policy WHERE polrelid = c.oid) FROM pg_class c "
            "JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = 'afterglow' "
            "AND c.relkind IN ('r', 'p', 'm', 'v', 'f')"
        ).fetchall()
    assert len(tables) > 8
    wrong = [
        name
        for name, on, forced, owner, policies in tables
        if not (on and forced and policies and owner == hub_database.roles.owner)
    ]
    assert wrong == []
