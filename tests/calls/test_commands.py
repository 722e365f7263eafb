"""Every line of `commands.jsonl` against all the answers a person wrote down for it."""

import json
from pathlib import Path

import pytest

from afterglow.calls import bare, parse, read, write

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "commands.jsonl")
    .read_text("utf-8")
    .splitlines()
]
every_row = pytest.mark.parametrize("row", ROWS, ids=[row["line"][:60] for row in ROWS])


def answers(line):
    action = read("Bash", json.dumps({"command": line}))
    main = action.main
    return {
        "line": line,
        "program": main.program,
        "subcommand": [*main.subcommand],
        "flags": [[flag.name, flag.value] for flag in main.flags],
        "operands": [*main.operands],
        "environment": [f"{item.name}={item.value}" for item in main.environment],
        "wrappers": [wrapper.text for wrapper in main.wrappers],
        "directory": main.directory,
        "core": action.core,
        "goal": action.goal,
        "decides": [item.program for item in action.commands if item.decides],
        "hides": [
            [item.program, item.hidden_by] for item in action.commands if item.hidden_by
        ],
        "pattern": action.pattern.text,
        "kind": action.kind_of_work,
        "effects": sorted(action.effects),
    }


@every_row
def test_the_line_is_read_as_a_person_reads_it(row):
    assert answers(row["line"]) == row


@every_row
def test_each_command_written_back_is_read_as_the_same(row):
    for command in parse(row["line"]).commands:
        again = parse(write(command)).commands
        outer = [item for item in again if "substitution" not in item.place]
        assert bare(outer[-1]) == bare(command)


def test_no_line_stands_twice():
    assert len({row["line"] for row in ROWS}) == len(ROWS) >= 320
