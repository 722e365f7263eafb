"""What a renderer gives back, and taking the system messages out of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from afterglow.warm.inject.validate import SYSTEM_ROLES

Message = dict[str, Any]


class Joined(NamedTuple):
    messages: list[Message]
    system: str = ""
    session: dict[str, Any] | None = None


def without_system(messages: Sequence[Message]) -> tuple[list[str], list[Message]]:
    """The texts of system messages, and the other messages."""
    texts: list[str] = []
    remaining: list[Message] = []
    for message in messages:
        if message.get("role") not in SYSTEM_ROLES:
            remaining.append(message)
        elif text := _text(message.get("content")):
            texts.append(text)
    return texts, remaining


def _text(content: Any) -> str:
    parts = content if isinstance(content, list) else [{"text": content}]
    texts: list[str] = []
    for part in parts:
        if isinstance(part, dict):
            texts.append(str(part.get("text") or ""))
    return "\n".join(texts).strip()
