"""JSON changed as text keeps everything else as it was written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterglow.connect.json_text import added, member, parts, removed, root
from afterglow.errors import ConfigError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


@given(
    st.dictionaries(st.text(max_size=4), VALUES, max_size=4),
    VALUES,
    INDENTS,
    st.booleans(),
)
def test_what_is_added_is_read_back_and_can_be_taken_out_again(
    said, value, indent, crlf
):
    text = json.dumps(said, indent=indent, ensure_ascii=False)
    text = text.replace("\n", "\r\n") if crlf else text
    said.pop("new", None)
    if (old := member(text, root(text, "x"), "new")) is not None:
        text = removed(text, root(text, "x"), old.start)
    after = added(text, root(text, "x"), value, "new")
    assert json.loads(after) == {**said, "new": value}
    part = member(after, root(after, "x"), "new")
    back = removed(after, root(after, "x"), part.start)
    assert json.loads(back) == said
    assert back == text or not said


@given(st.lists(VALUES, max_size=4), VALUES, INDENTS)
def test_an_element_is_added_at_the_end(said, value, indent):
    text = json.dumps({"list": said}, indent=indent)
    at = member(text, 0, "list").value
    assert json.loads(added(text, at, value)) == {"list": [*said, value]}


@given(st.lists(VALUES, min_size=1, max_size=4), st.integers(0, 3), INDENTS)
def test_any_element_can_be_taken_out(said, number, indent):
    text = json.dumps({"list": said}, indent=indent)
    at = member(text, 0, "list").value
    number %= len(said)
    assert (
        json.loads(removed(text, at, parts(text, at)[number].start))["list"]
        == said[:number] + said[number + 1 :]
    )


def test_what_is_added_looks_like_what_is_there():
    assert (
        added('{\n\t"a": 1\n}\n', 0, [1], "b")
        == '{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}\n'
    )
    assert added('{"a": 1}', 0, [1], "b") == '{"a": 1, "b": [1]}'
    assert (
        added('{\r\n  "a": 1\r\n}', 0, {"c": 2}, "b")
        == '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 2\r\n  }\r\n}'
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,}', "line 1"),
        ('{\n  // mine\n  "a": 1\n}', "line 2, column 3"),
        ("[1]", "no JSON object"),
        ("", "line 1"),
    ],
)
def test_what_is_not_an_object_is_refused_and_the_place_is_named(text, place):
    with pytest.raises(ConfigError, match=place):
        root(text, "settings.json")


def test_a_text_nested_too_deeply_is_refused():
    with pytest.raises(ConfigError, match="nested too deeply"):
        root('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", "settings.json")
