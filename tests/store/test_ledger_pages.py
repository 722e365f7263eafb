"""To whom one item was given: quickly, also in ledgers of before that was noted."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from afterglow.records.delivery import Delivery, Given
from afterglow.store.ledger import Ledger
from afterglow.store.ledger_pages import LedgerPages
from afterglow.store.ledger_schema import MIGRATIONS, add_item_links


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        ledger.add(delivery("ag-1", 2.0, "k1", "k2", session="s1"))
        ledger.add(delivery("ag-2", 1.0, "k1", session="s2"))
        ledger.add(delivery("ag-1@compaction", 3.0, "k1", when="compaction"))
        ledger.add(delivery("ag-3", 4.0, "k1", placebo=True))
    return path


def delivery(id: str, time: float, *items: str, **more) -> Delivery:
    given = tuple(Given(item, 0.8) for item in items)
    return Delivery(id=id, time=time, items=given, **more)


def ids(path, item: str) -> list[str]:
    with LedgerPages(path) as ledger:
        return [each.id for each in ledger.of_item(item)]


def test_deliveries_of_an_item_come_in_time_order_without_placebos(path):
    assert ids(path, "k1") == ["ag-2", "ag-1", "ag-1@compaction"]
    assert ids(path, "k2") == ["ag-1"]
    assert ids(path, "k") == []


def test_what_was_said_again_counts_once(path):
    with LedgerPages(path) as ledger:
        assert ledger.times_told(["k1", "k2", "k9"]) == {"k1": 2, "k2": 1}
        assert ledger.times_told([]) == {}


def test_what_a_forgotten_session_was_given_is_forgotten_here_too(path):
    with Ledger(path) as ledger:
        ledger.forget_sessions(["s1"], [])
    assert ids(path, "k2") == []
    with closing(sqlite3.connect(path)) as db:
        assert not db.execute(
            "SELECT * FROM delivered_items WHERE delivery = 'ag-1'"
        ).fetchall()


def test_a_ledger_of_before_knows_the_items_of_its_deliveries(path):
    with closing(sqlite3.connect(path)) as db:
        for trigger in ("item_links_come", "item_links_go"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("DROP INDEX deliveries_agent")
        db.execute("DROP TABLE delivered_items")
        db.execute(f"PRAGMA user_version = {MIGRATIONS.index(add_item_links)}")
    assert ids(path, "k2") == ["ag-1"]
