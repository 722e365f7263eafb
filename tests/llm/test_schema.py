"""The small validator agrees with the full one on what it knows, and refuses what it does not."""

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterglow.errors import UsageError
from afterglow.llm.schema import is_strict, misfit

LESSONS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["lessons"],
    "properties": {
        "lessons": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/lesson"}}
    },
    "$defs": {
        "lesson": {
            "type": "object",
            "additionalProperties": False,
            "required": ["fact", "kind", "lines"],
            "properties": {
                "fact": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 5,
                    "pattern": "^[a-z]",
                },
                "kind": {"enum": ["pitfall", "tool"]},
                "lines": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": "integer", "minimum": 1, "maximum": 9},
                },
                "repo": {"anyOf": [{"type": "null"}, {"type": "string"}]},
                "sure": {"type": ["number", "null"]},
            },
        }
    },
}
_leaf = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 11),
    st.floats(allow_nan=False),
    st.text("aB1", max_size=6),
)
_lesson = st.fixed_dictionaries(
    {},
    optional={
        "fact": _leaf,
        "kind": st.sampled_from(["pitfall", "tool", "else", 1]),
        "lines": st.one_of(_leaf, st.lists(_leaf, max_size=2)),
        "repo": _leaf,
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


@settings(deadline=None)
@given(_values)
def test_it_agrees_with_the_full_validator(value):
    assert (misfit(value, LESSONS) == "") == jsonschema.Draft202012Validator(
        LESSONS
    ).is_valid(value)


def test_the_problem_says_where():
    value = {"lessons": [{"fact": "a", "kind": "pitfall", "lines": [1, "two"]}]}
    assert misfit(value, LESSONS) == "the answer.lessons[0].lines[1] must be integer"


def test_a_keyword_that_is_not_checked_is_refused():
    with pytest.raises(UsageError, match="oneOf"):
        misfit(1, {"oneOf": [{"type": "integer"}]})


def test_strict_servers_want_every_field_required():
    assert not is_strict(LESSONS)
    closed = {
        "type": "object",
        "properties": {"a": {"type": "null"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert is_strict(closed) and is_strict({"type": "array", "items": closed})
    assert not is_strict({"type": "object"}) and not is_strict(
        {"type": "array", "items": {**closed, "required": []}}
    )
    assert not is_strict({**closed, "additionalProperties": True})
