"""The lines of a Codex rollout, as far as they are used here.

A line is `{timestamp, type, payload}`; rollouts before September 2025 have no envelope, so a line may itself be what
otherwise is its payload.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from afterglow.sessions.formats.codex.outputs import Part, Record


class Tokens(Struct, gc=False):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0


class TokenCount(Struct, gc=False):
    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None
    model_context_window: int | None = None


class Git(Struct, gc=False):
    branch: str | None = None
    repository_url: str | None = None


class Item(Struct, gc=False):
    """The payload of any line. What has another type in another event stays raw."""

    type: str = ""
    role: str | None = None
    content: str | list[Part] | None = None
    name: str | None = None
    namespace: str | None = None
    call_id: str | None = None
    arguments: Raw = Raw(b"")
    input: Raw = Raw(b"")
    action: Raw = Raw(b"")
    output: str | list[Part] | Record | None = None
    tools: Raw = Raw(b"")
    result: Raw = Raw(b"")
    status: Raw = Raw(b"")
    message: Raw = Raw(b"")
    success: bool | None = None
    stderr: str | None = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    info: TokenCount | None = None
    model_context_window: int | None = None
    model: str | None = None
    thread_name: str | None = None
    id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    git: Git | None = None
    source: Raw = Raw(b"")
    thread_source: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None


class Line(Item, gc=False):
    payload: Item | None = None


decoder = msgspec.json.Decoder(Line)
_string = msgspec.json.Decoder(str)


def decoded(line: bytes) -> Line:
    """A line read outside the journal, which alone counts damage."""
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Line()


def tool_of(item: Item) -> str:
    name = item.name or item.type.removesuffix("_call")
    if not item.namespace:
        return name
    return f"{item.namespace.rstrip('_')}__{name.lstrip('_')}"


def arguments_of(item: Item) -> str:
    """Always JSON: what the model sent, or `{"input": ...}` around the free text of a custom tool."""
    if item.type == "custom_tool_call":
        return f'{{"input":{json_text(item.input) or "null"}}}'
    return (
        string(item.arguments)
        or json_text(item.arguments)
        or json_text(item.action)
        or "{}"
    )


def json_text(raw: Raw) -> str:
    text = str(raw, "utf-8", "replace")
    return "" if text == "null" else text


def string(raw: Raw) -> str:
    """The text of a JSON string; empty for anything else."""
    text = json_text(raw)
    return _string.decode(text) if text.startswith('"') else ""
