"""What a call printed, out of the shapes in which agents hand results to hooks."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

STREAMS = ("stdout", "stderr", "output", "error", "content", "text")


def text_of(response: Raw) -> str:
    """The text that the model reads; empty where there is none."""
    try:
        return _text(msgspec.json.decode(response))
    except (msgspec.DecodeError, RecursionError):
        return ""


def _text(value: Any) -> str:
    """A text, a list of parts, or an object with streams."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        return "\n".join(filter(None, (_text(value.get(name)) for name in STREAMS)))
    return ""
