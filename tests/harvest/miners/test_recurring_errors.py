"""Errors that come back and have no known fix."""

from __future__ import annotations

from afterglow.harvest.miners import recurring_errors
from trails import counted, told, trail_of
from writing import Transcript

REFUSED = "Exit code 1\nerror: the tide service denied a lease at berth 4"
TOOL = "mcp__harbor__book_berth"


def failing(
    number: int, command: str = "tidectl lease", error: str = REFUSED
) -> Transcript:
    return (
        Transcript(number, start=number * 1440)
        .user("go on")
        .run(command, error, error=True)
    )


def test_an_error_of_two_sessions_is_a_pitfall_that_says_so():
    sessions = failing(1), failing(2).run("tidectl lease --force")
    (fact,) = told(recurring_errors, *sessions)
    assert fact == (
        "`tidectl` keeps failing with 'error: the tide service denied a lease at berth 4'; no fix is known."
    )
    assert counted(recurring_errors, *sessions) == [(0, 2)]


def test_what_was_open_at_the_end_is_a_question():
    (fact,) = told(recurring_errors, failing(1), failing(2))
    assert fact.startswith("Open: why does `tidectl` fail with")


def test_one_session_is_not_enough():
    assert (
        told(recurring_errors, failing(1).run("tidectl lease", REFUSED, error=True))
        == []
    )


def test_a_call_that_worked_later_was_no_lasting_error():
    assert told(recurring_errors, failing(1), failing(2).run("tidectl lease")) == []


def test_tests_builds_and_guessed_paths_are_left_out():
    ordinary = [
        ("go test ./...", "Exit code 1\n--- FAIL: TestTide (0.1s)"),
        ("make build", "Exit code 2\nerror: cannot assign tide to moon"),
        (
            "python tide.py",
            "Exit code 1\nTraceback (most recent call last):\nNameError: name 'moon' is not defined",
        ),
        ("cp a/tide b", "Exit code 1\ncp: a/tide: No such file or directory"),
        ("tidectl sync", "Exit code 1"),
    ]
    for command, error in ordinary:
        assert (
            told(
                recurring_errors, failing(1, command, error), failing(2, command, error)
            )
            == []
        ), command


def test_a_program_that_is_missing_is_said_to_be_missing():
    error = "Exit code 1\n/usr/bin/python3: No module named pytest"
    (fact,) = told(
        recurring_errors, *(failing(n, "python3 -m pytest -q", error) for n in (1, 2))
    )
    assert fact.startswith("`python -m pytest` keeps failing")
    assert fact.endswith("it is not installed there.")


def test_a_service_that_answers_no_is_not_an_error():
    sessions = [
        Transcript(n).ask(TOOL, berth=4).answer("Error: not enough berths", error=True)
        for n in (1, 2)
    ]
    assert told(recurring_errors, *sessions) == []


def test_numbers_that_differ_are_left_open():
    sessions = [
        Transcript(n)
        .ask(TOOL, berth=n)
        .answer(f"Error: the fee does not add up to {n}00", error=True)
        for n in (1, 2)
    ]
    (fact,) = told(recurring_errors, *sessions)
    assert "does not add up to <n>" in fact


def test_findings_carry_the_fingerprint_of_the_error():
    (finding,) = recurring_errors.mine(trail_of(failing(1)))
    assert finding.fingerprint == "error: the tide service denied a lease at berth <n>"


def test_the_words_of_a_commit_message_do_not_make_a_commit_a_test_run():
    command = 'git commit -m "fix the tide test in ci"'
    error = "Exit code 1\nerror: the signing agent returned no key"
    (fact,) = told(
        recurring_errors, failing(1, command, error), failing(2, command, error)
    )
    assert fact.startswith("Open: why does `git commit` fail with")


def test_a_failing_test_run_is_ordinary_work():
    command, error = "go test ./...", "Exit code 1\nerror: the tide service was off"
    sessions = failing(1, command, error), failing(2, command, error)
    assert told(recurring_errors, *sessions) == []
