"""The ledger keeps deliveries and verdicts, at home and at a hub alike: also of many writers at once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.errors import NotFound
from afterglow.records.delivery import Followed, Reported, UnredactedView, Verdict
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.ledger import Ledger
from store.ledger_writers import delivery, start
from store.stores_of_both_kinds import BOTH, place_of_kind


@pytest.fixture(params=BOTH)
def place(request, tmp_path):
    repos = ("harbor", "quay", storable_text("har\udcffbor"))
    file = tmp_path / "new" / "ledger.db"
    return place_of_kind(request.param, request, file, repos)


def test_what_is_added_is_read_back_whole(place):
    with Ledger(place) as ledger:
        assert ledger.add(delivery()) is True
    with Ledger(place) as ledger:
        assert ledger.deliveries() == [delivery()]
        assert ledger.open_deliveries() == [delivery()]


def test_a_delivery_that_is_kept_already_stays_as_it_is(place):
    with Ledger(place) as ledger:
        ledger.add(delivery())
        assert ledger.add(delivery(tokens=1)) is False
        assert ledger.deliveries() == [delivery()]


def test_deliveries_come_in_time_order_and_by_repo(place):
    with Ledger(place) as ledger:
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


def test_a_verdict_is_kept_with_its_session_and_leaves_unjudged_items_unknown(place):
    with Ledger(place) as ledger:
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


def test_the_first_session_to_start_proves_a_delivery_and_may_be_judged_again(place):
    with Ledger(place) as ledger:
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


def test_only_what_waits_is_given_up_and_proof_may_still_come(place):
    with Ledger(place) as ledger:
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


def test_a_verdict_on_what_was_never_given_is_refused(place):
    with Ledger(place) as ledger, pytest.raises(NotFound, match="ag-9"):
        ledger.judge("ag-9", "s1", [])


def test_sessions_that_ended_long_ago_are_forgotten(place):
    with Ledger(place) as ledger:
        ledger.look({1: (b"a", 10.0), 2: (b"b", 20.0)}, forget=0.0)
        ledger.look({2: (b"c", 30.0)}, forget=15.0)
        assert ledger.looked() == {2: b"c"}


def test_a_name_that_is_no_text_does_not_stop_a_delivery(place):
    with Ledger(place) as ledger:
        ledger.add(delivery(repo="har\udcffbor"))
        assert len(ledger.deliveries()) == 1


def test_several_processes_writing_at_once_lose_nothing(place):
    writers = [start(place, f"w{number}", 25) for number in range(4)]
    said = [writer.communicate()[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4
    with Ledger(place) as ledger:
        kept = {one.id for one in ledger.deliveries() if one.items[0].used}
    assert kept == {id for ids in said for id in ids}
    assert len(kept) == 100


def test_a_hint_keeps_its_moment_its_call_and_the_marks_of_what_it_said(place):
    hint = delivery(
        when="failure", call="toolu_1", words="7-ab12", topics=("t1", "t2"), items=()
    )
    with Ledger(place) as ledger:
        ledger.add(hint)
    with Ledger(place) as ledger:
        assert ledger.deliveries() == [hint]


def test_what_followed_is_kept_with_the_verdict_and_judged_anew_with_it(place):
    first = Followed(problem="line no pier", solved=False, repeated=True, used=False)
    later = Followed(problem="line no pier", solved=True, calls=3, used=True)
    with Ledger(place) as ledger:
        ledger.add(delivery(when="failure"))
        for followed in (first, later):
            ledger.judge("ag-1", "s1", [], started=1.0, followed=followed)
            assert ledger.deliveries()[0].followed == followed


def test_of_two_reports_the_later_one_is_kept(place):
    with Ledger(place) as ledger:
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


def test_a_report_about_nothing_that_was_given_out_is_refused(place):
    with Ledger(place) as ledger, pytest.raises(NotFound, match="no delivery 'ag-9'"):
        ledger.report(Reported(delivery="ag-9", outcome="success", time=5.0))


def test_lines_shown_as_they_stand_are_noted_until_their_session_is_forgotten(place):
    first = UnredactedView("s1", 10.0, "Ada", 1, 40)
    second = UnredactedView("s2", 20.0, "person", 5, 5)
    with Ledger(place) as ledger:
        ledger.note_view(first)
        ledger.note_view(second)
        assert ledger.views() == [second, first]
        assert ledger.views("s1") == [first]
        ledger.forget_sessions({"s1"}, [])
        assert ledger.views() == [second]
