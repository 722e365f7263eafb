"""To whom one item was given: quickly, also in ledgers of before that was noted."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from afterglow.records.delivery import Delivery, Given
from afterglow.store.ledger import Ledger
from afterglow.store.ledger_pages import LedgerPages
from afterglow.store.ledger_schema import MIGRATIONS, add_item_links
from afterglow.store.open_store import Place
from store.stores_of_both_kinds import BOTH, place_of_kind


@pytest.fixture
def path(tmp_path):
    return filled(tmp_path / "ledger.db")


@pytest.fixture(params=BOTH)
def place(request, tmp_path):
    return filled(place_of_kind(request.param, request, tmp_path / "ledger.db", ()))


def filled(place: Place) -> Place:
    with Ledger(place) as ledger:
        ledger.add(delivery("ag-1", 2.0, "k1", "k2", session="s1"))
        ledger.add(delivery("ag-2", 1.0, "k1", session="s2"))
        ledger.add(delivery("ag-1@compaction", 3.0, "k1", when="compaction"))
        ledger.add(delivery("ag-3", 4.0, "k1", placebo=True))
    return place


def delivery(id: str, time: float, *items: str, **more) -> Delivery:
    given = tuple(Given(item, 0.8) for item in items)
    return Delivery(id=id, time=time, items=given, **more)


def ids(place: Place, item: str) -> list[str]:
    with LedgerPages(place) as ledger:
        return [each.id for each in ledger.of_item(item)]


def test_deliveries_of_an_item_come_in_time_order_without_placebos(place):
    assert ids(place, "k1") == ["ag-2", "ag-1", "ag-1@compaction"]
    assert ids(place, "k2") == ["ag-1"]
    assert ids(place, "k") == []


def test_what_was_said_again_counts_once(place):
    with LedgerPages(place) as ledger:
        assert ledger.times_told(["k1", "k2", "k9"]) == {"k1": 2, "k2": 1}
        assert ledger.times_told([]) == {}


def test_what_a_forgotten_session_was_given_is_forgotten_here_too(place):
    with Ledger(place) as ledger:
        ledger.forget_sessions(["s1"], [])
        links = "SELECT * FROM delivered_items WHERE delivery = 'ag-1'"
        assert ledger._db.execute(links).fetchall() == []
    assert ids(place, "k2") == []


def test_a_ledger_of_before_knows_the_items_of_its_deliveries(path):
    with closing(sqlite3.connect(path)) as db:
        for trigger in ("item_links_come", "item_links_go"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("DROP INDEX deliveries_agent")
        db.execute("DROP TABLE delivered_items")
        db.execute(f"PRAGMA user_version = {MIGRATIONS.index(add_item_links)}")
    assert ids(path, "k2") == ["ag-1"]
