"""Sub-commands of programs that stand in no table."""

import json

from afterglow.calls import learn, read

LINES = [
    "workmux add login",
    "workmux add billing --base main",
    "workmux status",
    "workmux status login",
    "shipit api",
    "shipit web",
    "shipit docs",
    "git status",
]


def goal(line, learned=None):
    return read("Bash", json.dumps({"command": line}), learned).goal


def test_what_recurs_is_a_sub_command_and_what_varies_an_operand():
    learned = learn(LINES)
    assert learned.of("workmux") == {"add", "status"}
    assert goal("workmux add search", learned) == "workmux add"
    assert goal("shipit api", learned) == "shipit"


def test_without_lessons_the_first_operand_is_an_operand():
    assert goal("workmux add search") == "workmux"


def test_programs_of_the_table_are_not_learned():
    assert learn(LINES).of("git") == frozenset()


def test_the_same_call_again_teaches_nothing():
    assert learn(["shipit api"] * 5).of("shipit") == frozenset()


def test_a_favourite_file_is_no_sub_command():
    lines = ["show a", "show a -x"] + [f"show file{n}.txt" for n in range(6)]
    assert learn(lines).of("show") == frozenset()
