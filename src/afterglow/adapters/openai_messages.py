"""OpenAI's API without a framework: lists of messages, or the items of the Responses API.

session = ag.session(task, cwd=".")
messages = warm(session, [{"role": "system", "content": "..."}, {"role": "user", "content": task}])
messages.append(tool_message(session, call, output))
session.record(messages)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from afterglow.adapters.prompts import field, with_context
from afterglow.api import RunningSession

SYSTEM_ROLES = ("system", "developer")


def warm(session: RunningSession, messages: Iterable[Any]) -> list[Any]:
    """The messages, with what is known at the end of the system prompt; with a system prompt, if there was none."""
    warmed = [*messages]
    if not session.text:
        return warmed
    if not warmed or field(warmed[0], "role") not in SYSTEM_ROLES:
        return [{"role": "system", "content": session.text}, *warmed]
    first = dict(warmed[0])
    first["content"] = with_context(first.get("content"), session.text)
    return [first, *warmed[1:]]


def tool_message(
    session: RunningSession, call: Any, output: str, *, failed: bool | None = None
) -> dict[str, str]:
    """The message that answers a call of a chat completion. Unless `failed` says so, the output shows whether it did."""
    id, function = str(field(call, "id") or ""), field(call, "function")
    content = session.result(
        str(field(function, "name") or ""),
        str(field(function, "arguments") or "{}"),
        output,
        call=id,
        failed=failed,
    )
    return {"role": "tool", "tool_call_id": id, "content": content}


def function_output(
    session: RunningSession, call: Any, output: str, *, failed: bool | None = None
) -> dict[str, str]:
    """The item that answers a function call of the Responses API."""
    id = str(field(call, "call_id") or "")
    content = session.result(
        str(field(call, "name") or ""),
        str(field(call, "arguments") or "{}"),
        output,
        call=id,
        failed=failed,
    )
    return {"type": "function_call_output", "call_id": id, "output": content}
