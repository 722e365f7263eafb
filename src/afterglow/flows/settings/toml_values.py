"""TOML in small: a value as it is written, lines as they are split, and what the reader of TOML makes of a text."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec


def as_toml(value: object) -> str:
    """A value as it is written on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{as_key(k)} = {as_toml(v)}" for k, v in value.items())
        return f"{{{pairs}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(as_toml, value))}]"
    return str(value)


def as_key(name: str) -> str:
    """A name as it is written before `=`."""
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else as_toml(name)


def understood(text: str) -> dict[str, Any] | None:
    """None where it is no whole."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def text_lines(text: str) -> list[str]:
    """Split where TOML does, and nowhere else; with their ends."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines
