"""Whose wish a lesson is, where several people work in a repository."""

from __future__ import annotations

import pytest

from afterglow.harvest.writing.people import situation_of
from lamp_problems import case, failure, lesson, problem_of

DONE = "A lamp is lit"
ANA, BEN = "a1", "b2"


def wish(remedy: str, *sessions: str, scope: str = "user", **people: str):
    """Sessions in which somebody asked for a polish, and whose each of the repository's sessions is."""
    said = {"kind": "person", "error": ""}
    events = [
        failure(session, "lampctl light", person="polish the glass please", **said)
        for session in sessions
    ]
    answer = lesson(remedy, DONE, scope=scope, cites=tuple(range(1, 9)))
    return case(answer, problem_of(*events, kind="person"), people=people)


POLISH = "The person wants the glass polished."
BY_ANA = {"s1": ANA, "s2": ANA, "s3": ANA}
BY_BEN = {"s4": BEN, "s5": BEN, "s6": BEN}


def test_a_wish_of_one_of_several_people_says_so():
    several = wish(POLISH, "s1", "s2", **BY_ANA, **BY_BEN)
    assert situation_of(several) == f"{DONE} (one of 2 people here)"


def test_a_wish_of_one_person_and_now_and_then_another_s_is_mostly_that_one_s():
    mostly = wish(POLISH, "s1", "s2", "s3", "s4", **BY_ANA, **BY_BEN)
    assert situation_of(mostly) == f"{DONE} (mostly one of 2 people here)"


@pytest.mark.parametrize(
    "written",
    [
        wish(POLISH, "s1", "s2", **BY_ANA),  # nobody else works there
        wish(POLISH, "s1", "s4", **BY_ANA, **BY_BEN),  # both said it
        wish(POLISH, "s1", "s2", **BY_ANA, s4=BEN),  # a visit
        wish(POLISH, "s1", "s2"),  # nobody knows whose sessions they are
        wish("One person wants the glass polished.", "s1", "s2", **BY_ANA, **BY_BEN),
        wish(POLISH, "s1", "s2", scope="repo", **BY_ANA, **BY_BEN),  # a fact
    ],
)
def test_what_is_no_single_wish_stays_as_it_was_written(written):
    assert situation_of(written) == DONE
