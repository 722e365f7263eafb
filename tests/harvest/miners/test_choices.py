"""What people answered when asked, and what they took back."""

from __future__ import annotations

from afterglow.harvest.miners import choices
from afterglow.harvest.trail import Trail
from afterglow.records.session import Session, Turn
from trails import told
from writing import Transcript

QUESTION = "Should tide tables be embedded files or inline constants?"


def asked(answer: str, question: str = QUESTION, number: int = 1) -> Transcript:
    options = [{"label": "Embedded files"}, {"label": "Inline constants"}]
    session = Transcript(number).user("add tide tables")
    session.ask(
        "AskUserQuestion", questions=[{"question": question, "options": options}]
    )
    return session.answer(
        f'User has answered your questions: "{question}"="{answer}". You can now continue.'
    )


def test_an_answer_is_kept_with_its_question():
    assert told(choices, asked("Embedded files")) == [
        f'Asked "{QUESTION}" the user answered "Embedded files".'
    ]


def test_the_newest_answer_to_a_question_is_the_one_told():
    facts = told(
        choices,
        asked("Embedded files", number=1),
        asked("Neither, fetch them", number=2),
    )
    assert (
        facts == [f'Asked "{QUESTION}" the user answered "Embedded files".']
        or "fetch them" in facts[0]
    )
    assert len(facts) == 1


def test_how_to_go_on_is_no_decision():
    assert (
        told(choices, asked("Yes", "Does this design look good to proceed with?")) == []
    )


def test_a_hermes_answer_is_read_from_its_json():
    session = (
        Transcript()
        .user("add tide tables")
        .ask("clarify", question="Which unit do tides have?")
    )
    result = '{"question": "Which unit do tides have?", "choices_offered": null, "user_response": "metres, always"}'
    assert "metres, always" in told(choices, session.answer(result))[0]


def test_a_request_taken_back_and_put_differently_is_told():
    turns = (
        Turn("user", "show the berths as a table", 1, kind="undone"),
        Turn("user", "show the berths as a table sorted by length", 2),
    )
    (finding,) = choices.mine(
        Trail(
            Session(id="s", agent="hermes", format="hermes-db", source="x", turns=turns)
        )
    )
    assert "sorted by length" in choices.tell([finding]).fact


def test_a_request_taken_back_for_something_else_is_not():
    turns = (
        Turn("user", "delete them all", 1, kind="undone"),
        Turn("user", "show the berths by length", 2),
    )
    assert not [
        *choices.mine(
            Trail(
                Session(
                    id="s", agent="hermes", format="hermes-db", source="x", turns=turns
                )
            )
        )
    ]
