"""Experiments are only ever added to: through crashes, many writers, older and newer layouts, and by hand."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.errors import NotFound, StoreError, UsageError
from afterglow.experiment.assign import arm_of
from afterglow.experiment.plan import plan_hash
from afterglow.records.experiment import Assignment, Plan, Trial
from afterglow.store.experiments import MIGRATIONS, Experiments

STUDY = Plan(
    name="study", arms=("cold", "warm"), allocation=(0.5, 0.5), outcomes=("success",), created=1.0, salt="pepper",
)  # fmt: skip
PAIRED = replace(STUDY, name="paired", unit="task", design="paired", strata=("task",))

WRITER = """
import sys
from itertools import count
from pathlib import Path
from afterglow.experiment.assign import arm_of
from afterglow.records.experiment import Assignment, Trial
from afterglow.store.experiments import Experiments
path, name, most = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(most) if most else count():
    with Experiments(path) as kept:
        unit = f"{name}{number}"
        for one in (unit, f"shared{number}"):
            wanted = Assignment(experiment="study", unit=one, arm="", time=1.0, stratum="harbor")
            (given,) = kept.assign(wanted, arm_of)
        kept.record(Trial(experiment="study", unit=unit, arm=given.arm, time=1.0, outcomes={"success": 1.0}), kept=1.0)
    print(unit, flush=True)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "experiments.db"


@pytest.fixture
def kept(path):
    with Experiments(path) as kept:
        kept.add_plan(STUDY, plan_hash(STUDY))
        kept.add_plan(PAIRED, plan_hash(PAIRED))
        yield kept


def wanted(
    unit: str = "s1", stratum: str = "harbor", experiment: str = "study"
) -> Assignment:
    return Assignment(
        experiment=experiment, unit=unit, arm="", time=5.0, stratum=stratum
    )


def trial(
    unit: str = "s1", arm: str = "warm", success: float | None = 1.0, **more
) -> Trial:
    fields = {
        "experiment": "study",
        "time": 9.0,
        "before": {"size": 2.5},
        "cluster": "harbor",
    }
    return Trial(
        unit=unit, arm=arm, outcomes={"success": success}, **{**fields, **more}
    )


def start(path: Path, name: str, most: int) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path, name, str(most)], stdout=subprocess.PIPE, text=True
    )  # fmt: skip


def test_a_plan_is_read_back_whole_with_its_hash(path, kept):
    with Experiments(path) as again:
        assert again.plan("study") == STUDY
        assert again.kept_plan("study") == (STUDY, plan_hash(STUDY))
        assert again.plans() == [PAIRED, STUDY]


def test_an_unknown_experiment_is_answered_with_the_known_ones(path, kept):
    with pytest.raises(NotFound, match="paired, study"):
        kept.plan("stduy")
    with pytest.raises(NotFound, match="version 3 of 'study'"):
        kept.plan("study", 3)
    with (
        Experiments(path.with_name("empty.db")) as empty,
        pytest.raises(NotFound, match="there is none yet"),
    ):
        empty.plan("study")


def test_a_plan_has_versions_while_there_is_no_data(kept):
    second = replace(STUDY, version=2, outcomes=("tokens",))
    kept.add_plan(second, plan_hash(second))
    assert kept.plan("study") == second
    assert kept.plan("study", 1) == STUDY
    with pytest.raises(UsageError, match="version 2 by now"):
        kept.add_plan(replace(second, alpha=0.1), "another")


@pytest.mark.parametrize("data", ["assignment", "record"])
def test_a_plan_is_not_changed_once_there_is_data(kept, data):
    if data == "assignment":
        kept.assign(wanted(), arm_of)
    else:
        kept.record(trial(), kept=9.0)
    with pytest.raises(UsageError, match="under another name"):
        kept.add_plan(replace(STUDY, version=2), "hash")
    assert kept.plan("study") == STUDY


def test_a_unit_keeps_its_arm(kept):
    (first,) = kept.assign(wanted(), arm_of)
    kept.assign(wanted("s2"), arm_of)
    assert kept.assign(replace(wanted(), time=99.0, stratum="quay"), arm_of) == (first,)
    assert first == replace(wanted(), arm=first.arm)
    assert kept.assignment("study", "s1") == first
    assert kept.assignment("study", "s9") is None
    assert [one.unit for one in kept.assignments("study")] == ["s1", "s2"]


def test_only_the_stratum_is_asked_about(kept):
    kept.assign(wanted("s1", "quay"), arm_of)
    kept.assign(wanted("s2"), arm_of)
    asked = []
    kept.assign(
        wanted("s3"),
        lambda plan, unit, stratum, before: (
            asked.append((unit, stratum, len(before))) or "cold"
        ),
    )
    assert asked == [("s3", "harbor", 1)]


