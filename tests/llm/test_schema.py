"""The schema servers are sent agrees with what the type itself takes."""

from __future__ import annotations

from typing import Annotated, Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct

from afterglow.errors import UsageError
from afterglow.llm.schema import Misfit, decoded, is_strict, json_schema


class Lesson(Struct, forbid_unknown_fields=True):
    fact: Annotated[str, Meta(min_length=1, max_length=5, pattern="^[a-z]")]
    kind: Literal["pitfall", "tool"]
    lines: Annotated[list[Annotated[int, Meta(ge=1, le=9)]], Meta(min_length=1)]
    title: str | None = None
    sure: float | None = None


class Lessons(Struct, forbid_unknown_fields=True):
    lessons: Annotated[list[Lesson], Meta(max_length=3)]


class Closed(Struct, forbid_unknown_fields=True):
    a: None


class Open(Struct):
    a: int


class Nested(Struct, forbid_unknown_fields=True):
    inner: list[Nested]


_leaf = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 11),
    st.floats(allow_nan=False).filter(lambda number: not number.is_integer()),
    st.text("aB1", max_size=6),
)
_lesson = st.fixed_dictionaries(
    {},
    optional={
        "fact": _leaf,
        "kind": st.sampled_from(["pitfall", "tool", "else", 1]),
        "lines": st.one_of(_leaf, st.lists(_leaf, max_size=2)),
        "title": _leaf,
        "sure": _leaf,
        "more": _leaf,
    },
)
_values = st.one_of(
    _leaf,
    st.fixed_dictionaries(
        {}, optional={"lessons": st.one_of(_leaf, st.lists(_lesson, max_size=4))}
    ),
)


def fits(value) -> bool:
    try:
        decoded(value, Lessons)
    except Misfit:
        return False
    return True


@settings(deadline=None)
@given(_values)
def test_what_the_schema_allows_is_what_can_be_decoded(value):
    validator = jsonschema.Draft202012Validator(json_schema(Lessons))
    assert fits(value) == validator.is_valid(value)


def test_the_problem_says_where():
    value = {"lessons": [{"fact": "a", "kind": "pitfall", "lines": [1, "two"]}]}
    with pytest.raises(Misfit) as raised:
        decoded(value, Lessons)
    assert str(raised.value) == (
        "the answer.lessons[0].lines[1]: Expected `int`, got `str`"
    )


def test_servers_get_one_schema_without_references_and_remarks():
    schema = json_schema(Lessons)
    assert "$ref" not in str(schema)
    lesson = schema["properties"]["lessons"]["items"]
    assert [*lesson["properties"]] == ["fact", "kind", "lines", "title", "sure"]
    assert "title" not in schema and "title" not in lesson
    assert lesson["properties"]["kind"]["type"] == "string"


def test_an_answer_that_holds_itself_cannot_be_asked_for():
    with pytest.raises(UsageError, match="Nested"):
        json_schema(Nested)


def test_strict_servers_want_every_field_required():
    assert not is_strict(json_schema(Lessons))
    assert is_strict(json_schema(Closed)) and is_strict(json_schema(list[Closed]))
    assert not is_strict(json_schema(dict[str, int]))
    assert not is_strict(json_schema(Open)) and not is_strict(json_schema(list[Open]))
