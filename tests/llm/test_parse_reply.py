"""JSON out of whatever a model wraps around it."""

from __future__ import annotations

import pytest
from msgspec import Struct

from afterglow.llm.parse_reply import read
from afterglow.llm.request import Reply


class Counted(Struct):
    a: int


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '\n\n {"a": 1}\n',
        'Sure! Here it is:\n```json\n{"a": 1}\n```\nAnything else?',
        '<think>{"a": 7} or so</think>{"a": 1}',
        'so {"a": 7} it is</think>\n{"a": 1}',
        '<thinking>hm {"a":</thinking> {"a": 1}',
        'Instead of {x} or [y] use {"b": 2}, no: {"a": 1}',
        '3 things: {"a": 1}',
        '{"a": 1}{"a": 2}',
        '{"a": 1.0}',
    ],
)
def test_the_answer_is_found(text):
    assert read(Reply(text=text), Counted).data == Counted(1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        ("<think>only that</think>", "empty"),
        ("none", "bad json"),
        ('{"a": NaN}', "bad json"),
        ('{"a": 1', "bad json"),
        ("[" * 5000, "bad json"),
        ('{"a": "\\ud800"}', "bad json"),
        ('{"a": true}', "wrong shape"),
        ("[]", "wrong shape"),
        ("null", "wrong shape"),
    ],
)
def test_what_is_wrong_has_a_name(text, kind):
    said = read(Reply(text=text), Counted)
    assert said.kind == kind and said.problem


def test_an_answer_that_is_whole_counts_though_the_limit_was_met():
    assert read(Reply(text='{"a": 1}', finish="length"), Counted).data == Counted(1)


def test_words_that_were_cut_off_are_still_words():
    assert read(Reply(text="half a sen", finish="length"), None).text == "half a sen"
    assert read(Reply(text="<think>half", finish="length"), None).kind == "cut off"


def test_half_characters_do_not_come_through():
    assert read(Reply(text="a\ud800b"), None).text == "a?b"
