"""OpenAI's chat format: the context is a system message, a call an entry of `tool_calls`, a result a `tool` message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from afterglow.warm.inject.context import LEAD
from afterglow.warm.inject.examples import Ready
from afterglow.warm.inject.result import Joined, Message
from afterglow.warm.inject.validate import SYSTEM_ROLES


def added(context: str, examples: Sequence[Ready], started: bool) -> list[Message]:
    """The context, then the calls. In a conversation that has begun a user turn keeps the two apart: without it the
    examples would read as the answer to what was said last."""
    messages: list[Message] = [{"role": "system", "content": context}]
    if started and examples:
        messages.append({"role": "user", "content": LEAD})
    for example in examples:
        messages += turns(example)
    return messages


def turns(example: Ready) -> list[Message]:
    function = {"name": example.tool, "arguments": example.arguments}
    call: dict[str, Any] = {"id": example.id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": example.id, "content": example.result},
    ]


def join(
    so_far: Sequence[Message], new: Sequence[Message], message: str, id: str, name: str
) -> Joined:
    is_system = [earlier.get("role") in SYSTEM_ROLES for earlier in so_far]
    begun = [*is_system, False].index(False)
    user = {"role": "user", "content": message}
    return Joined([*so_far[:begun], *new[:1], *so_far[begun:], *new[1:], user])
