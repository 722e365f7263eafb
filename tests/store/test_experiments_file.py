"""What only experiments in a file go through: killed writers, damage, full disks, older and newer layouts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from afterglow.errors import StoreError
from afterglow.experiment.assign import arm_of
from afterglow.experiment.plan import plan_hash
from afterglow.records.experiment import Trial
from afterglow.store.experiments import MIGRATIONS, Experiments
from store.experiment_writers import PAIRED, STUDY, start, trial, wanted


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "experiments.db"


@pytest.fixture
def kept(path):
    with Experiments(path) as kept:
        kept.add_plan(STUDY, plan_hash(STUDY))
        kept.add_plan(PAIRED, plan_hash(PAIRED))
        yield kept


def test_a_full_disk_is_told_and_nothing_is_half_recorded(path, kept):
    kept.record(trial(), kept=9.0)
    with closing(sqlite3.connect(path)) as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    with Experiments(path) as full:
        full._db.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreError, match="free some space"):
            full.record(
                [trial(f"t{number}", before={"x" * 500: 1.0}) for number in range(100)],
                kept=10.0,
            )
        assert full.trials("study") == [trial()]


def test_a_plan_of_a_newer_program_is_told(path, kept):
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            """INSERT INTO plans VALUES ('odd', 1, 'hash', '{"name": "odd", "unit": "week"}')"""
        )
        db.commit()
    with pytest.raises(StoreError, match="newer afterglow may have written it"):
        kept.plan("odd")


@pytest.mark.parametrize(
    "table", ["plans", "assignments", "assigned_deliveries", "trials"]
)
def test_the_file_itself_refuses_to_forget_or_change(path, kept, table):
    kept.assign(wanted(), arm_of)
    kept.delivered("study", "s1", "ag-1")
    kept.record(trial(), kept=9.0)
    with closing(sqlite3.connect(path)) as db:
        column = [row[1] for row in db.execute(f"PRAGMA table_info({table})")][-1]
        for command in (f"DELETE FROM {table}", f"UPDATE {table} SET {column} = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added to"):
                db.execute(command)


def test_killed_writers_leave_a_sound_store_with_all_they_committed(path, kept):
    said: set[str] = set()
    for number in range(3):
        writer = start(path, f"k{number}-", 0)
        said |= {writer.stdout.readline().strip() for _ in range(4)}
        writer.kill()
        said |= set(writer.communicate()[0].split())
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert said <= {one.unit for one in kept.trials("study")}
    assert {one.unit for one in kept.trials("study")} <= {
        one.unit for one in kept.assignments("study")
    }


def test_a_newer_layout_is_left_alone(path, kept):
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match="newer afterglow"):
        Experiments(path)


def test_an_older_layout_is_backed_up_and_brought_up_to_date(path, kept):
    def add_colour(db):
        db.execute("ALTER TABLE trials ADD COLUMN colour TEXT")

    kept.record(trial(), kept=9.0)
    with Experiments(path, (*MIGRATIONS, add_colour)) as newer:
        assert newer.trials("study") == [trial()]
    assert len(list(path.parent.glob("experiments.db.backup-*"))) == 1


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough" * 9, b""]
)
def test_a_file_that_is_something_else_is_left_alone(tmp_path, content):
    path = tmp_path / "experiments.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="move it away"):
        Experiments(path)
    assert path.read_bytes() == content


def test_a_log_without_its_database_is_not_written_over(tmp_path):
    Path(tmp_path / "experiments.db-wal").write_bytes(b"x")
    with pytest.raises(StoreError, match="put it back"):
        Experiments(tmp_path / "experiments.db")


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="AFTERGLOW_HOME"):
        Experiments(tmp_path / "file" / "experiments.db")


def test_a_busy_store_is_given_up_after_a_while(path, kept):
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as db,
        Experiments(path, patience=0.01) as hasty,
    ):
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="try again"):
            hasty.assign(wanted(), arm_of)
        assert hasty.plan("study") == STUDY


def test_a_damaged_record_flew_out_as_a_foreign_error(tmp_path):
    with Experiments(tmp_path / "experiments.db") as kept:
        kept.add_plan(STUDY, plan_hash(STUDY))
        kept.record(
            Trial(experiment="study", unit="u1", arm="cold", time=1.0, outcomes={}),
            kept=2.0,
        )
    with closing(sqlite3.connect(tmp_path / "experiments.db")) as db:
        db.execute("DROP TRIGGER trials_update")
        db.execute("UPDATE trials SET trial = '{}'")
        db.commit()
    with (
        Experiments(tmp_path / "experiments.db") as kept,
        pytest.raises(StoreError, match="a record cannot be read"),
    ):
        kept.trials("study")
