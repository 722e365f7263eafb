"""What a hub answers machines: who they are, and what the team knows, page by page, within their rights."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from afterglow.errors import Refused
from afterglow.flows.hub import greet_machine, team_page
from afterglow.records.contributions import person_mark
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_erasing import erase_items
from hub_database import HubDatabase
from keeping import NOW, item

pytestmark = pytest.mark.slow


def harbor(number: int, **fields):
    return item(number, repo="acme/harbor", status="retired", decided=True, **fields)


def quay(number: int, **fields):
    return item(number, repo="acme/quay", status="retired", decided=True, **fields)


def keep(hub: HubDatabase, *items) -> None:
    """As the merger keeps them. What has been decided goes to machines, whatever its status."""
    with Knowledge(hub.merge) as knowledge:
        knowledge.save(items, by="harvest", now=NOW)


def ids(page):
    return [msgspec.json.decode(body)["id"] for body in page.items]


def test_a_machine_is_told_who_it_speaks_for(hub_database: HubDatabase):
    member = greet_machine(hub_database.ben)
    assert (member.person, member.org) == ("ben", "acme")
    assert ("acme/harbor", "review") in member.rights
    person = hub_database.people["ben"]
    assert member.author == person_mark(hub_database.orgs["acme"], person)
    assert member.hub == greet_machine(hub_database.ada).hub
    assert member.hub != greet_machine(hub_database.eve).hub


def test_a_token_that_is_nobodys_is_refused(hub_database: HubDatabase):
    with pytest.raises(Refused):
        greet_machine(replace(hub_database.app, token="agl_nobody"))


def test_pages_go_through_everything_once_in_the_order_of_changes(
    hub_database: HubDatabase,
):
    keep(hub_database, harbor(3), harbor(1), harbor(2))
    keep(hub_database, harbor(5), harbor(4))
    seen, after, last = [], 0, ""
    while True:
        page = team_page(hub_database.ada, after, last, limit=2)
        seen += ids(page)
        after, last = page.change, page.last
        if not page.more:
            break
    assert seen == [f"k000000{number}" for number in (1, 2, 3, 4, 5)]
    assert not team_page(hub_database.ada, after, last).items
    keep(hub_database, harbor(2, confidence=0.1))
    assert ids(team_page(hub_database.ada, after, last)) == ["k0000002"]


def test_a_member_gets_the_repositories_they_may_read(hub_database: HubDatabase):
    keep(hub_database, harbor(1), quay(2))
    assert ids(team_page(hub_database.ben, 0)) == ["k0000001"]
    assert ids(team_page(hub_database.dee, 0)) == ["k0000002"]
    assert ids(team_page(hub_database.eve, 0)) == []


def test_what_is_taken_out_is_told_to_who_could_read_it(hub_database: HubDatabase):
    keep(hub_database, harbor(1), quay(2))
    after = team_page(hub_database.ada, 0).change
    with Knowledge(hub_database.merge) as knowledge:
        erase_items(knowledge, ["k0000001"])
    assert team_page(hub_database.ben, after).gone_ids == ("k0000001",)
    assert team_page(hub_database.dee, after).gone_ids == ()
    keep(hub_database, harbor(1))
    page = team_page(hub_database.ben, after)
    assert (page.gone_ids, ids(page)) == ((), ["k0000001"])


def test_what_moves_out_of_sight_is_gone_for_who_saw_it(hub_database: HubDatabase):
    keep(hub_database, harbor(1))
    after = team_page(hub_database.ben, 0).change
    keep(hub_database, quay(1))
    assert team_page(hub_database.ben, after).gone_ids == ("k0000001",)
    assert ids(team_page(hub_database.dee, 0)) == ["k0000001"]


def test_what_waits_for_a_second_person_is_given_to_nobody(hub_database: HubDatabase):
    waiting = item(1, repo="acme/harbor", status="candidate")
    keep(hub_database, waiting)
    assert ids(team_page(hub_database.ben, 0)) == []
    keep(hub_database, harbor(1))
    after = team_page(hub_database.ben, 0).change
    keep(hub_database, waiting)
    assert team_page(hub_database.ben, after).gone_ids == ("k0000001",)


def test_other_rights_are_another_view(hub_database: HubDatabase):
    views = {team_page(place, 0).view for place in hub_database.members.values()}
    assert len(views) == len(hub_database.members)
