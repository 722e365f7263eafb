"""Whose words the prompts of a session are."""

from __future__ import annotations

import pytest

from afterglow.harvest.voices import is_attended, voiced
from afterglow.records.session import Call, Outcome, Session, Turn, Voice


def session(*turns: Turn, **facts) -> Session:
    return Session(id="s", agent="a", format="f", source="s", turns=turns, **facts)


def prompt(time: float = 0.0, voice: Voice = "unstated") -> Turn:
    return Turn("user", "never sail at night", 1, time=time, voice=voice)


def answer(time: float) -> Turn:
    return Turn("assistant", "aye", 2, time=time)


def voices(*turns: Turn, **facts) -> list[Voice]:
    return [
        turn.voice for turn in voiced(session(*turns, **facts)) if turn.role == "user"
    ]


def test_a_prompt_whose_record_does_not_say_is_nobodys():
    assert voices(prompt()) == ["outside"]


def test_a_line_of_the_interactive_program_shows_a_person():
    assert voices(prompt(), attended=True) == ["typed"]


def test_what_the_record_says_is_not_overruled():
    assert voices(prompt(voice="outside"), prompt(), attended=True) == [
        "outside",
        "typed",
    ]


@pytest.mark.parametrize("origin", ["subagent", "cron", "tool"])
def test_a_sub_agent_or_a_job_is_spoken_to_by_a_program(origin):
    assert voices(prompt(voice="typed"), attended=True, origin=origin) == ["outside"]


def test_prompts_at_the_pace_of_a_reader_show_a_person():
    turns = (prompt(), answer(10), prompt(31), answer(40), prompt(140), answer(150))
    assert is_attended(session(*turns))


@pytest.mark.parametrize("pause", [0.2, 60.0, 90_000.0])
def test_a_script_that_answers_at_once_by_the_clock_or_by_the_day_is_no_person(pause):
    times = [count * (10 + pause) for count in range(4)]
    turns = [turn for time in times for turn in (prompt(time), answer(time + 10))]
    assert not is_attended(session(*turns))


def test_a_refusal_that_the_agent_filed_shows_a_person():
    words = "The user rejected this"
    imitated = Call("c", "mcp__pier__moor", "{}", 1, Outcome.BLOCKED, words, words)
    filed = Call("c", "Bash", "{}", 1, Outcome.BLOCKED, words, words, refused=True)
    assert not is_attended(session(Turn("assistant", "", 1, calls=(imitated,))))
    assert is_attended(session(Turn("assistant", "", 1, calls=(filed,))))
