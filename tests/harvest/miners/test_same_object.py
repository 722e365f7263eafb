"""Another call for the same object: found by its number."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import same_object
from trails import tellings, told, trail_of
from writing import Transcript

LOG = "2026-10-01 the tide gauge was read, and all is well\n" * 30


def refused(run: int) -> str:
    return f"run {run} is still in progress; logs will be available when it is complete"


def session(
    number: int, run: int, job: int, works: str = "gh api /repos/o/r/jobs/{}/logs"
) -> Transcript:
    line = f"gh run view {run} --job {job} --log"
    transcript = Transcript(number).run(line, refused(run), error=True)
    return transcript.run(works.format(job), LOG)


def mined(transcript: Transcript) -> list:
    return list(same_object.mine(trail_of(transcript)))


def test_two_sessions_that_got_it_in_the_same_way_make_one_line():
    first, second = session(1, 1234567, 7654321), session(2, 2345678, 8765432)
    (telling,) = tellings(same_object, first, second)
    assert telling.fact == (
        "`gh run view <n> --job <n> …` fails: run <n> is still in progress: "
        "`gh api repos/o/r/jobs/<n>/logs` gets it."
    )
    assert telling.times == 2


def test_one_session_is_not_enough():
    assert told(same_object, session(1, 1234567, 7654321)) == []


def test_where_sessions_got_it_otherwise_nothing_is_told():
    other = session(2, 2345678, 8765432, "curl https://ci.example/jobs/{}")
    assert told(same_object, session(1, 1234567, 7654321), other) == []


def test_a_log_that_tells_of_errors_is_what_was_asked_for():
    log = f"{LOG}error: tide_test.go:7: low water\nProcess completed with exit code 1"
    transcript = Transcript().run(
        "gh run view 1234567 --job 7654321 --log", refused(1234567), error=True
    )
    assert len(mined(transcript.run("gh api repos/o/r/jobs/7654321/logs", log))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "gh api repos/o/r/jobs/1111111/logs",  # another one
        "gh run view 1234567 --json status",  # only what it is part of
        "gh run view 1234567 --job 7654321 --log",  # the same, later
        "gh run rerun --job 7654321",  # does something else with it
        "echo done",
    ],
)
def test_what_is_no_other_way_to_the_same(line):
    transcript = Transcript().run(
        "gh run view 1234567 --job 7654321 --log", refused(1234567), error=True
    )
    assert mined(transcript.run(line, LOG)) == []


def test_whoever_went_on_to_try_it_otherwise_had_not_got_it():
    transcript = session(1, 1234567, 7654321)
    transcript.run("gh api repos/o/r/check-runs/7654321", LOG)
    assert mined(transcript) == []


def test_numbers_that_name_nothing_are_none():
    transcript = Transcript().run(
        "nc harbor 8080", "Exit code 1\nnc: unreachable: refused", error=True
    )
    assert mined(transcript.run("curl harbor:8080/tide", LOG)) == []
