"""Does an answer fit a JSON schema? The part of JSON schema that asks use, in sixty lines.

A full validator would be another dependency of every install. A keyword that is not known here is an error of whoever
wrote the schema, so nothing is taken for checked that was not.
"""

from __future__ import annotations

import re
from typing import Any

from afterglow.errors import UsageError

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),),
    "integer": (int,), "number": (int, float),
}  # fmt: skip
_SAYS_NOTHING = {
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$defs",
    "$id",
}
_LEAST_MOST = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "minLength": lambda value, bound: len(value) >= bound,
    "maxLength": lambda value, bound: len(value) <= bound,
    "minItems": lambda value, bound: len(value) >= bound,
    "maxItems": lambda value, bound: len(value) <= bound,
}
_OF = {"minimum": "number", "maximum": "number", "minLength": "string", "maxLength": "string", "minItems": "array",
       "maxItems": "array"}  # fmt: skip


def misfit(
    value: Any,
    schema: dict[str, Any],
    *,
    at: str = "the answer",
    root: dict[str, Any] | None = None,
) -> str:
    """What is wrong with a value, in words a model can act on; empty if it fits."""
    root = schema if root is None else root
    for keyword, said in schema.items():
        problem = _misfit(value, keyword, said, schema, at, root)
        if problem:
            return problem
    return ""


def _misfit(
    value: Any,
    keyword: str,
    said: Any,
    schema: dict[str, Any],
    at: str,
    root: dict[str, Any],
) -> str:
    if keyword in _SAYS_NOTHING:
        return ""
    if keyword == "type":
        names = [said] if isinstance(said, str) else said
        return (
            ""
            if any(_is(value, name) for name in names)
            else f"{at} must be {' or '.join(names)}"
        )
    if keyword == "enum":
        return (
            "" if value in said else f"{at} must be one of {', '.join(map(repr, said))}"
        )
    if keyword == "const":
        return "" if value == said else f"{at} must be {said!r}"
    if keyword == "anyOf":
        problems = [misfit(value, one, at=at, root=root) for one in said]
        return "" if "" in problems else problems[0]
    if keyword == "$ref":
        return misfit(value, _referred(said, root), at=at, root=root)
    if keyword == "properties":
        known = said.items() if isinstance(value, dict) else ()
        found = (
            misfit(value[name], one, at=f"{at}.{name}", root=root)
            for name, one in known
            if name in value
        )
        return next(filter(None, found), "")
    if keyword == "required":
        missing = [
            name for name in said if isinstance(value, dict) and name not in value
        ]
        return f"{at} lacks {', '.join(missing)}" if missing else ""
    if keyword == "additionalProperties":
        others = (
            [name for name in value if name not in schema.get("properties", {})]
            if isinstance(value, dict)
            else []
        )
        if said is False:
            return f"{at} must not have {', '.join(others)}" if others else ""
        kind = said if isinstance(said, dict) else {}
        return next(
            filter(
                None,
                (
                    misfit(value[name], kind, at=f"{at}.{name}", root=root)
                    for name in others
                ),
            ),
            "",
        )
    if keyword == "items":
        parts = value if isinstance(value, list) else []
        return next(
            filter(
                None,
                (
                    misfit(one, said, at=f"{at}[{n}]", root=root)
                    for n, one in enumerate(parts)
                ),
            ),
            "",
        )
    if keyword == "pattern":
        fits = not isinstance(value, str) or re.search(said, value)
        return "" if fits else f"{at} must match {said}"
    if keyword in _LEAST_MOST:
        fits = not _is(value, _OF[keyword]) or _LEAST_MOST[keyword](value, said)
        return "" if fits else f"{at}: {keyword} is {said}"
    raise UsageError(
        f"the schema uses {keyword!r}, which is not checked here; leave it out"
    )


def is_strict(schema: dict[str, Any]) -> bool:
    """Whether servers that take strict schemas only (all fields named, all required) take this one."""
    fields = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False and set(
        schema.get("required", ())
    ) == set(fields)
    inner = [
        *fields.values(),
        *schema.get("$defs", {}).values(),
        *schema.get("anyOf", ()),
    ]
    inner += [schema["items"]] if "items" in schema else []
    return (closed or not (fields or schema.get("type") == "object")) and all(
        map(is_strict, inner)
    )


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if isinstance(value, float) and name == "integer":
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def _referred(path: str, root: dict[str, Any]) -> dict[str, Any]:
    found: Any = root
    try:
        for step in path.removeprefix("#/").split("/"):
            found = found[step]
    except (KeyError, TypeError) as error:
        raise UsageError(f"the schema refers to {path}, which is not in it") from error
    if not isinstance(found, dict):
        raise UsageError(f"the schema refers to {path}, which is no schema")
    return found
