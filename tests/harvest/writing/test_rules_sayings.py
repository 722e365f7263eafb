"""A person's sentence that was said twice, in nearly the same words."""

from __future__ import annotations

from afterglow.harvest.events.keys import keyed
from afterglow.harvest.writing.rules import written_by_rules
from afterglow.records.problems import Event
from harvest.writing.rule_problems import problem_of


def said(session: str, words: str, number: int) -> Event:
    return keyed(
        Event(
            kind="person",
            session=session,
            agent="claude-code",
            line=4,
            result_line=4,
            call=number,
            time=1000.0 + number,
            person=words,
            trust="user",
        )
    )


def test_what_was_said_in_two_sessions_is_told_in_the_newest_words():
    problem = problem_of(
        said("a", "never commit lamps without asking", 1),
        said("b", "please never commit lamps without asking me", 2),
    )
    (answer,) = written_by_rules(problem)
    assert answer.scope == "user"
    assert "never commit lamps without asking me" in answer.remedy
    assert answer.cites == (1, 2)


def test_twice_in_one_session_is_once():
    problem = problem_of(
        said("a", "never commit lamps without asking", 1),
        said("a", "never commit lamps without asking", 2),
    )
    assert written_by_rules(problem) == []


def test_what_only_matters_now_is_not_told():
    asked = [
        said(session, "what happens to the oil lamps at noon?", number)
        for number, session in enumerate("abcd")
    ]
    assert written_by_rules(problem_of(*asked)) == []


def test_other_words_need_somebody_who_understands_them():
    problem = problem_of(
        said("a", "never commit lamps without asking", 1),
        said("b", "always show wicks before a release of lamps", 2),
    )
    assert written_by_rules(problem) == []
