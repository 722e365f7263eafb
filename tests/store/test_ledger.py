"""The ledger keeps deliveries and verdicts: through crashes, many writers, older and newer layouts."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.errors import NotFound, StoreError
from afterglow.records.delivery import (
    Delivery,
    Followed,
    Given,
    Reported,
    UnredactedView,
    Verdict,
)
from afterglow.store.ledger import Ledger
from afterglow.store.ledger_schema import MIGRATIONS

WRITER = """
import sys
from itertools import count
from pathlib import Path
from afterglow.records.delivery import Delivery, Followed, Given, Reported, Verdict
from afterglow.store.ledger import Ledger
path, name, most = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(most) if most else count():
    with Ledger(path) as ledger:
        id = f"ag-{name}-{number}"
        given = Given("k1", 0.8, remedy=f"`make {number}`")
        ledger.add(Delivery(id=id, time=1.0, when="failure", items=(given,)))
        after = Followed(problem="line no pier", solved=True, calls=number)
        ledger.judge(id, f"s{number}", [Verdict("k1", True)], started=1.0, followed=after)
    print(id, flush=True)
"""


def delivery(id: str = "ag-1", time: float = 100.0, **more) -> Delivery:
    given = (
        Given(
            "k1",
            0.8,
            situation="`make` fails",
            remedy="`make dock`",
            fingerprints=("no pier <n>", "no quay"),
        ),
        Given("k2", 0.9, remedy="speak plainly: é 漢"),
    )
    fields = {
        "repo": "harbor",
        "agent": "codex",
        "task": "ab12",
        "budget": 2000,
        "tokens": 140,
        "items": given,
    }
    return Delivery(id=id, time=time, **{**fields, **more})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "ledger.db"


def start(path: Path, name: str, most: int) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path, name, str(most)], stdout=subprocess.PIPE, text=True
    )  # fmt: skip


def test_what_is_added_is_read_back_whole(path):
    with Ledger(path) as ledger:
        assert ledger.add(delivery()) is True
    with Ledger(path) as ledger:
        assert ledger.deliveries() == [delivery()]
        assert ledger.open_deliveries() == [delivery()]


def test_a_delivery_that_is_kept_already_stays_as_it_is(path):
    with Ledger(path) as ledger:
        ledger.add(delivery())
        assert ledger.add(delivery(tokens=1)) is False
        assert ledger.deliveries() == [delivery()]


def test_deliveries_come_in_time_order_and_by_repo(path):
    with Ledger(path) as ledger:
        for one in (
            delivery("ag-3", 300.0),
            delivery("ag-1", 100.0),
            delivery("ag-2", 200.0, repo="quay"),
        ):
            ledger.add(one)
        assert [one.id for one in ledger.deliveries()] == ["ag-1", "ag-2", "ag-3"]
        assert [one.id for one in ledger.deliveries(since=200.0)] == ["ag-2", "ag-3"]
        assert [one.id for one in ledger.deliveries(since=200.0, repo="harbor")] == [
            "ag-3"
        ]


def test_a_verdict_is_kept_with_its_session_and_leaves_unjudged_items_unknown(path):
    with Ledger(path) as ledger:
        ledger.add(delivery())
        assert ledger.judge(
            "ag-1", "s1", [Verdict("k1", True, True, True, False)], started=90.0, turn=2
        )
        (one,) = ledger.deliveries()
        assert (one.state, one.session, one.started, one.turn) == (
            "delivered",
            "s1",
            90.0,
            2,
        )
        first, second = one.items
        assert first == replace(
            delivery().items[0], used=True, met=True, mattered=True, failed=False
        )
        assert second == delivery().items[1]
        assert ledger.open_deliveries() == []


def test_the_first_session_to_start_proves_a_delivery_and_may_be_judged_again(path):
    with Ledger(path) as ledger:
        ledger.add(delivery())
        assert ledger.judge("ag-1", "fork", [Verdict("k1", False)], started=95.0)
        assert ledger.judge("ag-1", "first", [Verdict("k1", True)], started=90.0)
        assert not ledger.judge("ag-1", "fork", [Verdict("k1", False)], started=95.0)
        assert not ledger.judge("ag-1", "other", [Verdict("k1", False)])
        assert ledger.judge(
            "ag-1", "first", [Verdict("k1", True, True, False, True)], started=90.0
        )
        (one,) = ledger.deliveries()
        assert (one.session, one.items[0].failed) == ("first", True)


def test_only_what_waits_is_given_up_and_proof_may_still_come(path):
    with Ledger(path) as ledger:
        for one in (
            delivery("ag-1", 100.0),
            delivery("ag-2", 110.0),
            delivery("ag-3", 900.0),
        ):
            ledger.add(one)
        ledger.judge("ag-1", "s1", [], started=100.0)
        assert ledger.give_up(before=500.0) == 1
        assert [one.state for one in ledger.deliveries()] == [
            "delivered",
            "no data",
            "waiting",
        ]
        ledger.judge("ag-2", "s2", [], started=100.0)
        assert [one.state for one in ledger.deliveries()] == [
            "delivered",
            "delivered",
            "waiting",
        ]


def test_a_verdict_on_what_was_never_given_is_refused(path):
    with Ledger(path) as ledger, pytest.raises(NotFound, match="ag-9"):
        ledger.judge("ag-9", "s1", [])


def test_words_are_kept_once_however_often_they_are_given_out(path):
    with Ledger(path) as ledger:
        for number in range(50):
            ledger.add(delivery(f"ag-{number}"))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM said").fetchone() == (2,)


def test_sessions_that_ended_long_ago_are_forgotten(path):
    with Ledger(path) as ledger:
        ledger.look({1: (b"a", 10.0), 2: (b"b", 20.0)}, forget=0.0)
        ledger.look({2: (b"c", 30.0)}, forget=15.0)
        assert ledger.looked() == {2: b"c"}


def test_a_name_that_is_no_text_does_not_stop_a_delivery(path):
    with Ledger(path) as ledger:
        ledger.add(delivery(repo="har\udcffbor"))
        assert len(ledger.deliveries()) == 1


def test_several_processes_writing_at_once_lose_nothing(path):
    writers = [start(path, f"w{number}", 25) for number in range(4)]
    said = [writer.communicate()[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4
    with Ledger(path) as ledger:
        kept = {one.id for one in ledger.deliveries() if one.items[0].used}
    assert kept == {id for ids in said for id in ids}
    assert len(kept) == 100


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


def test_a_hint_keeps_its_moment_its_call_and_the_marks_of_what_it_said(path):
    hint = delivery(
        when="failure", call="toolu_1", words="7-ab12", topics=("t1", "t2"), items=()
    )
    with Ledger(path) as ledger:
        ledger.add(hint)
    with Ledger(path) as ledger:
        assert ledger.deliveries() == [hint]


def test_what_followed_is_kept_with_the_verdict_and_judged_anew_with_it(path):
    first = Followed(problem="line no pier", solved=False, repeated=True, used=False)
    later = Followed(problem="line no pier", solved=True, calls=3, used=True)
    with Ledger(path) as ledger:
        ledger.add(delivery(when="failure"))
        for followed in (first, later):
            ledger.judge("ag-1", "s1", [], started=1.0, followed=followed)
            assert ledger.deliveries()[0].followed == followed


def test_of_two_reports_the_later_one_is_kept(path):
    with Ledger(path) as ledger:
        ledger.add(delivery())
        ledger.report(
            Reported(
                delivery="ag-1",
                outcome="failure",
                time=5.0,
                rating=1,
                note="odd: \ud800",
            )
        )
        assert (
            ledger.report(Reported(delivery="ag-1", outcome="success", time=6.0))
            is False
        )
        assert ledger.reports() == [
            Reported(delivery="ag-1", outcome="success", time=6.0)
        ]
        assert ledger.reports(since=7.0) == []


def test_a_report_about_nothing_that_was_given_out_is_refused(path):
    with Ledger(path) as ledger, pytest.raises(NotFound, match="no delivery 'ag-9'"):
        ledger.report(Reported(delivery="ag-9", outcome="success", time=5.0))


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


def test_lines_shown_as_they_stand_are_noted_until_their_session_is_forgotten(path):
    first = UnredactedView("s1", 10.0, "Ada", 1, 40)
    second = UnredactedView("s2", 20.0, "person", 5, 5)
    with Ledger(path) as ledger:
        ledger.note_view(first)
        ledger.note_view(second)
        assert ledger.views() == [second, first]
        assert ledger.views("s1") == [first]
        ledger.forget_sessions({"s1"}, [])
        assert ledger.views() == [second]
