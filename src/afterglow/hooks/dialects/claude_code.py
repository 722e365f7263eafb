"""Claude Code: JSON in, JSON out; context goes back as `additionalContext`.

It cuts such context above 10,000 characters and leaves a pointer to a file in its place. Events inside a sub-agent have
an `agent_id`.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from afterglow.hooks.deadline import EMPTY
from afterglow.hooks.event import Event, Kind

AGENT = "claude-code"
CHARACTERS = 9000

KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "call",
    "Stop": "pause",
    "SessionEnd": "end",
}
_BY_NAME = {name.lower(): name for name in KINDS}


class Input(Struct):
    session_id: str = ""
    transcript_path: str | None = None
    cwd: str | None = None
    hook_event_name: str = ""
    source: str | None = None
    prompt: str | None = None
    tool_name: str | None = None
    tool_input: Raw = Raw(b"{}")
    agent_id: str | None = None


_decoder = msgspec.json.Decoder(Input)


def read(data: bytes, name: str) -> Event:
    told = _decoder.decode(data)
    name = known(name or told.hook_event_name)
    return Event(
        name=name, kind=KINDS.get(name, "other"), session=told.session_id, transcript=told.transcript_path or "",
        cwd=told.cwd or "", source=told.source or "", prompt=told.prompt or "", tool=told.tool_name or "",
        arguments=bytes(told.tool_input).decode("utf-8", "replace"), inner=bool(told.agent_id),
    )  # fmt: skip


def known(name: str) -> str:
    """`session-start` is `SessionStart`."""
    return _BY_NAME.get(name.replace("-", "").replace("_", "").lower(), name)


def answer(event: Event, context: str) -> bytes:
    if not context:
        return EMPTY
    told = {
        "hookSpecificOutput": {
            "hookEventName": event.name,
            "additionalContext": context,
        }
    }
    return msgspec.json.encode(told) + b"\n"
