"""Changing JSON as text: what is not ours stays as it was written, byte for byte.

A container is named by the place of its opening bracket. What is added looks like what is there: the same indentation
and line ends, or all on one line.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from afterglow.errors import ConfigError

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_value = json.JSONDecoder().raw_decode


class Part(NamedTuple):
    """A member or an element: where it begins, where its value begins, where it ends."""

    key: str
    start: int
    value: int
    end: int


def root(text: str, name: str) -> int:
    """Where the object begins. Raises `ConfigError` with line and column where the text is not an object."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{name}, line {error.lineno}, column {error.colno}: not JSON ({error.msg}); nothing was changed"
        ) from error
    except RecursionError as error:
        raise ConfigError(
            f"{name} is nested too deeply; nothing was changed"
        ) from error
    if not isinstance(value, dict):
        raise ConfigError(f"{name} holds no JSON object; nothing was changed")
    return text.index("{")


def parts(text: str, at: int) -> list[Part]:
    return _parts(text, at)[0]


def member(text: str, at: int, key: str) -> Part | None:
    """The last of that name counts, as it does for who reads the file."""
    return next((part for part in reversed(parts(text, at)) if part.key == key), None)


def added(text: str, at: int, value: object, key: str = "") -> str:
    """With one more member or element, at the end."""
    held, close = _parts(text, at)
    name = ""
    if text[at] == "{":
        name = f"{json.dumps(key, ensure_ascii=False)}: "
    indent = _INDENT.search(text)
    unit = indent[1] if indent else "  "
    line = "\r\n" if "\r\n" in text else "\n"
    body = json.dumps(value, indent=unit, ensure_ascii=False)
    if not held:
        outer = _indentation(text, at)
        lead = line + outer + unit
        body = body.replace("\n", lead)
        return f"{text[: at + 1]}{lead}{name}{body}{line}{outer}{text[close:]}"
    first, end = held[0].start, held[-1].end
    if "\n" not in text[at:first]:
        on_one_line = json.dumps(value, ensure_ascii=False)
        return f"{text[:end]}, {name}{on_one_line}{text[end:]}"
    lead = line + _indentation(text, first)
    body = body.replace("\n", lead)
    return f"{text[:end]},{lead}{name}{body}{text[end:]}"


def removed(text: str, at: int, start: int) -> str:
    """Without the part that begins there."""
    held, close = _parts(text, at)
    place = [part.start for part in held].index(start)
    if place:
        return text[: held[place - 1].end] + text[held[place].end :]
    if len(held) > 1:
        return text[:start] + text[held[1].start :]
    return text[: at + 1] + text[close:]


def _parts(text: str, at: int) -> tuple[list[Part], int]:
    """Its parts, and where it closes. The text is known to be JSON."""
    closing = "}" if text[at] == "{" else "]"
    held, place = [], _skip(text, at + 1)
    while text[place] != closing:
        start, key = place, ""
        if closing == "}":
            key, place = _value(text, place)
            place = _skip(text, _skip(text, place) + 1)
        value = place
        _, place = _value(text, place)
        held.append(Part(key, start, value, place))
        place = _skip(text, place)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return held, place


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _indentation(text: str, at: int) -> str:
    """What the line of this place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
