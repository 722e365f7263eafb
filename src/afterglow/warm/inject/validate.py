"""What the published rules of the chat APIs say against a message list. Offline, and stricter than most servers.

    check(messages, "openai")                       []                      it may be sent
    check(messages, "anthropic", system=text)       ["message 3: ..."]      what is wrong, and where

OpenAI: a system message comes first; an assistant message that calls tools is followed by one tool message a call.
Anthropic: system text is no message; user and assistant alternate, the user first; the results of all calls open the
next user turn. Hermes stores OpenAI's shape, and no system message: it puts its own in front of what it finds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from afterglow.errors import UsageError

NAME = {
    "openai": re.compile(r"[a-zA-Z0-9_-]{1,64}"),
    "anthropic": re.compile(r"[a-zA-Z0-9_-]{1,128}"),
}
NAME["hermes"] = NAME["openai"]
LONGEST_ID = {"openai": 40, "hermes": 256, "anthropic": 256}
ROLES = {
    "openai": ("system", "developer", "user", "assistant", "tool"),
    "hermes": ("user", "assistant", "tool"),
    "anthropic": ("user", "assistant"),
}
FIRST = ("system", "developer")
DEEPEST = 64  # levels of an object that every reader of JSON takes
_ID = re.compile(r"[a-zA-Z0-9_-]+")


def check(
    messages: Any, format: str, system: Any = None, *, whole: bool = True
) -> list[str]:
    """Problems, in order; none is valid. `whole=False` is for a conversation the user's next message will complete."""
    if format not in ROLES:
        raise UsageError(
            f"no message format named {format!r}; there are {', '.join(ROLES)}"
        )
    if not isinstance(messages, Sequence) or isinstance(messages, str):
        return ["messages are not a list"]
    rules: Callable[[Sequence[Any], str], Iterator[str]] = (
        _anthropic if format == "anthropic" else _openai
    )
    found = [
        *_system(system, format),
        *_sendable(messages),
        *_roles(messages, format),
        *rules(messages, format),
    ]
    if whole:
        last = messages[-1] if messages else None
        found += (
            []
            if isinstance(last, dict) and last.get("role") == "user"
            else ["the last message is not the user's"]
        )
    return found


def arguments(text: Any) -> dict[str, Any] | None:
    """The JSON object that a call's arguments are, or None. Strict: no NaN, nothing too deep to read."""
    try:
        read = json.loads(text, parse_constant=_refuse)
        json.dumps(read, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) and not _deeper(read, DEEPEST) else None


