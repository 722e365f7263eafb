"""Admins look after people, teams, rights and tokens; everybody else after their own tokens."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.errors import Conflict, NotFound, Refused, TokenRefused, UsageError
from afterglow.flows import hub
from afterglow.records.hub import HubPlace
from hub_database import HubDatabase

pytestmark = pytest.mark.slow


def asks_with(place: HubPlace, token: str) -> HubPlace:
    return replace(place, token=token)


def test_a_member_is_known_with_what_they_may(hub_database: HubDatabase):
    ben = hub.member(hub_database.ben)
    assert (ben.name, ben.org_name, ben.is_admin) == ("ben", "acme", False)
    assert ben.may("review", "acme/harbor") and not ben.may("read", "acme/quay")
    with pytest.raises(TokenRefused, match="expired or revoked"):
        hub.member(hub_database.app)


def test_an_admin_brings_people_and_teams_in_and_gives_them_rights(
    hub_database: HubDatabase,
):
    ada = hub_database.ada
    hub.add_member(ada, "finn")
    hub.make_team(ada, "crew")
    hub.change_team(ada, "crew", "finn", belongs=True)
    hub.give_right(ada, "crew", "acme/h*", "contribute")
    made = hub.make_token(ada, "finn", label="laptop")
    finn = hub.member(asks_with(ada, made.token))
    assert finn.may("contribute", "acme/harbor") and not finn.may(
        "review", "acme/harbor"
    )
    assert [team.members for team in hub.list_teams(ada)] == [("finn",)]
    hub.take_right(ada, "crew", "acme/h*")
    assert not hub.member(asks_with(ada, made.token)).may("read", "acme/harbor")
    assert "tokens added" in {line.what for line in hub.read_audit(ada)}
    assert made.token not in str(hub.read_audit(ada))


def test_who_is_removed_is_let_in_no_more_and_may_come_back(hub_database: HubDatabase):
    hub.remove_member(hub_database.ada, "cyd")
    with pytest.raises(TokenRefused):
        hub.member(hub_database.cyd)
    with pytest.raises(NotFound):
        hub.make_token(hub_database.ada, "cyd")
    hub.add_member(hub_database.ada, "cyd")
    assert hub.member(hub_database.cyd).name == "cyd"


def test_only_admins_look_after_others(hub_database: HubDatabase):
    with pytest.raises(Refused, match="admins are ada"):
        hub.add_member(hub_database.ben, "finn")
    with pytest.raises(Refused):
        hub.read_audit(hub_database.ben)
    with pytest.raises(Refused, match="only an admin"):
        hub.make_token(hub_database.ben, "ada")
    with pytest.raises(Refused, match="none with the scope admin"):
        hub.make_token(hub_database.ben, "ben", scope="admin")
    assert {row.person for row in hub.list_tokens(hub_database.ben)} == {"ben"}


def test_a_token_that_is_revoked_takes_along_what_was_made_with_it(
    hub_database: HubDatabase,
):
    first = hub.make_token(hub_database.ben, "ben", scope="review")
    by_first = asks_with(hub_database.ben, first.token)
    second = hub.make_token(by_first, "ben", scope="sync")
    browser = hub.open_session(by_first)
    hub.end_token(hub_database.ben, first.id)
    for token in (first.token, second.token, browser):
        with pytest.raises(TokenRefused):
            hub.member(asks_with(hub_database.ben, token))
    assert hub.member(hub_database.ben).name == "ben"


def test_a_token_for_less_takes_rights_away(hub_database: HubDatabase):
    made = hub.make_token(hub_database.ada, "ada", scope="sync")
    ada = asks_with(hub_database.ada, made.token)
    assert not hub.member(ada).may("review", "acme/harbor")
    assert hub.member(ada).may("contribute", "acme/harbor")
    with pytest.raises(Refused):
        hub.add_member(ada, "finn")
    with pytest.raises(Refused, match="makes no others"):
        hub.make_token(ada, "ada", scope="read")


def test_logging_out_ends_the_session_only(hub_database: HubDatabase):
    browser = asks_with(hub_database.dee, hub.open_session(hub_database.dee))
    assert hub.member(browser).name == "dee"
    hub.close_session(browser)
    with pytest.raises(TokenRefused):
        hub.member(browser)
    assert hub.member(hub_database.dee).name == "dee"


def test_the_last_admin_stays(hub_database: HubDatabase):
    with pytest.raises(Refused, match="only admin"):
        hub.remove_member(hub_database.ada, "ada")
    hub.make_admin(hub_database.ada, "ben", is_admin=True)
    hub.remove_member(hub_database.ada, "ada")


def test_the_owner_of_the_database_does_the_same_and_is_written_down(
    hub_database: HubDatabase,
):
    hub.add_member(hub_database.owner, "finn")
    newest = hub.read_audit(hub_database.owner)[0]
    assert newest.by.startswith("database role ")
    assert newest.what == "people added"


@pytest.mark.parametrize("name", ["", "a:b", "harvest", "a/b", "x" * 61, "a\nb"])
def test_names_that_would_mislead_are_refused(hub_database: HubDatabase, name: str):
    with pytest.raises(UsageError):
        hub.add_member(hub_database.ada, name)


def test_what_is_there_already_is_said(hub_database: HubDatabase):
    with pytest.raises(Conflict):
        hub.add_member(hub_database.ada, "ben")
    with pytest.raises(Conflict):
        hub.make_team(hub_database.ada, "ben")
    with pytest.raises(UsageError, match="would work"):
        hub.give_right(hub_database.ada, "ben", "a*b", "read")
