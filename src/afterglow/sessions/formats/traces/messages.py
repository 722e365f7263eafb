"""Messages as tracing conventions write them down: OpenTelemetry's GenAI (a list as JSON), OpenInference and older
instrumentations (one attribute a field, `llm.input_messages.0.message.role`), OpenAI's and Anthropic's own shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

MAX_PLACES = 5000  # of a list spread over attributes

_IN = ("gen_ai.input.messages", "gen_ai.prompt", "langfuse.observation.input", "input.value")  # fmt: skip
_OUT = ("gen_ai.output.messages", "gen_ai.completion", "langfuse.observation.output", "output.value")  # fmt: skip
_SPREAD_IN = ("llm.input_messages", "gen_ai.prompt")
_SPREAD_OUT = ("llm.output_messages", "gen_ai.completion")
_PLACE = re.compile(r"\d{1,4}$")


class ToolCall(NamedTuple):
    id: str
    name: str
    arguments: str


class Message(NamedTuple):
    """`results` are answers to calls, by the id of the call."""

    role: str
    text: str
    calls: tuple[ToolCall, ...] = ()
    results: tuple[tuple[str, str], ...] = ()


def in_messages(attributes: Mapping[str, Any]) -> list[Message]:
    return _messages(attributes, _IN, _SPREAD_IN, "user")


def out_messages(attributes: Mapping[str, Any]) -> list[Message]:
    return _messages(attributes, _OUT, _SPREAD_OUT, "assistant")


def plain_text(value: Any) -> str:
    """Words as they stand; anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _messages(
    attributes: Mapping[str, Any],
    names: tuple[str, ...],
    prefixes: tuple[str, ...],
    role: str,
) -> list[Message]:
    for prefix in prefixes:
        if spread := _gathered(attributes, prefix):
            return list(_read(spread, role))
    for name in names:
        value = _decoded(attributes.get(name))
        if value not in (None, ""):
            return list(_read(value, role))
    return []


def _decoded(value: Any) -> Any:
    """JSON inside a string, where it is that."""
    if not isinstance(value, str) or not value.startswith(("[", "{")):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value


def _gathered(attributes: Mapping[str, Any], prefix: str) -> Any:
    """A list that was spread over attributes, together again."""
    root: dict[str, Any] = {}
    start = prefix + "."
    for key, value in attributes.items():
        if key.startswith(start):
            node = root
            *way, last = key[len(start) :].split(".")
            for step in way:
                below = node.setdefault(step, {})
                node = below if isinstance(below, dict) else {}
            node[last] = value
    return _listed(root)


def _listed(node: Any) -> Any:
    """Numbered fields are a list."""
    if not isinstance(node, dict):
        return node
    if node and all(_PLACE.match(key) for key in node):
        return [_listed(node[key]) for key in sorted(node, key=int)][:MAX_PLACES]
    return {key: _listed(value) for key, value in node.items()}


def _read(value: Any, role: str) -> Iterator[Message]:
    if isinstance(value, str):
        yield Message(role, value)
    elif isinstance(value, list):
        for entry in value:
            yield from _read(entry, role)
    elif isinstance(value, dict):
        inner = value.get("message") or value.get("messages")
        if isinstance(inner, dict | list):
            yield from _read(inner, role)
        else:
            yield _message(value, role)


def _message(entry: dict[str, Any], role: str) -> Message:
    speaker = str(entry.get("role") or role)
    parts = entry.get("parts") or entry.get("content") or entry.get("contents")
    texts: list[str] = []
    calls = [_call(call) for call in _entries(entry.get("tool_calls"))]
    results: list[tuple[str, str]] = []
    for part in _entries(parts):
        kind = str(part.get("type") or "")
        if kind in {"tool_call", "tool_use"}:
            calls.append(_call(part))
        elif kind in {"tool_call_response", "tool_result"}:
            results.append(_result(part))
        elif words := _words(part):
            texts.append(words)
    if isinstance(parts, str):
        texts.append(parts)
    text = "\n".join(texts)
    if speaker in {"tool", "function"} and not results:
        id = entry.get("tool_call_id") or entry.get("id") or ""
        results.append((str(id), text))
    return Message(_speaker(speaker), text, tuple(calls), tuple(results))


def _entries(value: Any) -> list[dict[str, Any]]:
    value = _decoded(value)
    listed = value if isinstance(value, list) else [value]
    return [entry for entry in listed if isinstance(entry, dict)]


def _words(part: dict[str, Any]) -> str:
    inner = part.get("message_content")
    fields = {**part, **inner} if isinstance(inner, dict) else part
    if fields.get("type") in {"reasoning", "thinking"}:
        return ""
    for name in ("content", "text"):
        if isinstance(fields.get(name), str):
            return str(fields[name])
    return ""


def _call(entry: dict[str, Any]) -> ToolCall:
    inner = entry.get("tool_call")
    call = inner if isinstance(inner, dict) else entry
    function = call.get("function")
    source = function if isinstance(function, dict) else call
    arguments = source.get("arguments", source.get("input"))
    return ToolCall(
        str(call.get("id") or ""),
        str(source.get("name") or ""),
        plain_text(arguments) or "{}",
    )


def _result(part: dict[str, Any]) -> tuple[str, str]:
    id = part.get("id") or part.get("tool_use_id") or part.get("tool_call_id") or ""
    value = next(
        (part[name] for name in ("response", "result", "content") if name in part), ""
    )
    if isinstance(value, list):
        return str(id), "\n".join(filter(None, map(_words, _entries(value))))
    return str(id), plain_text(value)


def _speaker(role: str) -> str:
    return {"human": "user", "ai": "assistant", "model": "assistant"}.get(role, role)
