"""What only a ledger in a file goes through: killed writers, damage, older and newer layouts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from afterglow.errors import StoreError
from afterglow.records.delivery import Given, Reported
from afterglow.store.ledger import Ledger
from afterglow.store.ledger_schema import MIGRATIONS
from store.ledger_writers import delivery, start


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "ledger.db"


def test_words_are_kept_once_however_often_they_are_given_out(path):
    with Ledger(path) as ledger:
        for number in range(50):
            ledger.add(delivery(f"ag-{number}"))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM said").fetchone() == (2,)


def test_killed_writers_leave_a_sound_ledger_with_all_they_committed(path):
    said: set[str] = set()
    for round in range(6):
        writer = start(path, f"r{round}", 0)
        told = [writer.stdout.readline() for _ in range(3 + 5 * round)]
        writer.kill()
        told += writer.stdout.readlines()
        writer.wait()
        writer.stdout.close()
        said.update(line.strip() for line in told if line.endswith("\n"))
        with Ledger(path) as ledger:
            deliveries = ledger.deliveries()
        assert said <= {one.id for one in deliveries}
        judged = [one for one in deliveries if one.state == "delivered"]
        assert all(one.followed and one.followed.solved for one in judged)
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(said) > 50


def test_a_writer_does_not_wait_for_ever(path):
    with (
        Ledger(path) as busy,
        Ledger(path, patience=0.01) as other,
        closing(sqlite3.connect(path)) as db,
    ):
        db.isolation_level = None
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            other.add(delivery())
        db.execute("ROLLBACK")
        assert busy.deliveries() == []


def test_a_newer_layout_is_refused_and_not_touched(path):
    with Ledger(
        path, (*MIGRATIONS, lambda db: db.execute("CREATE TABLE colours (n INTEGER)"))
    ):
        pass
    before = path.read_bytes()
    newest = len(MIGRATIONS)
    told = rf"newer afterglow \(layout {newest + 1}, this one knows {newest}\); upgrade"
    with pytest.raises(StoreError, match=told):
        Ledger(path)
    assert path.read_bytes() == before


def test_an_older_layout_is_brought_up_to_date_after_a_backup(path):
    with Ledger(path) as ledger:
        ledger.add(delivery())
    now = (*MIGRATIONS, lambda db: db.execute("CREATE TABLE colours (n INTEGER)"))
    with Ledger(path, now) as ledger:
        assert ledger.deliveries() == [delivery()]
    assert len(list(path.parent.glob("ledger.db.backup-*"))) == 1


def write_as_of_layout(path: Path, layout: int) -> None:
    """A ledger as an afterglow wrote it that knew the first `layout` migrations, with the delivery `ag-1` in it."""
    with Ledger(path, MIGRATIONS[:layout]):
        pass
    items = '[["k1",0.8,true,null,null,null,"m1"]]'
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO deliveries (id, time, repo, agent, task, budget, tokens, state, session, items) "
            "VALUES ('ag-1', 100.0, 'harbor', 'codex', '', 2000, 140, 'delivered', 's1', ?)",
            [items],
        )
        db.execute("INSERT INTO said VALUES ('m1', '[\"\", \"`make dock`\", []]')")


@pytest.mark.parametrize("layout", range(1, len(MIGRATIONS)))
def test_a_ledger_of_every_older_layout_keeps_its_deliveries_and_takes_what_is_new(
    path, layout
):
    write_as_of_layout(path, layout)
    with Ledger(path) as ledger:
        (before,) = ledger.deliveries()
        assert (before.state, before.when) == ("delivered", "start")
        assert before.items == (Given("k1", 0.8, used=True, remedy="`make dock`"),)
        report = Reported(delivery="ag-1", outcome="success", time=5.0)
        assert ledger.report(report) is True
        ledger.add(delivery("ag-2", when="failure"))
        assert [each.when for each in ledger.deliveries()] == ["start", "failure"]
    backups = list(path.parent.glob(f"ledger.db.backup-*-layout{layout}"))
    assert len(backups) == 1


@pytest.mark.parametrize("damage", [b"", b"these are not the pages you look for" * 300])
def test_a_file_that_is_no_ledger_is_refused_and_not_touched(path, damage):
    path.parent.mkdir()
    path.write_bytes(damage)
    with pytest.raises(StoreError, match="damaged"):
        Ledger(path)
    assert path.read_bytes() == damage


def test_a_ledger_that_is_gone_is_not_mixed_with_what_is_left_of_it(path):
    path.parent.mkdir()
    Path(f"{path}-wal").write_bytes(b"left over")
    with pytest.raises(StoreError, match=r"ledger\.db-wal is still there"):
        Ledger(path)
    assert not path.exists()
