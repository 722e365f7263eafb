"""A tool refused an argument and took another."""

from __future__ import annotations

from afterglow.harvest.miners import arguments
from trails import told
from writing import Transcript

TOOL = "mcp__tracker__create_issue"


def refused(message: str, number: int = 1, **first: object) -> Transcript:
    session = Transcript(number).user("file it")
    return session.ask(TOOL, **first).answer(message, error=True)


def test_the_argument_that_changed_is_the_remedy_once_two_sessions_show_it():
    first, second = (
        refused("Argument Validation Error", number, title="A leak", team="Tide")
        .ask(TOOL, title="A leak", team="Harbour")
        .answer("created")
        for number in (1, 2)
    )
    assert told(arguments, first) == []
    (fact,) = told(arguments, first, second)
    assert (
        fact
        == f"{TOOL}(team=Tide) fails with 'Argument Validation Error'; use team=Harbour."
    )


def test_an_argument_left_out_is_said():
    session = refused(
        "Argument Validation Error: 'labels' must exist", title="A leak", labels=["wet"]
    )
    (fact,) = told(arguments, session.ask(TOOL, title="A leak").answer("created"))
    assert "use no labels" in fact


def test_another_record_is_data_not_a_lesson():
    session = refused("payment method not found", order="7", payment_id="card_12345")
    assert (
        told(
            arguments,
            session.ask(TOOL, order="7", payment_id="card_67890").answer("ok"),
        )
        == []
    )


def test_another_shape_of_id_is_a_lesson():
    session = refused(
        "'parent' contained a non-uuid identifier", title="A leak", parent="QUAY-53"
    )
    session = session.ask(
        TOOL, title="A leak", parent="4ce84f4e-af33-43fe-a749-cfe9c112f7ed"
    ).answer("created")
    assert "use parent=<uuid>" in told(arguments, session)[0]


def test_free_text_that_changed_is_no_remedy():
    session = refused("invalid description", title="A leak", description="short")
    assert (
        told(
            arguments,
            session.ask(TOOL, title="A leak", description="long " * 60).answer("ok"),
        )
        == []
    )
