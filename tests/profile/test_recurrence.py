"""Failures: what became of them, and which come back in a later session."""

from tests.profile.make import MONDAY, entry

from afterglow.profile.recurrence import recoveries, recurrence
from afterglow.records import Recovery


def repeats(*entries, top=10):
    return recurrence([(found, found.profile) for found in entries], top=top)


def test_a_failure_repeats_when_an_earlier_session_of_the_repo_met_it():
    first = entry("ff", number=1, day=0, errors={"no such berth": 2})
    later = entry("fff", number=2, day=1, errors={"no such berth": 2, "timed out": 1})
    found = repeats(later, first)
    assert (found.repeated.count, found.repeated.n) == (2, 5)


def test_repeating_within_one_session_is_not_a_repeat():
    assert repeats(entry("fff", errors={"no such berth": 3})).repeated.count == 0


def test_another_repo_does_not_count_as_earlier_experience():
    first = entry("f", number=1, day=0, repo="harbor", errors={"no such berth": 1})
    other = entry("f", number=2, day=1, repo="ledger", errors={"no such berth": 1})
    found = repeats(first, other)
    assert found.repeated.count == 0
    assert (found.recurring[0].sessions, found.recurring[0].repos) == (2, 2)


def test_failures_without_repo_time_or_message_are_not_placed():
    found = repeats(
        entry("f", number=1, repo="", errors={"a": 1}),
        entry("f", number=2, start=None, errors={"a": 1}),
        entry("ff", number=3, errors={"no message": 2}),
        entry("f", number=4, errors={"a": 1}),
    )
    assert (found.repeated.n, found.not_placed) == (1, 4)


def test_only_errors_of_two_sessions_recur_and_the_widest_come_first():
    found = repeats(
        entry(
            "f" * 9, number=1, day=0, errors={"once": 7, "often": 1, "no message": 1}
        ),
        entry("fff", number=2, day=1, errors={"often": 1, "twice": 1, "no message": 1}),
        entry("ff", number=3, day=2, errors={"often": 1, "twice": 1}),
    )
    assert [(row.fingerprint, row.count, row.sessions) for row in found.recurring] == [
        ("often", 3, 3),
        ("twice", 2, 2),
    ]
    assert (found.kinds, found.failures) == (2, 5)
    assert found.recurring[0].last_seen == "2026-02-11"


def test_the_list_is_bounded_and_the_count_is_not():
    errors = {f"error {name}": 1 for name in "abcdef"}
    found = repeats(
        entry("f" * 6, number=1, errors=errors),
        entry("f" * 6, number=2, errors=errors),
        top=2,
    )
    assert (len(found.recurring), found.kinds) == (2, 6)


def test_sessions_that_began_together_are_told_apart_by_their_key():
    both = [
        entry("f", number=number, start=MONDAY, errors={"a": 1}) for number in (2, 1)
    ]
    assert repeats(*both).repeated.count == 1


def test_failures_open_at_the_end_were_not_recovered():
    worked = Recovery("Bash", "make dock", "no such berth", 2, 5, True)
    gave_up = Recovery("Bash", "make dock", "timed out", 1, 41, False)
    open_ = Recovery("Edit", "dock.py", "not found", 1, 0, False)
    found = recoveries(
        [entry("f", recoveries=(worked, gave_up), pending=(open_,)).profile], top=5
    )
    assert (found.recovered.count, found.recovered.n) == (1, 3)
    assert (found.attempts.median, found.calls.median) == (2, 5)
    assert found.attempts_until_success == {"1": 0, "2": 1, "3": 0, "4–5": 0, "6+": 0}
    assert found.calls_until_success["3–5"] == 1
    assert [
        (row.tool, row.recovered.count, row.recovered.n) for row in found.by_tool
    ] == [
        ("Bash", 1, 2),
        ("Edit", 0, 1),
    ]
    assert [(row.error, row.tool, row.count) for row in found.unrecovered] == [
        ("not found", "Edit", 1),
        ("timed out", "Bash", 1),
    ]
