"""Claude Code: JSON in, JSON out; context goes back as `additionalContext`.

It cuts such context above 10,000 characters and leaves a pointer to a file in its place. Events inside a sub-agent have
an `agent_id`; their `transcript_path` is that of the session.

A call that failed is told by PostToolUseFailure, one that ended well by PostToolUse (its output may say otherwise). A
call that the agent itself refused (an edit of a file that was not read) is told by neither: PostToolBatch has it.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from afterglow.hooks.deadline import EMPTY
from afterglow.hooks.dialects.results import text_of
from afterglow.hooks.event import Event, Kind
from afterglow.records.context import FinishedCall

AGENT = "claude-code"
CHARACTERS = 9000  # below the 10,000 where it cuts, with room for what it adds

KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "SubagentStart": "subagent",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "call",
    "PostToolUse": "ended",
    "PostToolUseFailure": "ended",
    "PostToolBatch": "ended",
    "Stop": "pause",
    "SessionEnd": "end",
}
REFUSED = "<tool_use_error>"  # how the result of a call begins that never ran

_BY_NAME = {name.lower(): name for name in KINDS}


class BatchCall(Struct):
    tool_name: str = ""
    tool_input: Raw = Raw(b"{}")
    tool_response: Raw = Raw(b'""')
    tool_use_id: str | None = None


class Input(Struct):
    session_id: str = ""
    transcript_path: str | None = None
    cwd: str | None = None
    hook_event_name: str = ""
    source: str | None = None
    prompt: str | None = None
    tool_name: str | None = None
    tool_input: Raw = Raw(b"{}")
    tool_use_id: str | None = None
    tool_response: Raw = Raw(b'""')
    error: str | None = None
    is_interrupt: bool | None = None
    tool_calls: list[BatchCall] | None = None
    agent_id: str | None = None


_decoder = msgspec.json.Decoder(Input)


def read(content: bytes, name: str) -> Event:
    event = _decoder.decode(content)
    name = official_name(name or event.hook_event_name)
    kind = KINDS.get(name, "other")
    return Event(
        name=name,
        kind=kind,
        session=event.session_id,
        transcript=_transcript(event, kind),
        cwd=event.cwd or "",
        source=event.source or "",
        prompt=event.prompt or "",
        tool=event.tool_name or "",
        arguments=_decoded(event.tool_input),
        calls=_finished_calls(event, name) if kind == "ended" else (),
        subagent=event.agent_id or "",
    )


def official_name(name: str) -> str:
    """`session-start` is `SessionStart`."""
    return _BY_NAME.get(name.replace("-", "").replace("_", "").lower(), name)


def answer(event: Event, context: str) -> bytes:
    if not context:
        return EMPTY
    output = {"hookEventName": event.name, "additionalContext": context}
    return msgspec.json.encode({"hookSpecificOutput": output}) + b"\n"


def _transcript(event: Input, kind: Kind) -> str:
    """A sub-agent writes one of its own once it has begun, in a folder that is named for the session. Codex tells it at
    once."""
    path = event.transcript_path or ""
    name = path.removesuffix(".jsonl")
    has_its_own = bool(event.agent_id and path) and kind != "subagent"
    if not has_its_own or name.endswith(f"-{event.agent_id}"):
        return path
    return f"{name}/subagents/agent-{event.agent_id}.jsonl"


def _finished_calls(event: Input, name: str) -> tuple[FinishedCall, ...]:
    """What may have gone wrong. In a batch only what was refused: of the rest its own event tells."""
    if event.tool_calls is not None:
        return tuple(_refused_calls(event.tool_calls))
    if event.is_interrupt or not event.tool_name:
        return ()
    call = FinishedCall(
        tool=event.tool_name,
        arguments=_decoded(event.tool_input),
        result=event.error or text_of(event.tool_response),
        failed=name == "PostToolUseFailure",
        id=event.tool_use_id or "",
    )
    return (call,)


def _refused_calls(calls: list[BatchCall]) -> list[FinishedCall]:
    refused = []
    for call in calls:
        result = text_of(call.tool_response)
        if result.startswith(REFUSED):
            arguments, id = _decoded(call.tool_input), call.tool_use_id or ""
            refused.append(FinishedCall(call.tool_name, arguments, result, True, id))
    return refused


def _decoded(raw: Raw) -> str:
    return bytes(raw).decode("utf-8", "replace")
