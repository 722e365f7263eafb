"""What Hermes is told right after a call went wrong: one line behind the output of that very call.

Hermes has no other place for it. The line stands in its store with the output, so a transcript proves it; our reader
takes the two apart again.
"""

from __future__ import annotations

from typing import Any

from afterglow.hermes.session_events import AGENT, folder

OWN_TOOLS = ("afterglow_", "memory_backend")  # what they answer is ours already


def ended(
    *,
    tool_name: str = "",
    args: object = None,
    result: object = None,
    session_id: str = "",
    tool_call_id: str = "",
    **_: Any,
) -> str | None:
    """The result with the line behind it; None where there is nothing to say, and Hermes leaves the result as it is."""
    if not isinstance(result, str) or tool_name.startswith(OWN_TOOLS):
        return None
    import msgspec

    from afterglow import config
    from afterglow.flows.session import on_failure
    from afterglow.records.context import BEHIND_OUTPUT, FinishedCall

    settings = config.load()
    if not settings.hooks.failures:
        return None
    arguments = msgspec.json.encode(args or {}, enc_hook=str).decode()
    call = FinishedCall(tool_name, arguments, printed(result), id=tool_call_id)
    line = on_failure(
        settings, agent=AGENT, cwd=folder(), session=session_id, calls=[call]
    )
    return f"{result}{BEHIND_OUTPUT}{line.text}" if line.text else None


def printed(result: str) -> str:
    """What a command that ended well printed: it may say otherwise, and in JSON its lines are not lines. The result as it
    is where it did not, for that says how it ended."""
    import msgspec

    try:
        fields = msgspec.json.decode(result, type=dict)
    except msgspec.DecodeError:
        return result
    output = fields.get("output")
    ended_well = fields.get("exit_code") == 0 and not fields.get("error")
    return output if ended_well and isinstance(output, str) else result
