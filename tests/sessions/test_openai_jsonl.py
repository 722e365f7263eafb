"""One message a line: whose session it is, and which files are not of this kind."""

from __future__ import annotations

import json
import os

import pytest

from afterglow import sessions
from afterglow.records import Mark
from afterglow.sessions.formats import openai_jsonl
from afterglow.sessions.joined_parts import join


def write(path, *lines: object) -> object:
    path.write_text(
        "".join(
            f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines
        ),
        "utf-8",
    )
    return path


def recognised(path) -> bool:
    return openai_jsonl.sniff(path, path.read_bytes()[: sessions.HEAD_BYTES])


USER = {"role": "user", "content": "hello"}


@pytest.mark.parametrize(
    "first",
    [
        USER,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "function": {"name": "a"}}],
        },
        {"role": "session_meta", "tools": [{"name": "x" * 100_000}]},
        {"role": "user", "content": "x" * 100_000},
        {"session_id": "s1", "model": "m"},
        '{"damaged": ',
    ],
)
def test_a_file_of_messages_is_recognised(tmp_path, first):
    assert recognised(write(tmp_path / "a.jsonl", first, USER))


@pytest.mark.parametrize(
    "first",
    [
        {"type": "message", "role": "user", "content": "hello"},
        {"type": "user", "message": USER},
        {"role": "user"},
        {"role": "queen", "content": "hello"},
        {"name": "no role"},
        "[1, 2]",
        "{",
        "words",
    ],
)
def test_other_files_of_lines_are_not(tmp_path, first):
    assert not recognised(write(tmp_path / "a.jsonl", first, {"type": "x"}))


def test_the_file_names_the_session_unless_its_first_line_does(tmp_path):
    assert sessions.load(write(tmp_path / "tuesday.jsonl", USER))[0].id == "tuesday"
    named = sessions.load(
        write(
            tmp_path / "b.jsonl",
            {"session_id": "s7", "agent": "pilot", "model": "m"},
            USER,
        )
    )[0]
    assert (named.id, named.agent, named.model) == ("s7", "pilot", "m")


def test_the_date_in_the_name_stands_in_for_missing_times(tmp_path):
    found = sessions.load(
        write(tmp_path / "session_20260307_100000_0badcafe.jsonl", USER)
    )[0]
    assert found.start == 1772877600.0
    timed = write(
        tmp_path / "session_20260307_100000_0badcaff.jsonl",
        USER | {"timestamp": 1772999999},
    )
    assert sessions.load(timed)[0].start == 1772999999.0


def test_reading_on_behind_the_first_line_still_knows_whose_session_it_is(tmp_path):
    path = write(tmp_path / "a.jsonl", {"session_id": "s7", "agent": "pilot"}, USER)
    os.utime(path, (1, 1))
    first = list(sessions.read(path))[-1]
    assert first.mark != Mark()
    write(
        path,
        {"session_id": "s7", "agent": "pilot"},
        USER,
        {"role": "assistant", "content": "hello yourself"},
    )
    rest = list(sessions.read(path, first.mark))
    assert [(part.id, part.agent, len(part.turns)) for part in rest] == [
        ("s7", "pilot", 1)
    ]
    assert join(first, rest[0]).turns == sessions.load(path)[0].turns
