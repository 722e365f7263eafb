"""Calls that are repeated in vain until a person helps."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import retries
from trails import tellings, told, trail_of
from writing import Transcript

LINE = "keytide seal harbor.log"
LOCKED = "Exit code 2\nerror: vault agent: cannot reach the signing key"


def failing(transcript: Transcript, times: int) -> Transcript:
    for _ in range(times):
        transcript.run(LINE, LOCKED, error=True)
    return transcript


def helped(number: int, times: int = 2) -> Transcript:
    session = failing(Transcript(number), times).reply("I cannot reach the key.")
    return session.user("ok I have unlocked it").run(LINE, "sealed")


def given_back(number: int) -> Transcript:
    return failing(Transcript(number), 2).reply("Please unlock the vault and seal it.")


def passing(number: int) -> Transcript:
    return failing(Transcript(number), 1).run(LINE, "sealed")


def mined(transcript: Transcript) -> list:
    return list(retries.mine(trail_of(transcript)))


@pytest.mark.parametrize("second", [helped, given_back])
def test_two_sessions_that_a_person_had_to_help_make_one_line(second):
    (telling,) = tellings(retries, helped(1), second(2))
    assert telling.fact == (
        "`keytide` fails: error: vault agent: cannot reach the signing key: "
        "retrying seldom helps: stop, ask the user to see to it, then again."
    )


def test_one_session_is_not_enough():
    assert told(retries, helped(1)) == []


def test_a_question_gives_the_work_back_as_well():
    def asking(number: int) -> Transcript:
        session = failing(Transcript(number), 2)
        return session.ask("AskUserQuestion", questions=[]).answer("I will see to it")

    assert len(told(retries, asking(1), asking(2))) == 1


def test_what_passes_by_itself_as_often_is_not_told():
    sessions = [helped(1), helped(2), passing(3), passing(4)]
    assert told(retries, *sessions) == []


def test_what_nobody_repeated_in_vain_is_not_told():
    assert told(retries, helped(1, times=1), helped(2, times=1)) == []


def test_a_step_in_between_may_have_helped():
    session = failing(Transcript(), 2).run("keytide login")
    (finding,) = mined(session.run(LINE, "sealed"))
    assert finding.slots["ending"] == ""


def test_another_call_behind_the_failure_is_no_giving_back():
    (finding,) = mined(failing(Transcript(), 2).run("ls", "harbor.log"))
    assert finding.slots["ending"] == ""


def test_one_run_of_failures_is_one_finding():
    (finding,) = mined(helped(1, times=4))
    assert finding.slots["in vain"] == "3"
    assert finding.cost == 4


def test_checks_fail_for_what_they_check():
    failure = "Exit code 1\nerror: tide gauge: cannot be read"
    session = Transcript().run("make test", failure, error=True)
    session.run("make test", failure, error=True).reply("It fails.")
    assert mined(session) == []
