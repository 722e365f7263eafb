"""Of a session's failures, those that were known when it began: how long until solved, how often again, what all cost."""

from __future__ import annotations

from afterglow.experiment.known_failures import (
    MAX_CALLS_COUNTED,
    KnownFailures,
    MetFailure,
    known_failures,
)
from afterglow.harvest.events.aftermath import MAX_REACH
from lamp_problems import ended, failure


def met(*known_as: str, calls: int = 1, solved: bool = True, **fields) -> MetFailure:
    by = ended("lampctl dry") if solved else None
    event = failure("s1", "lampctl light", by=by, calls=calls, **fields)
    return MetFailure(event, frozenset(known_as))


def test_a_session_that_met_nothing_known_lost_nothing_and_has_nothing_to_solve():
    assert known_failures([]) == KnownFailures(None, None, 0)
    assert known_failures([met(calls=9)]) == KnownFailures(None, None, 0)


def test_calls_are_counted_from_the_first_known_failure():
    failures = [met(calls=9), met("wick", calls=3), met("wick", calls=1)]
    assert known_failures(failures) == KnownFailures(3, 1, 3)


def test_only_failures_of_the_same_problem_are_further_ones():
    failures = [met("wick", calls=2), met("oil", calls=5), met("wick", "glass"), met()]
    assert known_failures(failures) == KnownFailures(2, 1, 7)


def test_each_problem_is_lost_once_whatever_else_it_was_known_as():
    failures = [met("wick"), met("wick", "glass"), met("glass", calls=8)]
    assert known_failures(failures).lost == 1


def test_what_was_never_solved_counts_as_solved_after_all_that_was_looked_at():
    assert MAX_CALLS_COUNTED == MAX_REACH + 1
    assert known_failures([met("wick", calls=2, solved=False)]).until_solved == 17
    assert known_failures([met("wick", calls=30)]).until_solved == 17


def test_what_people_said_and_checks_that_print_nothing_are_no_failures_to_solve():
    for kind in ("person", "refused", "empty"):
        assert known_failures([met("wick", kind=kind)]) == KnownFailures()
    for kind in ("failed", "hidden", "ci"):
        assert known_failures([met("wick", kind=kind)]).until_solved == 1
