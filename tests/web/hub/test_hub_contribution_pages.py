"""What members contribute, as they and admins see it; taking it back; who was helped by it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from afterglow.config import Config
from afterglow.flows.hub import take_in
from afterglow.records.contributions import Contribution
from afterglow.records.delivery import Verdict
from flows.hub.book_keeping import contributions, give, run_study, send
from hub_database import HubDatabase, token_of
from web.desk import words_of
from web.hub.members import HARBOR, HubSite

pytestmark = pytest.mark.slow


@pytest.fixture
def team(site: HubSite) -> HubSite:
    """Two machines of cyd have sent a session each."""
    for machine in ("laptop", "tower"):
        row = Contribution(
            "session", f"s-{machine}", HARBOR, 1, body=msgspec.Raw(b"[]")
        )
        config = site.hub.config(token_of("cyd"), "cyd")
        assert take_in(config, machine, [row]).accepted == 1
    return site


def test_a_member_sees_what_their_machines_sent(team: HubSite):
    page = words_of(team.member("cyd").get("/contributions"))
    assert "laptop acme/harbor what a session taught 1" in page
    assert "tower acme/harbor what a session taught 1" in page
    assert "Last sent" not in page


def test_nobody_sees_anothers_and_an_admin_sees_how_much(team: HubSite):
    page = team.member("ben").get("/contributions")
    assert "laptop" not in page
    assert "Nothing of yours is here" in page
    admin = words_of(team.member("ada").get("/contributions"))
    assert "cyd laptop 1" in admin
    assert "s-laptop" not in admin
    assert "cyd tower 1" in words_of(team.member("ada").get("/"))


def test_what_one_machine_sent_is_taken_back(team: HubSite):
    cyd = team.member("cyd")
    answer = cyd.post("/contributions/withdraw", {"machine": "laptop"}, status=400)
    assert "say that you are sure" in answer
    page = cyd.post("/contributions/withdraw", {"machine": "laptop", "sure": "on"})
    assert "1 contribution was taken back" in page
    assert "laptop acme/harbor" not in words_of(page)
    assert "tower acme/harbor" in words_of(page)


def test_everything_is_taken_back_and_nothing_of_others(team: HubSite):
    config = team.hub.config(token_of("ben"), "ben")
    row = Contribution("session", "s-ben", HARBOR, 1, body=msgspec.Raw(b"[]"))
    take_in(config, "bens", [row])
    cyd = team.member("cyd")
    page = cyd.post("/contributions/withdraw", {"machine": "*", "sure": "on"})
    assert "2 contributions were taken back" in page
    assert "bens acme/harbor" in words_of(team.member("ben").get("/contributions"))


def test_who_was_helped_is_empty_until_machines_say_so(team: HubSite):
    page = team.member("ben").get("/helped")
    assert "No machine has said yet" in page
    assert "is not a day" in team.member("ben").get("/helped?since=soon", status=400)


@pytest.fixture
def books(site: HubSite, hub_database: HubDatabase, tmp_path: Path) -> HubSite:
    """A machine of cyd gave its sessions something, and ran a study."""
    machine = Config(home=tmp_path / "cyd", user_home=tmp_path)
    give(
        machine, "ag-0", Verdict("k1", used=True, met=True, mattered=True, failed=False)
    )
    run_study(machine, [f"s{number}" for number in range(8)])
    assert send(hub_database.cyd, machine, contributions(machine), "cyd") == []
    return site


def test_who_was_helped_by_what_is_told_to_who_may_read_it(books: HubSite):
    page = words_of(books.member("ben").get("/helped"))
    assert "Given 2 times" in page
    assert "used and held in 1 of 1" in page
    assert "cyd 2 1 0 0" in page
    assert "k1, which only its machine has" in page
    assert "No machine has said yet" in books.member("dee").get("/helped")
    assert "No machine has said yet" in books.member("ben").get("/helped?person=ben")


def test_an_experiment_of_machines_is_looked_at_and_not_steered(books: HubSite):
    ben = books.member("ben")
    listed = ben.get("/experiments")
    (path,) = set(re.findall(r'href="(/experiments/study[^"]*)"', listed))
    ben.get(path)
    ben.wait_for_work()
    page = ben.get(path)
    assert "How far it is" in page
    assert f"{path}/start" not in page
    assert "Record what ended" not in page
    assert "/sessions/" not in page
    books.member("dee").get(path, status=404)
