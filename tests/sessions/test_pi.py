"""pi sessions beyond the fixtures: trees with damage in them."""

from __future__ import annotations

import json

from afterglow import sessions
from afterglow.records import Mark


def entry(id, parent, role, text):
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return json.dumps(
        {"type": "message", "id": id, "parentId": parent, "message": message}
    )


def write(path, *lines):
    header = '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/home/ana"}'
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def texts(path):
    (session,) = sessions.load(path)
    return [turn.text for turn in session.turns]


def test_a_tree_is_read_along_its_last_branch_and_never_resumed(tmp_path):
    path = write(
        tmp_path / "s1.jsonl",
        entry("a", None, "user", "try this"),
        entry("b", "a", "assistant", "one way"),
        entry("c", "a", "assistant", "another way"),
    )
    assert texts(path) == ["try this", "another way"]
    assert [part.mark for part in sessions.read(path)] == [Mark()]
    assert list(sessions.read(path, Mark(10, 1))) == list(sessions.read(path))


def test_an_entry_that_cannot_be_read_costs_only_itself(tmp_path):
    path = write(
        tmp_path / "s1.jsonl",
        entry("a", None, "user", "try this"),
        entry("b", "a", "assistant", "one way")[:-9],
        entry("c", "b", "user", "good"),
        entry("d", "c", "assistant", "done"),
    )
    assert texts(path) == ["try this", "good", "done"]
    assert [damage.line for damage in sessions.load(path)[0].damage] == [3]


def test_entries_that_name_each_other_as_parents_do_not_go_round_in_circles(tmp_path):
    path = write(
        tmp_path / "s1.jsonl",
        entry("a", "b", "user", "first"),
        entry("b", "a", "assistant", "second"),
    )
    assert texts(path) == ["first", "second"]
