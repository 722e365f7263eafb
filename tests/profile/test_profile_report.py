"""The report over many sessions: complete, deterministic, and readable as JSON by itself."""

import msgspec
import pytest
from tests.profile.make import MONDAY, entry, fleet

from afterglow.profile.report import summarise
from afterglow.records import Manner, Usage
from afterglow.records.profile_report import Report

TABLES = {
    "tool", "length", "position", "task-type", "early-task-type", "model", "agent", "repo", "request-style",
    "feedback-style", "week",
}  # fmt: skip


def test_the_same_sessions_give_the_same_report_in_any_order():
    entries = fleet()
    assert msgspec.json.encode(summarise(entries)) == msgspec.json.encode(
        summarise(entries[::-1])
    )


def test_it_survives_json_unchanged():
    report = summarise(
        fleet(),
        left_out={"never used": 3},
        selection={"repo": "harbor"},
        simulated=True,
    )
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report


def test_every_rate_in_the_json_has_value_n_and_interval():
    report = msgspec.to_builtins(summarise(fleet()))

    def rates(value):
        if isinstance(value, dict):
            if {"count", "low"} <= value.keys():
                yield value
            for inner in value.values():
                yield from rates(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                yield from rates(inner)

    found = list(rates(report))
    assert len(found) > 50
    for rate in found:
        assert {"value", "low", "high", "n", "sessions", "few"} <= rate.keys()
        assert rate["n"] == 0 or rate["low"] <= rate["value"] <= rate["high"]


def test_every_table_is_there_and_says_what_comparing_its_rows_means():
    tables = summarise(fleet()).tables
    assert set(tables) == TABLES
    assert {
        name: table.effect
        for name, table in tables.items()
        if table.effect != "between sessions"
    } == {
        "tool": None,
        "position": "within sessions",
    }


@pytest.mark.parametrize("name", sorted(TABLES - {"position", "early-task-type"}))
def test_a_table_counts_every_call_once(name):
    report = summarise(fleet())
    assert sum(row.calls for row in report.tables[name].rows) == report.calls


def test_what_was_left_out_is_said_also_sessions_without_a_profile():
    found = summarise(
        [entry("o"), entry("o", profile=None)], left_out={"never used": 3}
    )
    assert (found.sessions, found.left_out) == (
        1,
        {"never used": 3, "without a profile": 1},
    )


def test_sessions_without_calls_count_as_sessions_and_in_no_rate():
    found = summarise([entry("of"), entry("")])
    assert (found.sessions, found.overall.sessions, found.overall.rate.n) == (2, 1, 2)


def test_weeks_are_iso_weeks_and_sessions_without_a_time_are_counted():
    found = summarise(
        [entry("o"), entry("o", day=-1), entry("o", start=None, end=None)]
    ).tables["week"]
    assert [row.name for row in found.rows] == ["2026-W06", "2026-W07"]
    assert "1 session without a time" in found.about


def test_the_span_is_from_the_first_start_to_the_last_end():
    found = summarise([entry("o", start=MONDAY, end=MONDAY + 10 * 86_400)])
    assert (found.first_day, found.last_day) == ("2026-02-09", "2026-02-19")


def test_masked_failures_are_counted_apart_and_explained():
    found = summarise([entry("oooooooof", masked=2)]).masked
    assert (found.share.count, found.share.n) == (2, 8)
    assert found.error_rate_with_them == pytest.approx(3 / 9)
    assert "a pipe hid the exit code" in found.sentence
    assert "33.3 % instead of 11.1 %" in found.sentence


def test_context_is_a_share_only_where_the_window_is_known():
    known = entry(
        "o",
        number=1,
        usage=Usage(input=5, context=170_000, cost=0.5),
        window=200_000,
        compactions=2,
    )
    unknown = entry("o", number=2, usage=Usage(input=5, context=90_000))
    found = summarise([known, unknown]).context
    assert (found.tokens.n, found.share.n, found.share.median, found.nearly_full) == (
        2,
        1,
        0.85,
        1,
    )
    assert (
        found.compactions,
        found.compacted.count,
        found.usage.cost,
        found.sessions_with_cost,
    ) == (2, 1, 0.5, 1)


def test_interaction_counts_styles_in_sessions_and_corrections_in_requests():
    short = entry("o", number=1, manner=Manner(requests=4, words=20, corrections=1))
    long = entry(
        "o", number=2, manner=Manner(requests=2, words=200, questions=2, interrupts=1)
    )
    found = summarise([short, long, entry("o", number=3)]).interaction
    assert found.request_styles == {"direct": 1, "conversational": 1}
    assert found.feedback_styles == {"terse": 1, "detailed": 1}
    assert (found.corrections.count, found.corrections.n, found.interrupts) == (1, 6, 1)


def test_markers_are_per_session_with_calls():
    found = summarise(
        [
            entry("fo", first_success_call=2, first_success_seconds=9.0),
            entry("ff"),
            entry(""),
        ]
    ).markers
    assert (found.errors.total, found.errors.n, found.never_succeeded) == (3, 2, 1)
    assert (found.first_success_call.median, found.first_success_seconds.median) == (
        2,
        9.0,
    )
    assert found.early_error_rate.n == 4


def test_headlines_carry_an_interval_an_n_and_the_kind_of_comparison():
    found = summarise(fleet()).headlines
    assert [headline.effect for headline in found] == [
        None,
        None,
        None,
        "between sessions",
        "within sessions",
    ]
    assert all(
        headline.n
        and headline.sessions
        and headline.low <= headline.value <= headline.high
        for headline in found
    )


def test_no_sessions_make_a_report_that_says_nothing():
    found = summarise([])
    assert (found.sessions, found.calls, found.overall.rate.value, found.first_day) == (
        0,
        0,
        None,
        "",
    )
