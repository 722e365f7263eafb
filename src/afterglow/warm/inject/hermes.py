"""A session to import into Hermes: OpenAI's shape, with the context in a user turn and an answer that closes it.

Hermes puts its own system prompt in front of a stored conversation. A stored system message would take that prompt's
place with some providers and be dropped by others, so the context is what the user said first. Hermes joins two user
turns in a row; the closing answer keeps the person's message a turn of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.text.clip import clip, printable
from afterglow.warm.inject import openai
from afterglow.warm.inject.context import END
from afterglow.warm.inject.examples import Ready, sendable
from afterglow.warm.inject.result import Joined, Message, without_system


def added(context: str, examples: Sequence[Ready], started: bool) -> list[Message]:
    messages: list[Message] = [{"role": "user", "content": context}]
    for example in examples:
        messages += turns(example)
    end = END if examples else "Noted."
    messages.append({"role": "assistant", "content": end, "finish_reason": "stop"})
    return messages


def turns(example: Ready) -> list[Message]:
    call, result = openai.turns(example)
    return [
        {**call, "finish_reason": "tool_calls"},
        {**result, "tool_name": example.tool},
    ]


def join(
    so_far: Sequence[Message], new: Sequence[Message], message: str, id: str, name: str
) -> Joined:
    """`session` is for `SessionDB.import_sessions([session])`; `hermes chat --resume ID` then takes the message. Its
    title carries the delivery's id: Hermes refuses a title it has already."""
    system, talk = without_system(so_far)
    stored = [*talk, *new]
    title = f"{clip(printable(sendable(name)).strip(), 60) or 'warm session'} ({id})"
    session = {
        "id": f"warm_{id.removeprefix('ag-')}",
        "source": "cli",
        "title": title,
        "messages": stored,
    }
    spoken = [{"role": "user", "content": message}] if message.strip() else []
    return Joined([*stored, *spoken], "\n\n".join(system), session)
