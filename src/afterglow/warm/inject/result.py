"""What a renderer gives back, and taking the system messages out of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from afterglow.warm.inject.validate import FIRST

Message = dict[str, Any]


class Joined(NamedTuple):
    messages: list[Message]
    system: str = ""
    session: dict[str, Any] | None = None


def without_system(messages: Sequence[Message]) -> tuple[list[str], list[Message]]:
    """The texts of system messages, and the other messages."""
    texts = [_text(one.get("content")) for one in messages if one.get("role") in FIRST]
    return [text for text in texts if text], [
        one for one in messages if one.get("role") not in FIRST
    ]


def _text(content: Any) -> str:
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(
        str(part.get("text") or "") for part in parts if isinstance(part, dict)
    ).strip()
