"""What a sub-agent that is about to begin is asked for: no agent tells its hooks, but the session's transcript has the
call that sends it."""

from __future__ import annotations

from pathlib import Path

from afterglow.calls import decode
from afterglow.records.session import Call, Session
from afterglow.records.tools import tool_kind
from afterglow.sessions.transcript_end import read_end

TASK_KEYS = ("prompt", "message", "goal", "task", "description")  # of such calls


def subagent_task(transcript: Path | None, agent: str) -> str:
    """The words of all sub-agents that are on their way: which of several this one is, nobody tells."""
    end = read_end(transcript, agent) if transcript else None
    return "\n".join(_tasks(end.session)) if end is not None else ""


def _tasks(session: Session) -> list[str]:
    """Of the calls that were made last and have no answer yet."""
    turns = [turn for turn in session.turns if turn.calls]
    calls = turns[-1].calls if turns else ()
    sending = [call for call in calls if tool_kind(call.tool) == "delegate"]
    return [_task(call) for call in sending if call.result is None]


def _task(call: Call) -> str:
    values = decode(call.arguments).values
    words = [values.get(key) for key in TASK_KEYS]
    return next((word for word in words if isinstance(word, str) and word), "")
