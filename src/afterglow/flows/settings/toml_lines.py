"""A key of `config.toml` is changed where it stands: comments, order and everything else stay byte for byte.

The lines are taken apart by the reader of TOML itself: what it understands alone is one statement. What comes out is read
again and held against what was meant; a file that is written in a way this cannot change is refused, never guessed at.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from afterglow.errors import ConfigError
from afterglow.flows.settings.toml_lists import list_by_line
from afterglow.flows.settings.toml_values import (
    as_key,
    as_toml,
    text_lines,
    understood,
)

Values = Mapping[tuple[str, str], object]  # (table, key) -> value; None takes it out


class _Statement(Struct, frozen=True):
    """Lines that are understood together: a header, a key with its value (`value` as TOML has it), or neither."""

    text: str
    table: str
    key: str = ""
    value: object = None
    is_header: bool = False


def with_values(text: str, values: Values) -> str:
    """The text with these values, each in its place. Raises `ConfigError` where that cannot be done safely."""
    before = tomllib.loads(text)
    after = text
    for (table, key), value in values.items():
        after = _with_value(after, table, key, value)
    if _filled_tables(understood(after)) != _filled_tables(_expected(before, values)):
        names = " and ".join(f"{key} under [{table}]" for table, key in values)
        raise ConfigError(
            f"config.toml is written in a way that only a person can change; edit it as text: {names}"
        )
    return after


def _expected(before: dict[str, Any], values: Values) -> dict[str, Any]:
    tables = {name: _copied(table) for name, table in before.items()}
    for (table, key), value in values.items():
        keys = tables.setdefault(table, {})
        if not isinstance(keys, dict):
            raise ConfigError(f"config.toml: [{table}] must be a table")
        if value is None:
            keys.pop(key, None)
        else:
            keys[key] = list(value) if isinstance(value, tuple) else value
    return tables


def _copied(table: Any) -> Any:
    return dict(table) if isinstance(table, dict) else table


def _filled_tables(tables: dict[str, Any] | None) -> dict[str, Any] | None:
    """A header with nothing under it says nothing."""
    if tables is None:
        return None
    return {name: table for name, table in tables.items() if table != {}}


def _statements(text: str) -> list[_Statement]:
    """The text, statement by statement; joined they are the text again."""
    statements, pending, table = [], "", ""
    for line in text_lines(text):
        pending += line
        parsed = understood(pending)
        if parsed is None:  # a list or a text that goes on
            continue
        is_header = pending.lstrip().startswith("[")
        if is_header:
            table = _header(parsed)
            statements.append(_Statement(pending, table, is_header=True))
        else:
            key, value = next(iter(parsed.items()), ("", None))
            statements.append(_Statement(pending, table, key, value))
        pending = ""
    return [*statements, _Statement(pending, table)]


def _header(parsed: dict[str, Any]) -> str:
    """`a.b` of `[a.b]`; no table of ours has the name of a list of tables."""
    names = []
    while isinstance(parsed, dict) and parsed:
        name, parsed = next(iter(parsed.items()))
        names.append(name)
    return ".".join(names) + ("[]" if isinstance(parsed, list) else "")


def _with_value(text: str, table: str, key: str, value: object) -> str:
    statements = _statements(text)
    texts = [each.text for each in statements]
    newline = "\r\n" if "\r\n" in text else "\n"
    places = [
        at
        for at, each in enumerate(statements)
        if (each.table, each.key) == (table, key)
    ]
    if not places:
        line = f"{as_key(key)} = {as_toml(value)}{newline}"
        return text if value is None else _inserted(statements, table, line, newline)
    for at in places:
        texts[at] = ""
    if value is None:
        return _without_empty(statements, texts, table)
    texts[places[0]] = _replaced(statements[places[0]], value, newline)
    return "".join(texts)


def _inserted(
    statements: Sequence[_Statement], table: str, line: str, newline: str
) -> str:
    """Behind the last key of the table; a table that is not there yet comes last."""
    places = [
        at
        for at, each in enumerate(statements)
        if each.table == table and (each.key or each.is_header)
    ]
    texts = [each.text for each in statements]
    if places:
        last = places[-1]
        texts[last] = _ended(texts[last], newline) + line
        return "".join(texts)
    text = "".join(texts)
    gap = newline if text.strip() else ""
    return f"{_ended(text, newline)}{gap}[{as_key(table)}]{newline}{line}"


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith("\n") else text + newline


def _without_empty(
    statements: Sequence[_Statement], texts: list[str], table: str
) -> str:
    """A header goes with the last key under it, unless somebody wrote a word there."""
    places = [at for at, each in enumerate(statements) if each.table == table]
    headers = [at for at in places if statements[at].is_header]
    rest = "".join(texts[at] for at in places if at not in headers)
    if len(headers) == 1 and not rest.strip():
        for at in places:
            texts[at] = ""
    return "".join(texts)


def _replaced(statement: _Statement, value: object, newline: str) -> str:
    """The statement with another value; the comment behind it stays, and so do those inside a list."""
    if isinstance(value, list | tuple) and isinstance(statement.value, list):
        by_line = list_by_line(statement.text, statement.key, value, newline)
        if by_line is not None:
            return by_line
    name = _written_name(statement) or f"{as_key(statement.key)} "
    return f"{name}= {as_toml(value)}{_comment(statement)}{newline}"


def _written_name(statement: _Statement) -> str:
    """The key as its owner wrote it, with what stands around it."""
    for at, character in enumerate(statement.text):
        name = statement.text[:at]
        if character == "=" and understood(f"{name}= 0") == {statement.key: 0}:
            return name
    return ""


def _comment(statement: _Statement) -> str:
    """What stands behind the value, with the blanks before it."""
    whole = {statement.key: statement.value}
    for at, character in enumerate(statement.text):
        if character == "#" and understood(statement.text[:at]) == whole:
            value = statement.text[:at].rstrip()
            return statement.text[len(value) :].rstrip()
    return ""
