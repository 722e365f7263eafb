"""Questions that sessions end on and nobody answers."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import questions
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.sessions import load
from writing import Transcript

RETRIES = "Should the limit count per feed or for all feeds together?"


def mined(folder, transcript: Transcript, repo: str = "harbor") -> list[Finding]:
    return [
        finding
        for session in load(transcript.save(folder))
        for finding in questions.mine(Trail(session, repo))
    ]


def asked(number: int, words: str = f"Done so far. {RETRIES}") -> Transcript:
    return Transcript(number).user("look at the retries").reply(words)


def test_a_question_that_two_sessions_end_on_stays_open(tmp_path):
    findings = mined(tmp_path, asked(1)) + mined(tmp_path, asked(2, RETRIES))
    assert len({finding.topic for finding in findings}) == 1
    telling = questions.tell(findings)
    assert isinstance(telling, Telling)
    assert (telling.fact, telling.category) == (f"Open: {RETRIES}", "question")


def test_a_question_of_one_session_belongs_to_it(tmp_path):
    assert questions.tell(mined(tmp_path, asked(1))) == "asked in one session"


@pytest.mark.parametrize(
    "words",
    [
        "Would you like me to commit this change now?",
        "Shall I go on with the next one?",
    ],
)
def test_offers_are_no_questions(tmp_path, words):
    assert mined(tmp_path, asked(1, words)) == []


def test_an_answered_question_is_closed(tmp_path):
    assert mined(tmp_path, asked(1).user("per feed")) == []
