"""ShareGPT conversations: ids from content, one document or many lines, tags that are broken."""

from __future__ import annotations

import json

import pytest

from afterglow import sessions


def chat(*values: str, **fields) -> dict:
    names = ["human", "gpt", "tool", "gpt"]
    return {
        "conversations": [
            {"from": n, "value": v} for n, v in zip(names, values, strict=False)
        ],
        **fields,
    }


def read(path, text: str) -> list:
    path.write_text(text, encoding="utf-8")
    return sessions.load(path)


def lines(*records: object) -> str:
    return "".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in records)


def test_ids_stay_when_something_else_in_the_file_breaks(tmp_path):
    path = tmp_path / "t.jsonl"
    whole = read(path, lines(chat("a", "b"), chat("c", "d"), chat("e", "f")))
    broken = read(path, lines(chat("a", "b"), '{"conversations": [', chat("e", "f")))
    assert [s.id for s in broken] == [whole[0].id, whole[2].id]


def test_equal_conversations_are_told_apart(tmp_path):
    found = read(
        tmp_path / "t.jsonl",
        lines(
            chat("a", "b"),
            chat("a", "b"),
            chat("a", "b", timestamp="2026-03-05T08:00:00"),
        ),
    )
    assert len({s.id for s in found}) == 3
    assert found[1].id == f"{found[0].id}-2"


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("many", [True, False])
def test_a_whole_document_reads_like_lines(tmp_path, indent, many):
    record = chat("a", "b", completed=True)
    found = read(
        tmp_path / "t.json", json.dumps([record] if many else record, indent=indent)
    )
    assert [(s.id, s.status, len(s.turns)) for s in found] == [
        (s.id, "completed", 2) for s in read(tmp_path / "t.jsonl", lines(record))
    ]


def test_thoughts_are_not_said_even_where_they_do_not_end(tmp_path):
    call = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
    for value in (
        f"<think>hm</think>Now. {call}",
        f"Now. <think>hm {call}",
        f"Now. <REASONING_SCRATCHPAD>\nhm\n</REASONING_SCRATCHPAD>{call}",
    ):
        (found,) = read(tmp_path / "t.jsonl", lines(chat("a", value)))
        assert (found.turns[1].text, [c.tool for c in found.calls]) == (
            "Now.",
            ["look"],
        )


def test_a_call_that_is_not_json_keeps_its_name_and_its_result(tmp_path):
    call = "<tool_call>\n{'name': 'look', 'arguments': {}}\n</tool_call>"
    (found,) = read(
        tmp_path / "t.jsonl",
        lines(chat("a", call, "<tool_response>\nError: dark\n</tool_response>")),
    )
    assert [(c.tool, c.arguments, c.result, c.outcome.value) for c in found.calls] == [
        ("look", "{'name': 'look', 'arguments': {}}", "Error: dark", "failed")
    ]


def test_a_tag_that_never_ends_holds_what_is_left(tmp_path):
    (found,) = read(
        tmp_path / "t.jsonl",
        lines(chat("a", 'Now. <tool_call>\n{"name": "look", "arg')),
    )
    assert [(c.tool, found.turns[1].text) for c in found.calls] == [("look", "Now.")]


def test_messages_with_roles_and_real_tool_calls_are_read_too(tmp_path):
    record = {
        "conversations": [
            {"role": "user", "content": "a"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "1", "function": {"name": "look", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "1", "content": "light"},
        ]
    }
    (found,) = read(tmp_path / "t.jsonl", lines(record))
    assert [(c.tool, c.result) for c in found.calls] == [("look", "light")]
