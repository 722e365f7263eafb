"""Who asks a hub, and browsers that log in and out."""

from __future__ import annotations

import psycopg
import pytest
from msgspec.structs import replace

from afterglow.errors import TokenRefused
from afterglow.flows.hub import close_session, member, open_session
from hub_database import HubDatabase

pytestmark = pytest.mark.slow


def test_a_token_says_who_asks_and_what_they_may(hub_database: HubDatabase):
    ben = member(hub_database.ben)
    assert (ben.name, ben.org_name, ben.is_admin, ben.scope) == (
        "ben",
        "acme",
        False,
        "review",
    )
    assert ben.may("review", "acme/harbor")
    assert not ben.may("read", "acme/quay")
    assert member(hub_database.ada).is_admin


@pytest.mark.parametrize("token", ["", "guessed", "token-of-ben "])
def test_a_token_of_nobody_is_refused(hub_database: HubDatabase, token: str):
    place = replace(hub_database.app, token=token)
    for ask in (member, open_session):
        with pytest.raises(TokenRefused, match="not known here"):
            ask(place)


def test_a_browser_has_a_token_of_its_own_that_ends_when_it_logs_out(
    hub_database: HubDatabase,
):
    session = replace(hub_database.app, token=open_session(hub_database.ben))
    assert member(session).name == "ben"
    close_session(session)
    with pytest.raises(TokenRefused):
        member(session)
    assert member(hub_database.ben).name == "ben"


def test_a_browser_is_logged_out_with_the_token_it_came_with(hub_database: HubDatabase):
    session = replace(hub_database.app, token=open_session(hub_database.ben))
    close_session(hub_database.ben)
    with pytest.raises(TokenRefused):
        member(session)


def test_a_session_is_no_longer_than_twelve_hours_and_its_token_is_kept_nowhere(
    hub_database: HubDatabase,
):
    token = open_session(hub_database.ben)
    with psycopg.connect(hub_database.superuser) as db:
        rows = db.execute(
            "SELECT hash, extract(epoch FROM expires - now()) FROM afterglow.tokens WHERE session"
        ).fetchall()
    ((digest, seconds),) = rows
    assert token.encode() not in bytes(digest)
    assert 0 < seconds <= 12 * 3600
