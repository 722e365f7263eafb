"""report: how a session went is kept beside its delivery, once, and without secrets."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.session import report_outcome
from afterglow.flows.session.session_report import MAX_NOTE_CHARACTERS
from afterglow.records.delivery import Delivery, Reported
from afterglow.store.ledger import Ledger

ID = "ag-0123456789"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.fixture
def given(config):
    with Ledger(config.ledger) as ledger:
        ledger.add(Delivery(id=ID, time=100.0))
    return config


def kept(config: Config) -> list[Reported]:
    with Ledger(config.ledger) as ledger:
        return ledger.reports()


def test_an_outcome_is_kept_with_its_rating_and_note(given):
    done = report_outcome(
        given, delivery=ID, outcome="partial", rating=3, note="half of it", now=200.0
    )
    assert done.replaced is False
    assert kept(given) == [done.kept]
    assert done.kept == Reported(
        delivery=ID, outcome="partial", time=200.0, rating=3, note="half of it"
    )


def test_reporting_again_replaces(given):
    report_outcome(
        given, delivery=ID, outcome="success", rating=5, note="good", now=200.0
    )
    assert (
        report_outcome(given, delivery=ID, outcome="failure", now=300.0).replaced
        is True
    )
    assert kept(given) == [Reported(delivery=ID, outcome="failure", time=300.0)]


def test_the_id_is_found_in_the_line_it_stands_in(given):
    report_outcome(
        given,
        delivery=f"What earlier sessions in harbor taught ({ID}):",
        outcome="success",
    )
    assert kept(given)[0].delivery == ID


def test_a_note_is_redacted_and_clipped_before_it_is_kept(given):
    report_outcome(
        given, delivery=ID, outcome="success", note=f"key {TOKEN}\n" + "long " * 1000
    )
    (report,) = kept(given)
    assert TOKEN not in report.note and "<secret:" in report.note
    assert len(report.note) <= MAX_NOTE_CHARACTERS and "\n" not in report.note
    assert TOKEN.encode() not in b"".join(
        path.read_bytes() for path in given.home.rglob("ledger*")
    )


def test_a_secret_at_the_edge_of_a_note_is_not_cut_in_two(given):
    report_outcome(
        given,
        delivery=ID,
        outcome="success",
        note="x" * (MAX_NOTE_CHARACTERS - 20) + " " + TOKEN,
    )
    assert TOKEN[:12] not in kept(given)[0].note


@pytest.mark.parametrize("wrong", ["ag-ffffffffff", "", "the first one", "ag-\ud800"])
def test_an_unknown_delivery_is_refused_and_nothing_is_kept(given, wrong):
    with pytest.raises(
        NotFound, match="its id stands in the first line of the context"
    ):
        report_outcome(given, delivery=wrong, outcome="success")
    assert kept(given) == []


def test_before_anything_was_given_out_no_ledger_is_made(config):
    with pytest.raises(NotFound):
        report_outcome(config, delivery=ID, outcome="success")
    assert not config.home.exists()


@pytest.mark.parametrize(
    "wrong", [{"outcome": "great"}, {"outcome": "success", "rating": 0}, {"outcome": "success", "rating": 6},
              {"outcome": "success", "rating": True}, {"outcome": "success", "rating": 2.5}],
)  # fmt: skip
def test_what_is_no_outcome_or_rating_is_refused(given, wrong):
    with pytest.raises(UsageError):
        report_outcome(given, delivery=ID, **wrong)
    assert kept(given) == []