def _deeper(value: Any, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def _refuse(word: str) -> None:
    raise ValueError(word)


def _system(system: Any, format: str) -> Iterator[str]:
    if system and format == "openai":
        yield "system is a message here, not a parameter"
    if isinstance(system, list):
        yield from (
            f"system block {n}: no text"
            for n, block in enumerate(system)
            if not _said(block)
        )
    elif system is not None and not isinstance(system, str):
        yield "system is neither text nor a list of text blocks"


def _sendable(messages: Sequence[Any]) -> Iterator[str]:
    try:
        json.dumps(messages, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        yield f"cannot be sent as JSON: {error}"


def _roles(messages: Sequence[Any], format: str) -> Iterator[str]:
    before = ""
    for n, message in enumerate(messages):
        if not isinstance(message, dict):
            yield f"message {n}: not an object"
            continue
        role = message.get("role")
        if role not in ROLES[format]:
            yield f"message {n}: {'system text' if role in FIRST else f'role {role!r}'} is no message here"
        elif role in FIRST and before not in ("", *FIRST):
            yield f"message {n}: {role} after the conversation began"
        elif format == "anthropic" and (
            role == before or (role == "assistant" and not before)
        ):
            yield (
                f"message {n}: two {role} turns in a row"
                if before
                else f"message {n}: the user begins"
            )
        before = str(role)


def _openai(messages: Sequence[Any], format: str) -> Iterator[str]:
    asked: set[str] = set()  # every id so far
    open_: list[str] = []  # calls without a result
    for n, message in enumerate(m if isinstance(m, dict) else {} for m in messages):
        role, content, calls = (
            message.get("role"),
            message.get("content"),
            message.get("tool_calls"),
        )
        if role == "tool":
            id = message.get("tool_call_id")
            yield from _answered(n, id, open_, asked)
            if content is None or not _text(content):
                yield f"message {n}: a result without content"
            continue
        yield from (f"message {n}: call {id!r} has no result before it" for id in open_)
        open_ = []
        if calls is not None and (
            role != "assistant" or not isinstance(calls, list) or not calls
        ):
            yield f"message {n}: tool_calls must be a list of calls of the assistant"
        elif calls:
            for call in calls:
                function = call.get("function") if isinstance(call, dict) else None
                function = function if isinstance(function, dict) else {}
                id = call.get("id") if isinstance(call, dict) else None
                if not isinstance(call, dict) or call.get("type") != "function":
                    yield f"message {n}: a call that is not of type function"
                yield from _asked(n, id, function.get("name"), asked, format)
                open_.append(str(id))
                if (
                    not isinstance(function.get("arguments"), str)
                    or arguments(function["arguments"]) is None
                ):
                    yield f"message {n}: the arguments of call {id!r} are not a JSON object as text"
            if content is not None and not _text(content):
                yield f"message {n}: content is neither text nor parts"
        elif role in ROLES["openai"] and not (
            _filled(content) or message.get("refusal")
        ):
            yield f"message {n}: {role} says nothing"
    yield from (f"call {id!r} has no result" for id in open_)


def _anthropic(messages: Sequence[Any], format: str) -> Iterator[str]:
    asked: set[str] = set()
    open_: list[str] = []
    for n, message in enumerate(m if isinstance(m, dict) else {} for m in messages):
        content = message.get("content")
        blocks = (
            [{"type": "text", "text": content}] if isinstance(content, str) else content
        )
        if (
            not isinstance(blocks, list)
            or not blocks
            or not all(isinstance(block, dict) for block in blocks)
        ):
            yield f"message {n}: content is neither text nor a list of blocks"
            blocks = []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if results != blocks[: len(results)]:
            yield f"message {n}: results must come before anything else"
        if results and message.get("role") != "user":
            yield f"message {n}: a result outside a user turn"
        for block in results:
            yield from _answered(n, block.get("tool_use_id"), open_, asked)
            if block.get("content") is not None and not _text(block["content"]):
                yield f"message {n}: a result that is neither text nor blocks"
        yield from (f"message {n}: call {id!r} has no result here" for id in open_)
        open_ = []
        for block in blocks:
            if block.get("type") == "text" and not _said(block):
                yield f"message {n}: an empty text block"
            elif block.get("type") == "tool_use":
                if message.get("role") != "assistant":
                    yield f"message {n}: a call outside an assistant turn"
                yield from _asked(n, block.get("id"), block.get("name"), asked, format)
                open_.append(str(block.get("id")))
                if not isinstance(block.get("input"), dict):
                    yield f"message {n}: the input of call {block.get('id')!r} is not an object"
            elif not isinstance(block.get("type"), str):
                yield f"message {n}: a block without a type"
    yield from (f"call {id!r} has no result" for id in open_)


def _asked(n: int, id: Any, name: Any, asked: set[str], format: str) -> Iterator[str]:
    if (
        not isinstance(id, str)
        or not 0 < len(id) <= LONGEST_ID[format]
        or (format == "anthropic" and not fits(_ID, id))
    ):
        yield f"message {n}: {id!r} is no id for a call"
    elif id in asked:
        yield f"message {n}: the id {id!r} is used twice"
    asked.add(str(id))
    if not isinstance(name, str) or not fits(NAME[format], name):
        yield f"message {n}: {name!r} is no name for a tool"


def _answered(n: int, id: Any, open_: list[str], asked: set[str]) -> Iterator[str]:
    if id in open_:
        open_.remove(id)
    elif isinstance(id, str) and id in asked:
        yield f"message {n}: a second or late result for call {id!r}"
    else:
        yield f"message {n}: a result for {id!r}, which nobody called"


def fits(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None


def _said(block: Any) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return isinstance(text, str) and bool(text.strip())


def _text(content: Any) -> bool:
    """Text, possibly empty, or parts that each have a type."""
    if isinstance(content, list):
        return all(
            isinstance(part, dict) and isinstance(part.get("type"), str)
            for part in content
        )
    return isinstance(content, str)


def _filled(content: Any) -> bool:
    """Something is said: text that is not blank, or parts of which no text is."""
    if not _text(content) or not content:
        return False
    return (
        bool(content.strip())
        if isinstance(content, str)
        else all(p["type"] != "text" or _said(p) for p in content)
    )
