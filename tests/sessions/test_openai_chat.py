"""OpenAI-style messages: parts, missing and repeated ids, the older function calls, roles nobody knows."""

from __future__ import annotations

import msgspec
import pytest

from afterglow.records import Mark, Outcome, Session
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import Answer, Dialect, Message, hear, text_of
from afterglow.sessions.outcomes import FINE


def session(*messages: dict, dialect: Dialect = Dialect()) -> Session:  # noqa: B008
    made = Assembly(id="s", agent="a", format="f", source="x")
    for line, message in enumerate(messages, 1):
        hear(
            made,
            msgspec.convert(
                msgspec.json.decode(msgspec.json.encode(message), type=Message), Message
            ),
            line,
            dialect,
        )
    return made.part(Mark())


def calls(*named: tuple[str, str]) -> dict:
    made = [
        {
            "id": id,
            "type": "function",
            "function": {"name": tool, "arguments": '{"n": 1}'},
        }
        for id, tool in named
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(text: str, id: str | None = None, **fields) -> dict:
    return {"role": "tool", "tool_call_id": id, "content": text, **fields}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("words", "words"),
        (None, ""),
        (
            [
                {"type": "text", "text": "a"},
                "b",
                {"type": "image_url", "image_url": {}},
                {"type": "input_audio"},
            ],
            "a\nb\n[image]\n[audio]",
        ),
        ([{"type": "thought"}, 7], "[thought]\n"),
        ({"rows": 2}, '{"rows":2}'),
    ],
)
def test_content_is_words_or_parts_or_nothing(content, text):
    assert text_of(content) == text


def test_results_find_their_calls_in_any_order():
    found = session(
        calls(("1", "read"), ("2", "write")),
        result("Error: no", "2"),
        result("fine", "1"),
    )
    assert [(c.tool, c.outcome, c.result) for c in found.calls] == [
        ("read", Outcome.OK, "fine"),
        ("write", Outcome.FAILED, "Error: no"),
    ]


def test_calls_that_share_an_id_in_one_turn_are_answered_in_order():
    found = session(
        calls(("0", "read"), ("0", "write")),
        result("first", "0"),
        result("second", "0"),
    )
    assert [c.result for c in found.calls] == ["first", "second"]
    assert len({c.id for c in found.calls}) == 2


def test_results_without_ids_go_to_the_oldest_call_of_that_name():
    found = session(
        calls(("", "read"), ("", "write")), result("w", name="write"), result("r")
    )
    assert [c.result for c in found.calls] == ["r", "w"]


def test_the_older_function_call_is_joined_by_name():
    asked = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "dig", "arguments": '{"deep": true}'},
    }
    found = session(asked, {"role": "function", "name": "dig", "content": "gold"})
    assert [(c.tool, c.arguments, c.result) for c in found.calls] == [
        ("dig", '{"deep": true}', "gold")
    ]


def test_arguments_may_be_an_object_instead_of_text():
    asked = {
        "role": "assistant",
        "tool_calls": [
            {"id": "1", "function": {"name": "dig", "arguments": {"deep": True}}}
        ],
    }
    nothing = {
        "role": "assistant",
        "tool_calls": [{"id": "2", "function": {"name": "rest", "arguments": None}}],
    }
    assert [c.arguments for c in session(asked, nothing).calls] == [
        '{"deep":true}',
        "{}",
    ]


def test_a_result_nobody_asked_for_is_kept_and_counted():
    found = session(result("out of nowhere", "9"))
    assert (found.orphans, found.turns[0].text) == (1, "out of nowhere")


def test_a_role_nobody_knows_is_kept_as_machinery():
    found = session(
        {"role": "narrator", "content": "meanwhile"},
        {"role": "developer", "content": "be brief"},
    )
    assert [(t.role, t.kind) for t in found.turns] == [
        ("system", "injected"),
        ("system", "said"),
    ]


def test_a_dialect_decides_what_calls_and_results_mean():
    dialect = Dialect(
        answer=lambda tool, arguments, text: Answer(
            text.upper(), FINE, steer="no, left"
        ),
        call=lambda tool, arguments: (f"real {tool}", arguments),
        kind=lambda role, text: "command" if text.startswith("/") else "said",
    )
    found = session(
        {"role": "user", "content": "/go"},
        calls(("1", "turn")),
        result("right", "1"),
        dialect=dialect,
    )
    assert [(t.role, t.text, t.kind, t.line) for t in found.turns] == [
        ("user", "/go", "command", 1),
        ("assistant", "", "said", 2),
        ("tool", "RIGHT", "said", 3),
        ("user", "no, left", "steer", 3),
    ]
    assert found.calls[0].tool == "real turn"
