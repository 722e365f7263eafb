"""The last answer to a problem in words, and the next step."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.cli.show.problem_answers import next_step
from afterglow.flows.harvest import answer_words
from afterglow.records.problems import KnownLesson, ProblemAnswer, ProblemReport
from lamp_problems import failure, problem_of, shown

PROBLEM = problem_of(failure("a", "lampctl ignite"), failure("b", "lampctl ignite"))


def answer(outcome, **fields):
    return ProblemAnswer(by="otter", time=5.0, outcome=outcome, **fields)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (answer("active", item="k1", status="active"), "written as k1"),
        (answer("candidate", item="k1", status="active"), "written as k1"),
        (answer("candidate", item="k1", status="candidate", reason="one session"), "waits as k1: one session"),
        (answer("active", item="k1", status="deleted"), "k1 is deleted"),
        (answer("nothing", reason="ordinary work"), "nothing: ordinary work"),
        (answer("nothing"), "nothing"),
        (answer("refused", reason="known as k2"), "refused: known as k2"),
        (answer("merge", item="3f2a91bc"), "the same as 3f2a91bc"),
        (answer("holds", item="k1"), "k1 is right and enough"),
        (answer("wrong", item="k1", reason="it is dry"), "k1 is wrong: it is dry"),
    ],
)  # fmt: skip
def test_an_answer_in_words(given, words):
    assert answer_words(given) == words


def step(waits=False, **fields):
    problem = replace(PROBLEM, **fields)
    return next_step(ProblemReport(problem, shown(problem), waits))


def test_the_next_step_fits_what_was_answered():
    told = KnownLesson("k1", "dry it", "active")
    untold = KnownLesson("k1", "dry it", "candidate")
    assert "--with auto` has it written" in step(waits=True)
    grown = step(waits=True, answers=(answer("nothing"),))
    assert grown.endswith("It has grown since.")
    assert "knowledge approve k1`" in step(lessons=(untold,))
    assert step(lessons=(told,), answers=(answer("active", item="k1"),)) == ""
    assert "no way out" in step()
    same = step(answers=(answer("merge", item="3f2a91bc"),))
    assert same == "`afterglow problems show 3f2a91bc`"
    assert "asks again" in step(answers=(answer("nothing"),))
