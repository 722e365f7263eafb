"""One item, with all there is to say about it."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.knowledge import approve, item_page
from afterglow.records.delivery import Delivery, Given, Verdict
from afterglow.store.ledger import Ledger
from keeping import NOW, item, keep


@pytest.fixture
def config(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    keep(
        config,
        item(1, topics=("problem:aa11", "pier|1"), fingerprints=("no pier",)),
        item(2, fingerprints=("no pier",), status="candidate", reason="seen once"),
        item(3, status="superseded", superseded_by="k0000004"),
        item(4, status="superseded", superseded_by="k0000005"),
        item(5, related=("k0000001",)),
    )
    return config


def give(config, number: int, *, when: float = NOW, **verdict):
    given = (Given("k0000001", 0.8), Given("k0000005", 0.8))
    delivery = Delivery(id=f"ag-{number}", time=when, items=given, session=f"s{number}")
    with Ledger(config.ledger) as ledger:
        ledger.add(delivery)
        if verdict:
            verdicts = [Verdict("k0000001", **verdict)]
            ledger.judge(delivery.id, f"s{number}", verdicts, started=when)


@pytest.mark.parametrize(
    ("verdict", "became"),
    [
        ({"used": True, "met": True}, "used"),
        ({"used": True, "met": True, "failed": True}, "harmful"),
        ({"used": False, "met": True, "failed": True}, "ignored"),
        ({"used": False, "met": False}, "not met"),
        ({"used": None, "met": True}, "cannot tell"),
        ({}, "waiting"),
    ],
)
def test_what_became_of_it_in_a_session(config, verdict, became):
    give(config, 1, **verdict)
    deliveries = item_page(config, "k0000001").deliveries
    assert [each.became for each in deliveries.latest] == [became]
    assert deliveries.counts == {became: 1}


def test_the_latest_come_first_and_the_rate_counts_what_can_be_told(config):
    give(config, 1, when=NOW - 5, used=True)
    give(config, 2, when=NOW, used=False, met=True)
    give(config, 3, when=NOW - 9, used=None)
    deliveries = item_page(config, "k0000001").deliveries
    assert [each.delivery.session for each in deliveries.latest] == ["s2", "s1", "s3"]
    assert (deliveries.total, deliveries.judged) == (3, 2)


def test_what_was_given_to_others_is_not_counted(config):
    give(config, 1, used=True)
    assert item_page(config, "k0000002").deliveries.total == 0


def test_the_chain_goes_from_the_oldest_to_what_holds(config):
    for id in ("k0000003", "k0000004", "k0000005"):
        chain = item_page(config, id).chain
        assert [link.id for link in chain] == ["k0000003", "k0000004", "k0000005"]


def test_related_are_those_it_names_and_those_about_the_same_error(config):
    assert [each.id for each in item_page(config, "k0000001").related] == ["k0000002"]
    assert [each.id for each in item_page(config, "k0000005").related] == ["k0000001"]


def test_it_leads_to_its_problem(config):
    assert item_page(config, "k0000001").problems == ("aa11",)


def test_it_says_why_no_session_is_told(config):
    assert item_page(config, "k0000001", now=NOW).untold == ""
    assert "seen once" in item_page(config, "k0000002", now=NOW).untold
    assert item_page(config, "k0000003", now=NOW).untold == "replaced by k0000004"


def test_the_history_names_who_decided(config):
    approve(config, ["k0000002"], now=NOW)
    assert item_page(config, "k0000002").history[-1].by == "person"
