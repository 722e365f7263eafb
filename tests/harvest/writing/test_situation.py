"""Whether a failure is the situation of a lesson, or another cause of the same problem."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.harvest.writing.lesson import events_met
from afterglow.harvest.writing.situation import is_met, names_another_place
from afterglow.records.problems import Dossier, Event, TellingLine
from afterglow.records.writing import Witness, Witnesses, WrittenCase
from lamp_problems import failure, lesson, problem_of

MISSING = failure(
    "s1", "Read lamp/wick/trim.go", "File does not exist.", tool="Read", program=""
)
SITUATION = "Read `lamp/wick/trim.go`: File does not exist"


def test_another_file_that_is_missing_is_another_cause():
    assert is_met(SITUATION, MISSING)
    assert not is_met(SITUATION, replace(MISSING, command="Read lamp/oil/fill.go"))


def test_what_the_error_is_about_decides_between_two_that_are_worded_alike():
    event = replace(
        MISSING,
        tool="Bash",
        program="lampctl",
        command="lampctl view 7 --show flame,oil",
        lines=(TellingLine('lampctl: Unknown field: "oil"', strength=3),),
    )
    situation = '`lampctl view <n> --show <fields>` fails: Unknown field: "{}"'
    assert is_met(situation.format("oil"), event)
    assert not is_met(situation.format("shade"), event)


def test_a_lesson_counts_the_sessions_that_met_its_own_cause():
    elsewhere = [
        replace(MISSING, session=f"s{n}", call=n, command=f"Read lamp/oil/f{n}.go")
        for n in range(2, 9)
    ]
    events = (MISSING, *elsewhere)
    assert [event.session for event in events_met(_case(events))] == ["s1"]
    witness = Witness("s5", MISSING.line)
    met = events_met(_case(events, witness))
    assert [event.session for event in met] == ["s1", "s5"]


def test_what_a_person_said_counts_where_they_said_it():
    said = replace(MISSING, kind="person")
    assert events_met(_case((said,))) == []
    assert events_met(_case((said,), Witness("s1", MISSING.line))) == [said]


def _case(events: tuple[Event, ...], *confirming: Witness) -> WrittenCase:
    problem = problem_of(*events)
    return WrittenCase(
        answer=lesson("look in oil", SITUATION),
        problem=problem,
        dossier=Dossier(problem=problem.id, text="", tokens=0),
        witnesses=Witnesses(confirming),
    )


@pytest.mark.parametrize(
    ("situation", "is_elsewhere"),
    [
        ("`piers/lamps/<id>/oil`: HTTP 404", True),
        ("`harbor/<quay>/lamps`: HTTP 404", False),
        ("`harbor/<quay>/lamp`: HTTP 404", True),  # the beginning of a name is another
        ("`tide/lamps.toml`: HTTP 404", False),  # a file goes by its name
        ("`lampctl get …/lamps/<id>/oil`: HTTP 404", True),
        ("`lampctl get …/<quay>/lamps -q`: HTTP 404", False),
        ("`lampctl get`: HTTP 404", False),  # no path
    ],
)
def test_a_failure_at_another_place_is_not_the_situation(situation, is_elsewhere):
    event = failure("a", "lampctl get harbor/7/lamps -q", "HTTP 404: not found")
    assert names_another_place(situation, event) is is_elsewhere
