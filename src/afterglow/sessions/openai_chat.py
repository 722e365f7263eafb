"""OpenAI-style chat messages -> an assembly: role, content, tool_calls, tool_call_id, whichever agent wrote them down.

A reader decodes its own file into `Message` and hands each one to `hear`. What one agent does differently from the
rest (wrapped results, bridged calls, machinery under "user") is a `Dialect`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from afterglow.records.session import Kind, Outcome, Role, Voice
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.outcomes import Verdict, flagged, plain
from afterglow.text.times import seconds

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
MEDIA = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "video_url": "video",
    "input_file": "file",
}


class Function(Struct, gc=False):
    """Arguments are JSON text inside a string nearly everywhere, and the bare object in some files."""

    name: str | None = None
    arguments: Raw = Raw(b"{}")


class ToolCall(Struct, gc=False):
    id: str | None = None
    function: Function | None = None


class Message(Struct, gc=False):
    """One message. `content` is text, a list of parts or nothing; `function_call` is the older way to call a tool;
    `is_error` is true in a result of which the agent knew that the call failed."""

    role: str = ""
    content: Any = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    function_call: Function | None = None
    timestamp: str | float | None = None
    is_error: Any = None


class Answer(NamedTuple):
    """What a tool result really says: its text, how the call ended, words of the user that were tucked into it (theirs
    only where no tool can have put them there: `steer_voice`), and what a plugin of ours put behind it."""

    text: str
    verdict: Verdict
    steer: str = ""
    injected: str = ""
    steer_voice: Voice = "outside"


def _answer(tool: str, arguments: str, text: str) -> Answer:
    return Answer(text, plain(text))


def _call(tool: str, arguments: str) -> tuple[str, str]:
    return tool, arguments


def _kind(role: Role, text: str) -> Kind:
    return "said"


class Dialect(NamedTuple):
    """How one agent's messages are to be understood. The defaults take everything at its word.

    `answer`: tool, arguments and result text -> what that means. `call`: tool and arguments as written -> as meant.
    `kind`: role and text of a message -> who is really speaking.
    """

    answer: Callable[[str, str, str], Answer] = _answer
    call: Callable[[str, str], tuple[str, str]] = _call
    kind: Callable[[Role, str], Kind] = _kind


PLAIN = Dialect()


def hear(
    session: Assembly,
    message: Message,
    line: int,
    dialect: Dialect = PLAIN,
    time: float | None = None,
) -> None:
    """Adds one message to the session. Its time is its own timestamp unless the caller knows better.

    A role nobody knows is kept as machinery, not dropped.
    """
    if time is None:
        time = seconds(message.timestamp)
    role = ROLES.get(message.role)
    if role == "assistant":
        _reply(session, message, line, dialect, time)
    elif role == "tool":
        _result(session, message, line, dialect, time)
    elif text := text_of(message.content):
        kind = dialect.kind(role, text) if role else "injected"
        session.said(role or "system", text, line, time, kind)


def text_of(content: Any) -> str:
    """The words of a message; parts that are not words are named in brackets."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_part(part) for part in content)
    return "" if content is None else msgspec.json.encode(content).decode()


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    if isinstance(text, str):
        return text
    kind = str(part.get("type") or "part")
    return f"[{MEDIA.get(kind, kind)}]"


def arguments_of(function: Function) -> str:
    """The JSON text the model sent, out of its string where it is in one."""
    raw = bytes(function.arguments)
    if raw.startswith(b'"'):
        return msgspec.json.decode(raw, type=str)
    return "{}" if raw == b"null" else raw.decode("utf-8", "replace")


def _reply(
    session: Assembly, message: Message, line: int, dialect: Dialect, time: float | None
) -> None:
    text = text_of(message.content)
    calls = _calls(message)
    if not calls:
        session.said("assistant", text, line, time, dialect.kind("assistant", text))
        return
    draft = session.reply("", line, time, text)
    for id, function in calls:
        tool, arguments = dialect.call(function.name or "", arguments_of(function))
        session.called(draft, id, tool, arguments, line, time)


def _calls(message: Message) -> list[tuple[str | None, Function]]:
    """The calls of a message, each with its id."""
    calls: list[tuple[str | None, Function]] = []
    for call in message.tool_calls or ():
        if call.function:
            calls.append((call.id, call.function))
    if message.function_call and not calls:
        calls.append((None, message.function_call))
    return calls


def _result(
    session: Assembly, message: Message, line: int, dialect: Dialect, time: float | None
) -> None:
    id = _open_call(session, message)
    tool, arguments = session.awaiting(id)
    text = text_of(message.content)
    answer = dialect.answer(tool or message.name or "", arguments, text)
    verdict = answer.verdict
    if message.is_error is True and verdict.outcome is Outcome.OK:
        verdict = flagged(tool, arguments, answer.text, True)
    session.answered(id, answer.text, line, time, verdict)
    if answer.injected:
        session.said("user", answer.injected, line, time, "injected")
    if answer.steer:
        session.said("user", answer.steer, line, time, "steer", answer.steer_voice)


def _open_call(session: Assembly, message: Message) -> str:
    """The id of the open call this result belongs to, where ids are missing or were used twice in one turn."""
    id = message.tool_call_id or ""
    if id in session.open:
        return id
    for open_id in session.open:
        if id:
            fits = open_id.startswith(f"{id}@")
        elif message.name:
            tool, _ = session.awaiting(open_id)
            fits = tool == message.name
        else:
            fits = True
        if fits:
            return open_id
    return id
