"""The JSON schema of a typed answer, as servers are sent it, and answers decoded into that type.

The type is the only place where the form of an answer is written down; msgspec makes the schema of it and checks by it.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from afterglow.errors import UsageError

_PLACE = re.compile(r" - at `(?:key in )?\$(.*)`$")
_SAYS_NOTHING = {"title", "description", "default"}


class Misfit(ValueError):
    """An answer that is not of its type; the message says where and why, in words a model can act on."""


def decoded(data: Any, answer_type: type[Any]) -> Any:
    """JSON as a value of the type. Raises `Misfit`."""
    try:
        return msgspec.convert(data, answer_type)
    except msgspec.ValidationError as error:
        raise Misfit(_in_words(str(error))) from error


def _in_words(problem: str) -> str:
    """`the answer.lessons[0].fact: Expected ...` from msgspec's `Expected ... - at $.lessons[0].fact`."""
    place = _PLACE.search(problem)
    if place is None:
        return f"the answer: {problem}"
    return f"the answer{place[1]}: {problem[: place.start()]}"


def json_schema(answer_type: type[Any]) -> dict[str, Any]:
    """One value without references, since small servers do not follow them."""
    (schema,), parts = msgspec.json.schema_components([answer_type])
    whole: dict[str, Any] = _inlined(schema, parts, ())
    return whole


def _inlined(schema: Any, parts: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_inlined(part, parts, inside) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in inside:
            raise UsageError(f"an answer cannot hold itself, as {name} does")
        return _inlined(parts[name], parts, (*inside, name))
    inlined: dict[str, Any] = {}
    for name, part in schema.items():
        if name == "properties":  # a field may be called `title`
            inlined[name] = {
                field: _inlined(field_schema, parts, inside)
                for field, field_schema in part.items()
            }
        elif name not in _SAYS_NOTHING:
            inlined[name] = _inlined(part, parts, inside)
    choices = inlined.get("enum", (None,))
    if all(isinstance(choice, str) for choice in choices):
        return {"type": "string", **inlined}  # some servers want the type said
    return inlined


def is_strict(schema: dict[str, Any]) -> bool:
    """Whether servers that take strict schemas only (all fields named, all required) take this one."""
    fields = schema.get("properties", {})
    inner = [*fields.values(), *schema.get("anyOf", ())]
    if "items" in schema:
        inner.append(schema["items"])
    return _is_closed(schema, fields) and all(map(is_strict, inner))


def _is_closed(schema: dict[str, Any], fields: dict[str, Any]) -> bool:
    if schema.get("type") != "object" and not fields:
        return True
    all_required = set(schema.get("required", ())) == set(fields)
    return schema.get("additionalProperties") is False and all_required
