"""What each call of a session did, in order, as the profile counts calls."""

import pytest

from afterglow.measure.research.session_course import Course, kind_of_call
from afterglow.profile.tally import tally
from afterglow.records.session import Call, Outcome, Session, Turn


def call(tool: str, arguments: str, outcome: Outcome = Outcome.OK, id: str = "c1"):
    return Call(id=id, line=1, tool=tool, arguments=arguments, outcome=outcome)


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("Bash", '{"command": "ls -la && cat pier.go"}', "l"),
        ("Bash", '{"command": "cd dock && git diff | head"}', "l"),
        ("Bash", '{"command": "go test ./..."}', "r"),
        ("Bash", '{"command": "python pier.py"}', "r"),
        ("Bash", '{"command": "make build 2>&1 | tail"}', "r"),
        ("Bash", '{"command": "git commit -m pier"}', "c"),
        ("Bash", '{"command": "echo x > notes.txt"}', "c"),
        ("Read", '{"file_path": "pier.go"}', "l"),
        ("Grep", '{"pattern": "pier"}', "l"),
        ("WebFetch", '{"url": "https://pier.example"}', "l"),
        ("Edit", '{"file_path": "pier.go", "old_string": "a", "new_string": "b"}', "c"),
        ("execute_code", '{"code": "print(1)"}', "r"),
        ("Task", '{"prompt": "look around"}', "x"),
        ("TodoWrite", '{"todos": []}', "x"),
    ],
)
def test_what_a_call_did(tool, arguments, kind):
    assert kind_of_call(call(tool, arguments)) == kind


def said(role: str, text: str = "", *calls: Call) -> Turn:
    return Turn(line=1, role=role, text=text, calls=calls)


def course_of(*turns: Turn):
    course = Course()
    session = Session(id="s", agent="codex", format="f", source="s", turns=turns)
    course.add(session)
    return course.course(), tally(session)


def test_its_outcomes_are_those_of_the_profile():
    example = call("Bash", "{}", id="ag-0123456789-1")
    course, profile = course_of(
        said("user", "mend the crane please"),
        said(
            "assistant",
            "",
            example,
            call("Read", "{}"),
            call("Bash", "{}", Outcome.FAILED),
        ),
        said("assistant", "Done.", call("Edit", "{}", Outcome.BLOCKED)),
    )
    assert course.outcomes == profile.outcomes == "ofb"
    assert len(course.kinds) == len(course.outcomes)
    assert course.words == 4 and not course.talked


def test_talking_before_any_call_is_a_way_to_begin():
    course, _ = course_of(
        said("user", "how would you mend it?"),
        said("assistant", "With a rope."),
        said("user", "do it"),
        said("assistant", "", call("Read", "{}")),
    )
    assert course.talked and course.words == 5
