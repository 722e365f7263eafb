"""Messages of Goose: a list of parts, calls as `toolRequest` and their results as `toolResponse`."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from afterglow.records.session import Kind
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import Verdict, flagged

AGENT = "goose"


class _Call(Struct, gc=False):
    name: str = ""
    arguments: Raw = Raw(b"{}")


class _Request(Struct, gc=False):
    status: str = ""
    value: _Call | None = None
    error: str | None = None


class _Response(Struct, gc=False):
    status: str = ""
    value: Any = None
    error: str | None = None


class Part(Struct, gc=False):
    type: str = ""
    text: str | None = None
    id: str | None = None
    msg: str | None = None
    toolCall: _Request | None = None
    toolResult: _Response | None = None


class Visibility(Struct, gc=False):
    userVisible: bool | None = True


def hear(
    session: Assembly,
    role: str,
    parts: list[Part],
    line: int,
    time: float | None,
    visibility: Visibility,
) -> None:
    """One message. What its person does not see, Goose has added."""
    for part in parts:
        if part.type == "toolResponse" and part.toolResult is not None:
            _take_result(session, part.id or "", part.toolResult, line, time)
    texts = [part.text for part in parts if part.type == "text" and part.text]
    words = "\n".join(texts)
    if role == "assistant":
        _take_reply(session, parts, words, line, time)
    elif words:
        kind: Kind = "said" if visibility.userVisible is not False else "injected"
        session.said("user", words, line, time, kind)


def _take_reply(
    session: Assembly, parts: list[Part], words: str, line: int, time: float | None
) -> None:
    requests = [part for part in parts if part.type == "toolRequest"]
    if not words and not requests:
        session.tick(time)
        return
    draft = session.reply("", line, time, words)
    for part in requests:
        request = part.toolCall or _Request()
        call = request.value or _Call()
        arguments = str(call.arguments, "utf-8", "replace")
        session.called(draft, part.id, call.name, arguments, line, time)


def _take_result(
    session: Assembly, id: str, result: _Response, line: int, time: float | None
) -> None:
    tool, arguments = session.awaiting(id)
    text, is_error = _said_by(result)
    verdict: Verdict = flagged(tool, arguments, text, is_error=is_error)
    session.answered(id, text, line, time, verdict)


def _said_by(result: _Response) -> tuple[str, bool]:
    """The words of a result, and whether it is an error. Older versions hold the list of contents itself."""
    if result.error is not None or result.status == "error":
        return result.error or "", True
    value = result.value
    if isinstance(value, dict):
        return text_of(value.get("content")), bool(value.get("isError"))
    return text_of(value), False
