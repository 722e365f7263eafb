"""Messages of a chat API -> the lines of `openai-jsonl`: for programs that keep their sessions with us.

Taken as OpenAI writes them, or as Anthropic does: there a call and its result are parts of a message's content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from afterglow.errors import UsageError
from afterglow.sessions.openai_chat import ROLES, text_of

Line = dict[str, Any]


def message_lines(messages: Iterable[Mapping[str, Any]]) -> Iterator[Line]:
    """Raises `UsageError` for what is no message."""
    for number, message in enumerate(messages, start=1):
        role = message.get("role") if isinstance(message, Mapping) else None
        if role not in ROLES:
            raise UsageError(
                f"message {number} has no role that is known; there are {', '.join(ROLES)}"
            )
        content = message.get("content")
        if isinstance(content, Sequence) and not isinstance(content, str):
            yield from _from_parts(message, [dict(part) for part in content])
        elif role == "tool" and message.get("is_error"):
            yield {**message, "content": _as_error(str(content))}
        else:
            yield dict(message)


def _as_error(text: str) -> str:
    """A result by whose start a reader sees that the call failed."""
    return text if text.lower().startswith("error") else f"Error: {text}"


def _from_parts(message: Mapping[str, Any], parts: list[Line]) -> Iterator[Line]:
    """Results become messages of their own, in front of what was said with them."""
    calls, words = [], []
    for part in parts:
        kind = part.get("type")
        if kind == "tool_use":
            calls.append(_call(part))
        elif kind == "tool_result":
            yield _result(part)
        else:
            words.append(part)
    spoken = text_of(words)
    if not spoken and not calls:
        return
    line = {**message, "content": spoken or None}
    if calls:
        line["tool_calls"] = [*(message.get("tool_calls") or ()), *calls]
    yield line


def _call(part: Line) -> Line:
    arguments = msgspec.json.encode(part.get("input") or {}).decode()
    function = {"name": str(part.get("name", "")), "arguments": arguments}
    return {"id": str(part.get("id", "")), "type": "function", "function": function}


def _result(part: Line) -> Line:
    text = text_of(part.get("content"))
    if part.get("is_error"):
        text = _as_error(text)
    call = str(part.get("tool_use_id", ""))
    return {"role": "tool", "tool_call_id": call, "content": text}
