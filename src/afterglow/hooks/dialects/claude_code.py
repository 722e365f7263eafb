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
CHARACTERS = 9000  # below the 10,000 where it cuts, with room for what it adds

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


def read(content: bytes, name: str) -> Event:
    event = _decoder.decode(content)
    name = official_name(name or event.hook_event_name)
    return Event(
        name=name,
        kind=KINDS.get(name, "other"),
        session=event.session_id,
        transcript=event.transcript_path or "",
        cwd=event.cwd or "",
        source=event.source or "",
        prompt=event.prompt or "",
        tool=event.tool_name or "",
        arguments=bytes(event.tool_input).decode("utf-8", "replace"),
        inner=bool(event.agent_id),
    )


def official_name(name: str) -> str:
    """`session-start` is `SessionStart`."""
    return _BY_NAME.get(name.replace("-", "").replace("_", "").lower(), name)


def answer(event: Event, context: str) -> bytes:
    if not context:
        return EMPTY
    output = {"hookEventName": event.name, "additionalContext": context}
    return msgspec.json.encode({"hookSpecificOutput": output}) + b"\n"
