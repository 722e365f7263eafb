"""The adapters for plain messages: what they put where, without any package."""

from __future__ import annotations

import pytest

from afterglow.adapters import anthropic_messages, openai_messages
from harbour_home import FAILED, REMEDY, learned_home


@pytest.fixture
def session(tmp_path):
    ag, place = learned_home(tmp_path)
    return ag.session("build the pier", cwd=place)


@pytest.fixture
def cold(tmp_path):
    from afterglow import Afterglow

    return Afterglow(tmp_path / "home").session("build the pier", cwd=tmp_path)


SYSTEM = {"role": "system", "content": "Be careful."}
USER = {"role": "user", "content": "build the pier"}


def test_the_context_stands_at_the_end_of_the_system_prompt(session):
    given = [SYSTEM, USER]
    first, second = openai_messages.warm(session, given)
    assert first["content"].startswith("Be careful.\n\n")
    assert REMEDY in first["content"]
    assert (second, given) == (USER, [SYSTEM, USER])


def test_a_prompt_of_parts_gets_a_part_and_a_missing_one_is_made(session):
    parts = {"role": "developer", "content": [{"type": "text", "text": "Be careful."}]}
    first, _ = openai_messages.warm(session, [parts, USER])
    assert [part["type"] for part in first["content"]] == ["text", "text"]
    assert first["content"][1]["text"] == session.text
    made, second = openai_messages.warm(session, [USER])
    assert (made["role"], made["content"], second) == ("system", session.text, USER)


def test_a_cold_session_changes_nothing(cold):
    assert openai_messages.warm(cold, [SYSTEM, USER]) == [SYSTEM, USER]
    assert anthropic_messages.warm(cold, "Be careful.") == "Be careful."
    assert anthropic_messages.warm(cold) == ""


FUNCTION = {"name": "bash", "arguments": '{"command": "./build-pier"}'}


def test_the_answer_to_a_call_has_a_line_behind_it_once(session):
    call = {"id": "c1", "type": "function", "function": FUNCTION}
    message = openai_messages.tool_message(session, call, FAILED)
    assert (message["role"], message["tool_call_id"]) == ("tool", "c1")
    output, line = message["content"].split("\n\n[afterglow] ")
    assert (output, REMEDY in line) == (FAILED, True)
    again = openai_messages.tool_message(session, {**call, "id": "c2"}, FAILED)
    assert again["content"] == FAILED


def test_an_item_of_the_responses_api_is_answered_by_one(session):
    call = {"type": "function_call", "call_id": "c1", **FUNCTION}
    item = openai_messages.function_output(session, call, FAILED)
    assert (item["type"], item["call_id"]) == ("function_call_output", "c1")
    assert REMEDY in item["output"]


def test_a_block_of_anthropic_is_answered_by_one(session):
    use = {"type": "tool_use", "id": "t1", "name": "bash"}
    use["input"] = {"command": "./build-pier"}
    error = FAILED.partition("\n")[2]
    block = anthropic_messages.tool_result(session, use, error, is_error=True)
    assert (block["tool_use_id"], block["is_error"]) == ("t1", True)
    assert REMEDY in block["content"]
    fine = anthropic_messages.tool_result(session, use, "built")
    assert fine == {"type": "tool_result", "tool_use_id": "t1", "content": "built"}


def test_blocks_of_a_system_prompt_keep_their_marks(session):
    cached = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
    system = anthropic_messages.warm(session, [cached])
    assert system == [cached, {"type": "text", "text": session.text}]


def test_what_a_session_of_anthropic_was_told_is_proved(session):
    system = anthropic_messages.warm(session, "Be careful.")
    assert anthropic_messages.record(
        session, [USER, {"role": "assistant", "content": "Done."}], system=system
    )
    from harbour_home import proved

    assert proved(session) == {"start"}