def test_a_paired_task_gets_every_arm_at_once_and_the_same_order_again(kept):
    given = kept.assign(wanted("t1", "t1", "paired"), arm_of)
    assert sorted(one.arm for one in given) == ["cold", "warm"]
    assert kept.assign(wanted("t1", "t1", "paired"), arm_of) == given
    assert tuple(kept.assignments("paired")) == given


def test_nothing_is_assigned_where_choosing_fails(kept):
    def choose(*_):
        raise UsageError("no")

    with pytest.raises(UsageError):
        kept.assign(wanted(), choose)
    assert kept.assignments("study") == []


def test_a_delivery_may_become_known_later_and_the_first_stays(kept):
    kept.assign(wanted(), arm_of)
    kept.delivered("study", "s1", "ag-1")
    kept.delivered("study", "s1", "ag-2")
    assert kept.assignments("study")[0].delivery == "ag-1"
    with pytest.raises(NotFound):
        kept.delivered("study", "s9", "ag-1")


def test_records_are_read_back_whole_and_unknown_stays_unknown(kept):
    kept.record([trial(), trial("s2", "cold", None, excluded="no calls")], kept=9.0)
    assert kept.trials("study") == [
        trial(),
        trial("s2", "cold", None, excluded="no calls"),
    ]


def test_a_second_record_of_a_unit_is_refused_and_nothing_of_it_is_kept(kept):
    kept.record(trial(), kept=9.0)
    with pytest.raises(UsageError, match="s1 has a record in warm already"):
        kept.record([trial("s2"), trial("s1", "cold")], kept=10.0)
    assert kept.trials("study") == [trial()]


def test_known_units_are_skipped_where_asked(kept):
    kept.record(trial(), kept=9.0)
    assert (
        kept.record([trial(success=0.0), trial("s2")], kept=10.0, skip_known=True) == 1
    )
    assert kept.trials("study") == [trial(), trial("s2")]


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


def test_a_correction_is_a_new_record_and_the_old_one_stays_in_view(kept):
    kept.record([trial(), trial("s2", "cold")], kept=9.0)
    kept.record(trial(success=0.0), kept=10.0, why="the test had not run")
    kept.record(trial("s1", "cold", 0.0), kept=11.0, why="it ran cold")
    assert kept.trials("study") == [trial("s2", "cold"), trial("s1", "cold", 0.0)]
    assert [(one.n, one.replaces, one.why) for one in kept.records("study")] == [
        (1, None, ""),
        (2, None, ""),
        (3, 1, "the test had not run"),
        (4, 3, "it ran cold"),
    ]
    with pytest.raises(UsageError, match="no record to correct"):
        kept.record(trial("s3"), kept=12.0, why="a slip")


def test_a_paired_task_has_a_record_in_each_arm(kept):
    for arm in ("warm", "cold"):
        kept.record(trial("t1", arm, experiment="paired"), kept=9.0)
    with pytest.raises(UsageError, match="t1 has a record in cold"):
        kept.record(trial("t1", "cold", experiment="paired"), kept=9.0)


@pytest.mark.parametrize("table", ["plans", "assignments", "deliveries", "trials"])
def test_the_file_itself_refuses_to_forget_or_change(path, kept, table):
    kept.assign(wanted(), arm_of)
    kept.delivered("study", "s1", "ag-1")
    kept.record(trial(), kept=9.0)
    with closing(sqlite3.connect(path)) as db:
        column = [row[1] for row in db.execute(f"PRAGMA table_info({table})")][-1]
        for command in (f"DELETE FROM {table}", f"UPDATE {table} SET {column} = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added to"):
                db.execute(command)


def test_a_name_that_is_no_text_does_not_stop_an_assignment(kept):
    (given,) = kept.assign(wanted("s\udcff1", "har\0bor"), arm_of)
    assert kept.assign(wanted("s\udcff1", "har\0bor"), arm_of) == (given,)


def test_processes_that_assign_at_once_break_no_block_and_assign_no_unit_twice(
    path, kept
):
    writers = [start(path, f"w{number}-", 12) for number in range(4)]
    assert [writer.communicate() and writer.returncode for writer in writers] == [0] * 4
    given = kept.assignments("study")
    assert len(given) == len({one.unit for one in given}) == 4 * 12 + 12
    assert all(
        Counter(one.arm for one in given[at : at + 4]) == {"cold": 2, "warm": 2}
        for at in range(0, len(given), 4)
    )
    assert len(kept.trials("study")) == 48


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
