"""Each rule of the chat APIs, by a list that breaks it."""

from copy import deepcopy

import pytest

from afterglow.errors import UsageError
from afterglow.warm.inject.validate import arguments, check


def call(id="c1", name="Bash", arguments='{"command": "ls"}'):
    return {
        "id": id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def asks(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls) or [call()]}


def answers(id="c1", content="a.go"):
    return {"role": "tool", "tool_call_id": id, "content": content}


SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "What is there?"}
DONE = {"role": "assistant", "content": "One file."}
OPENAI = [SYSTEM, USER, asks(), answers(), DONE, USER]


def use(id="t1", name="Bash", **input):
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def result(id="t1", content="a.go"):
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def said(role, *blocks):
    return {"role": role, "content": list(blocks)}


TEXT = {"type": "text", "text": "go on"}
ANTHROPIC = [USER, said("assistant", TEXT, use()), said("user", result(), TEXT)]


def test_a_list_by_the_rules_has_no_problem():
    assert check(OPENAI, "openai") == []
    assert check(OPENAI[1:], "hermes") == []
    assert check(ANTHROPIC, "anthropic", system="Be brief.") == []
    assert (
        check(ANTHROPIC, "anthropic", system=[{"type": "text", "text": "Be brief."}])
        == []
    )
    assert (
        check(
            [USER, asks(call("a"), call("b")), answers("b"), answers("a"), USER],
            "openai",
        )
        == []
    )


def test_checking_changes_nothing():
    before = deepcopy(OPENAI)
    check(OPENAI, "openai")
    assert before == OPENAI


BROKEN_OPENAI = {
    "the last message is not the user's": [USER, DONE],
    "messages are not a list": "hello",
    "not an object": ["hello", USER],
    "role 'robot' is no message here": [{"role": "robot", "content": "x"}, USER],
    "system after the conversation began": [USER, SYSTEM, USER],
    "call 'c1' has no result before it": [USER, asks(), USER],
    "call 'b' has no result before it": [
        USER,
        asks(call("a"), call("b")),
        answers("a"),
        USER,
    ],
    "call 'c1' has no result": [USER, asks()],
    "a second or late result for call 'c1'": [USER, asks(), answers(), answers(), USER],
    "a result for 'c9', which nobody called": [
        USER,
        asks(),
        answers(),
        answers("c9"),
        USER,
    ],
    "a result for None": [
        USER,
        asks(),
        answers(),
        {"role": "tool", "content": "x"},
        USER,
    ],
    "the id 'c1' is used twice": [USER, asks(), answers(), asks(), answers(), USER],
    "is no id for a call": [USER, asks(call("i" * 41)), answers("i" * 41), USER],
    "'' is no id for a call": [USER, asks(call("")), answers(""), USER],
    "'web search' is no name for a tool": [
        USER,
        asks(call(name="web search")),
        answers(),
        USER,
    ],
    "the arguments of call 'c1' are not a JSON object": [
        USER,
        asks(call(arguments="ls")),
        answers(),
        USER,
    ],
    "are not a JSON object as text": [
        USER,
        asks(call(arguments={"command": "ls"})),
        answers(),
        USER,
    ],
    "a call that is not of type function": [
        USER,
        asks({**call(), "type": "tool"}),
        answers(),
        USER,
    ],
    "tool_calls must be a list of calls": [
        USER,
        {"role": "assistant", "content": "x", "tool_calls": []},
        USER,
    ],
    "calls of the assistant": [{**USER, "tool_calls": [call()]}, answers(), USER],
    "user says nothing": [{"role": "user", "content": " \n"}],
    "system says nothing": [{"role": "system", "content": None}, USER],
    "assistant says nothing": [USER, {"role": "assistant", "content": None}, USER],
    "a result without content": [USER, asks(), answers(content=None), USER],
    "content is neither text nor parts": [
        USER,
        {**asks(), "content": 7},
        answers(),
        USER,
    ],
    "cannot be sent as JSON": [{"role": "user", "content": "half \ud800"}],
    "cannot be sent as JSON: Object": [{**USER, "when": object()}],
}


