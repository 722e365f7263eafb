"""Anthropic's API without a framework: `system`, and messages whose parts are calls and results.

session = ag.session(task, cwd=".")
system = warm(session, "You are careful.")
results = [tool_result(session, use, output) for use in ...]
record(session, messages, system=system)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from afterglow.adapters.prompts import field, with_context
from afterglow.api import RunningSession


def warm(session: RunningSession, system: Any = "") -> Any:
    """The `system` of a request, text or blocks, with what is known at its end."""
    return with_context(system, session.text)


def tool_result(
    session: RunningSession, use: Any, output: str, *, is_error: bool | None = None
) -> dict[str, Any]:
    """The block that answers a `tool_use` block. Unless `is_error` says so, the output shows whether the call failed."""
    id = str(field(use, "id") or "")
    content = session.result(
        str(field(use, "name") or ""),
        field(use, "input") or {},
        output,
        call=id,
        failed=is_error,
    )
    block = {"type": "tool_result", "tool_use_id": id, "content": content}
    return block if is_error is None else {**block, "is_error": is_error}


def record(
    session: RunningSession, messages: Iterable[Any], *, system: Any, model: str = ""
) -> bool:
    """The session's end. `system` belongs to it: there stands what it was told."""
    prompt = [{"role": "system", "content": system}] if system else []
    return session.record([*prompt, *messages], model=model)
