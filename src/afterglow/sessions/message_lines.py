"""Messages of a chat API -> the lines of `openai-jsonl`: for programs that keep their sessions with us.

Taken as OpenAI writes them (messages, or the items of its Responses API), or as Anthropic does: there a call and its
result are parts of a message's content. Objects of their packages are as good as dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from afterglow.errors import UsageError
from afterglow.records.session import Outcome
from afterglow.sessions.formats.hermes.results import answer
from afterglow.sessions.openai_chat import ROLES, text_of

Line = dict[str, Any]


def message_lines(messages: Iterable[Any]) -> Iterator[Line]:
    """Raises `UsageError` for what is no message."""
    for number, spoken in enumerate(messages, start=1):
        message = _plain(spoken)
        if not isinstance(message, dict):
            raise UsageError(f"message {number} is {type(spoken).__name__}")
        role, kind = message.get("role"), message.get("type")
        if role in ROLES:
            yield from _from_message(message)
        elif role is None and isinstance(kind, str):
            translate = _ITEMS.get(kind)
            yield from translate(message) if translate else ()
        else:
            raise UsageError(
                f"message {number} has no role that is known; there are {', '.join(ROLES)}"
            )


def says_failure(tool: str, arguments: str, output: str) -> bool:
    """Whether a result will be read as that of a failed call once its session is recorded."""
    return answer(tool, arguments, output).verdict.outcome is Outcome.FAILED


def shell_command(call: Mapping[str, Any]) -> Line:
    """The arguments of a `shell_call`, an item of OpenAI's Responses API."""
    action = call.get("action") or {}
    return {"command": "\n".join(action.get("commands") or ())}


def shell_text(output: Iterable[Mapping[str, Any]]) -> str:
    """What the commands of a `shell_call` printed, headed by how they ended if they failed."""
    head, printed = "", ""
    for part in output:
        ended = part.get("outcome") or {}
        if ended.get("type") == "timeout":
            head = head or "Error: timed out\n"
        elif ended.get("exit_code"):
            head = head or f"Exit code {ended['exit_code']}\n"
        printed += f"{part.get('stdout') or ''}{part.get('stderr') or ''}"
    return head + printed


def _plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if hasattr(value, "model_dump"):  # pydantic: what the packages of both APIs return
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _from_message(message: Line) -> Iterator[Line]:
    content = message.get("content")
    if isinstance(content, list):
        yield from _from_parts(message, content)
    else:
        yield message


def _from_parts(message: Line, parts: list[Any]) -> Iterator[Line]:
    """Results become messages of their own, in front of what was said with them."""
    calls, words = [], []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_use":
            calls.append(_call(part.get("id"), part.get("name"), part.get("input")))
        elif kind == "tool_result":
            yield _result(part)
        else:
            words.append(part)
    spoken = text_of(words)
    if not spoken and not calls and not message.get("tool_calls"):
        return
    line = {**message, "content": spoken or None}
    if calls:
        line["tool_calls"] = [*(message.get("tool_calls") or ()), *calls]
    yield line


def _call(id: Any, name: Any, arguments: Any) -> Line:
    written = arguments
    if not isinstance(written, str):
        written = msgspec.json.encode(written or {}).decode()
    function = {"name": str(name or ""), "arguments": written}
    return {"id": str(id or ""), "type": "function", "function": function}


def _result(part: Line) -> Line:
    call, text = str(part.get("tool_use_id", "")), text_of(part.get("content"))
    line: Line = {"role": "tool", "tool_call_id": call, "content": text}
    return {**line, "is_error": True} if part.get("is_error") else line


def _called_item(item: Line) -> Iterator[Line]:
    call = _call(item.get("call_id"), item.get("name"), item.get("arguments"))
    yield {"role": "assistant", "content": None, "tool_calls": [call]}


def _output_item(item: Line) -> Iterator[Line]:
    call, output = str(item.get("call_id", "")), text_of(item.get("output"))
    yield {"role": "tool", "tool_call_id": call, "content": output}


def _shell_item(item: Line) -> Iterator[Line]:
    call = _call(item.get("call_id"), "bash", shell_command(item))
    yield {"role": "assistant", "content": None, "tool_calls": [call]}


def _shell_output_item(item: Line) -> Iterator[Line]:
    call, output = str(item.get("call_id", "")), item.get("output") or ()
    yield {"role": "tool", "tool_call_id": call, "content": shell_text(output)}


# Items of OpenAI's Responses API that have no role (a message among them has one). What a model thought, or a server
# did for it, is nothing that it said or called here, and is left out.
_ITEMS: dict[str, Callable[[Line], Iterator[Line]]] = {
    "function_call": _called_item,
    "function_call_output": _output_item,
    "shell_call": _shell_item,
    "shell_call_output": _shell_output_item,
}