@pytest.mark.parametrize("problem", BROKEN_OPENAI)
def test_finds_in_an_openai_list(problem):
    assert any(problem in found for found in check(BROKEN_OPENAI[problem], "openai"))


BROKEN_ANTHROPIC = {
    "the last message is not the user's": [USER, DONE],
    "system text is no message here": [SYSTEM, USER],
    "role 'tool' is no message here": [USER, DONE, answers()],
    "two user turns in a row": [USER, USER],
    "two assistant turns in a row": [USER, DONE, DONE, USER],
    "the user begins": [DONE, USER],
    "call 't1' has no result here": [USER, said("assistant", use()), USER],
    "call 't1' has no result": [USER, said("assistant", use())],
    "results must come before anything else": [
        USER,
        said("assistant", use()),
        said("user", TEXT, result()),
    ],
    "a result for 't9', which nobody called": [
        USER,
        said("assistant", use()),
        said("user", result(), result("t9")),
    ],
    "a second or late result": [
        USER,
        said("assistant", use()),
        said("user", result(), result()),
    ],
    "a result outside a user turn": [USER, said("assistant", result()), USER],
    "a call outside an assistant turn": [
        said("user", use()),
        said("assistant", TEXT),
        USER,
    ],
    "the id 't1' is used twice": [
        USER,
        said("assistant", use(), use()),
        said("user", result()),
    ],
    "'a:b' is no id for a call": [
        USER,
        said("assistant", use("a:b")),
        said("user", result("a:b")),
    ],
    "'a.b' is no name for a tool": [
        USER,
        said("assistant", use(name="a.b")),
        said("user", result()),
    ],
    "the input of call 't1' is not an object": [
        USER,
        said("assistant", {**use(), "input": '{"a": 1}'}),
        said("user", result()),
    ],
    "an empty text block": [said("user", {"type": "text", "text": "  "})],
    "content is neither text nor a list of blocks": [said("user")],
    "a block without a type": [said("user", {"text": "hi"})],
    "a result that is neither text nor blocks": [
        USER,
        said("assistant", use()),
        said("user", result(content=3)),
    ],
}


@pytest.mark.parametrize("problem", BROKEN_ANTHROPIC)
def test_finds_in_an_anthropic_list(problem):
    assert any(
        problem in found for found in check(BROKEN_ANTHROPIC[problem], "anthropic")
    )


def test_system_text_must_be_where_the_format_has_it():
    assert check(OPENAI, "openai", system="Be brief.") == [
        "system is a message here, not a parameter"
    ]
    assert check(ANTHROPIC, "anthropic", system=[{"type": "text", "text": ""}]) == [
        "system block 0: no text"
    ]
    assert check(ANTHROPIC, "anthropic", system=3) == [
        "system is neither text nor a list of text blocks"
    ]
    assert check(OPENAI, "hermes") == ["message 0: system text is no message here"]


def test_an_unfinished_conversation_may_end_with_the_assistant():
    assert check(OPENAI[:-1], "openai", whole=False) == []
    assert check([], "openai", whole=False) == []
    assert check([], "openai") == ["the last message is not the user's"]


def test_an_unknown_format_is_refused():
    with pytest.raises(UsageError, match="there are openai, hermes, anthropic"):
        check([], "smoke signals")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "NaN", '{"a": NaN}', '{"a": 1e999}', "[" * 99999, None, "{}{}"],
)
def test_arguments_that_are_no_object_are_none(text):
    assert arguments(text) is None


def test_arguments_deeper_than_readers_take_are_none():
    assert arguments('{"a":' * 63 + "{}" + "}" * 63) is not None
    assert arguments('{"a":' * 200 + "{}" + "}" * 200) is None
