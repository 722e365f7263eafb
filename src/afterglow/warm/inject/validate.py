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
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from afterglow.errors import UsageError

TOOL_NAME = {
    "openai": re.compile(r"[a-zA-Z0-9_-]{1,64}"),
    "anthropic": re.compile(r"[a-zA-Z0-9_-]{1,128}"),
}
TOOL_NAME["hermes"] = TOOL_NAME["openai"]
MAX_ID_CHARACTERS = {"openai": 40, "hermes": 256, "anthropic": 256}
ROLES = {
    "openai": ("system", "developer", "user", "assistant", "tool"),
    "hermes": ("user", "assistant", "tool"),
    "anthropic": ("user", "assistant"),
}
SYSTEM_ROLES = ("system", "developer")
MAX_DEPTH = 64  # levels of an object that every reader of JSON takes
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
    rules = _anthropic if format == "anthropic" else _openai
    problems = [
        *_system(system, format),
        *_sendable(messages),
        *_roles(messages, format),
        *rules(messages, format),
    ]
    if whole and _role(messages[-1] if messages else None) != "user":
        problems.append("the last message is not the user's")
    return problems


def arguments(text: Any) -> dict[str, Any] | None:
    """The JSON object that a call's arguments are, or None. Strict: no NaN, nothing too deep to read."""
    try:
        read = json.loads(text, parse_constant=_refuse)
        json.dumps(read, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    if not isinstance(read, dict) or _deeper(read, MAX_DEPTH):
        return None
    return read


def _deeper(value: Any, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        level = [inner for outer in level for inner in _children(outer)]
    return bool(level)


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _refuse(word: str) -> None:
    raise ValueError(word)


def _system(system: Any, format: str) -> Iterator[str]:
    if system and format == "openai":
        yield "system is a message here, not a parameter"
    if isinstance(system, list):
        for n, block in enumerate(system):
            if not _has_text(block):
                yield f"system block {n}: no text"
    elif not isinstance(system, str | None):
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
        if problem := _role_problem(role, before, format):
            yield f"message {n}: {problem}"
        before = str(role)


def _role_problem(role: Any, before: str, format: str) -> str:
    is_system = role in SYSTEM_ROLES
    if role not in ROLES[format]:
        name = "system text" if is_system else f"role {role!r}"
        return f"{name} is no message here"
    if is_system and before not in ("", *SYSTEM_ROLES):
        return f"{role} after the conversation began"
    if format != "anthropic":
        return ""
    if role == before:
        return f"two {role} turns in a row"
    if role == "assistant" and not before:
        return "the user begins"
    return ""


class _Calls:
    """The calls of a conversation: every id so far, and those without a result yet."""

    def __init__(self, format: str) -> None:
        self._format = format
        self._ids: set[str] = set()
        self.open: list[str] = []

    def call(self, id: Any, name: Any) -> Iterator[str]:
        if not self._is_id(id):
            yield f"{id!r} is no id for a call"
        elif id in self._ids:
            yield f"the id {id!r} is used twice"
        self._ids.add(str(id))
        self.open.append(str(id))
        if not isinstance(name, str) or not fits(TOOL_NAME[self._format], name):
            yield f"{name!r} is no name for a tool"

    def result(self, id: Any) -> Iterator[str]:
        if id in self.open:
            self.open.remove(id)
        elif isinstance(id, str) and id in self._ids:
            yield f"a second or late result for call {id!r}"
        else:
            yield f"a result for {id!r}, which nobody called"

    def close(self, where: str = "") -> Iterator[str]:
        """From here on a result would be too late."""
        yield from (f"call {id!r} has no result{where}" for id in self.open)
        self.open = []

    def _is_id(self, id: Any) -> bool:
        if not isinstance(id, str):
            return False
        if not 0 < len(id) <= MAX_ID_CHARACTERS[self._format]:
            return False
        return self._format != "anthropic" or fits(_ID, id)


def _openai(messages: Sequence[Any], format: str) -> Iterator[str]:
    calls = _Calls(format)
    for n, message in enumerate(messages):
        if _role(message) == "tool":
            problems = _openai_result(message, calls)
        else:
            problems = _openai_message(_dict(message), calls)
        yield from (f"message {n}: {problem}" for problem in problems)
    yield from calls.close()


def _openai_result(message: dict[str, Any], calls: _Calls) -> Iterator[str]:
    yield from calls.result(message.get("tool_call_id"))
    if not _is_content(message.get("content")):
        yield "a result without content"


def _openai_message(message: dict[str, Any], calls: _Calls) -> Iterator[str]:
    yield from calls.close(" before it")
    role, content = message.get("role"), message.get("content")
    tool_calls = message.get("tool_calls")
    if tool_calls is None:
        silent = not _says_something(content) and not message.get("refusal")
        if silent and role in ROLES["openai"]:
            yield f"{role} says nothing"
        return
    has_calls = isinstance(tool_calls, list) and bool(tool_calls)
    if role != "assistant" or not has_calls:
        yield "tool_calls must be a list of calls of the assistant"
        return
    for call in tool_calls:
        yield from _openai_call(_dict(call), calls)
    if not _is_content_or_none(content):
        yield "content is neither text nor parts"


def _openai_call(call: dict[str, Any], calls: _Calls) -> Iterator[str]:
    if call.get("type") != "function":
        yield "a call that is not of type function"
    id, function = call.get("id"), _dict(call.get("function"))
    yield from calls.call(id, function.get("name"))
    text = function.get("arguments")
    if not isinstance(text, str) or arguments(text) is None:
        yield f"the arguments of call {id!r} are not a JSON object as text"


def _anthropic(messages: Sequence[Any], format: str) -> Iterator[str]:
    calls = _Calls(format)
    for n, message in enumerate(messages):
        for problem in _anthropic_message(_dict(message), calls):
            yield f"message {n}: {problem}"
    yield from calls.close()


def _anthropic_message(message: dict[str, Any], calls: _Calls) -> Iterator[str]:
    blocks = _blocks(message.get("content"))
    if not blocks:
        yield "content is neither text nor a list of blocks"
    results = [block for block in blocks if block.get("type") == "tool_result"]
    if results != blocks[: len(results)]:
        yield "results must come before anything else"
    if results and message.get("role") != "user":
        yield "a result outside a user turn"
    for block in results:
        yield from _anthropic_result(block, calls)
    yield from calls.close(" here")
    for block in blocks:
        yield from _anthropic_block(block, message, calls)


def _anthropic_result(block: dict[str, Any], calls: _Calls) -> Iterator[str]:
    yield from calls.result(block.get("tool_use_id"))
    if not _is_content_or_none(block.get("content")):
        yield "a result that is neither text nor blocks"


def _anthropic_block(
    block: dict[str, Any], message: dict[str, Any], calls: _Calls
) -> Iterator[str]:
    kind = block.get("type")
    if not isinstance(kind, str):
        yield "a block without a type"
    if kind == "text" and not _has_text(block):
        yield "an empty text block"
    if kind != "tool_use":
        return
    if message.get("role") != "assistant":
        yield "a call outside an assistant turn"
    id = block.get("id")
    yield from calls.call(id, block.get("name"))
    if not isinstance(block.get("input"), dict):
        yield f"the input of call {id!r} is not an object"


def _blocks(content: Any) -> list[dict[str, Any]]:
    """The blocks of a message; none where they are no blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    if not all(isinstance(block, dict) for block in content):
        return []
    return content


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _role(message: Any) -> Any:
    return _dict(message).get("role")


def fits(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None


def _has_text(block: Any) -> bool:
    text = _dict(block).get("text")
    return isinstance(text, str) and bool(text.strip())


def _is_content(content: Any) -> bool:
    """Text, possibly empty, or parts that each have a type."""
    if isinstance(content, list):
        return all(isinstance(_dict(part).get("type"), str) for part in content)
    return isinstance(content, str)


def _is_content_or_none(content: Any) -> bool:
    return content is None or _is_content(content)


def _says_something(content: Any) -> bool:
    """Text that is not blank, or parts of which no text is."""
    if not content or not _is_content(content):
        return False
    if isinstance(content, str):
        return bool(content.strip())
    texts = [part for part in content if part["type"] == "text"]
    return all(_has_text(part) for part in texts)
