"""Anthropic's messages format: the context is the `system` parameter, calls and results are blocks, turns alternate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from afterglow.warm.inject.context import LEAD
from afterglow.warm.inject.examples import Ready
from afterglow.warm.inject.result import Joined, Message, without_system


def added(context: str, examples: Sequence[Ready], started: bool) -> list[Message]:
    messages: list[Message] = [{"role": "system", "content": context}]
    if examples:
        messages.append({"role": "user", "content": [_text(LEAD)]})
    for example in examples:
        messages += turns(example)
    return messages


def turns(example: Ready) -> list[Message]:
    call = {
        "type": "tool_use",
        "id": example.id,
        "name": example.tool,
        "input": json.loads(example.arguments),
    }
    result = {
        "type": "tool_result",
        "tool_use_id": example.id,
        "content": example.result,
    }
    return [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]


def join(
    so_far: Sequence[Message], new: Sequence[Message], message: str, id: str, name: str
) -> Joined:
    """System messages of a conversation in another shape go where system text belongs; a user turn that follows a
    user turn becomes one with it."""
    system, talk = without_system(so_far)
    for turn in [*new[1:], {"role": "user", "content": message}]:
        if talk and talk[-1].get("role") == turn["role"] == "user":
            talk[-1] = {**talk[-1], "content": [*_blocks(talk[-1]), *_blocks(turn)]}
        else:
            talk.append(turn)
    system += [context["content"] for context in new[:1]]
    return Joined(talk, "\n\n".join(system))


def _blocks(turn: Message) -> list[Any]:
    content = turn.get("content")
    if isinstance(content, list):
        return content
    return [_text(str(content or ""))]


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
