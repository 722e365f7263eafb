"""The requests of a chat: what was asked, which rounds of calls it took, what was answered.

The rounds hold calls with their arguments, and apart from them results as trees of texts; how a call ended is not said.
Where there are no rounds (older versions, a request that goes on), the response names the tools it used.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.calls import is_shell_call, shell_line
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.outcomes import UNKNOWN, Verdict, exited, plain
from afterglow.text.times import seconds

AGENT = "copilot-chat"
MAX_DEPTH = 60  # of the tree a result is
_EXIT = re.compile(r"[Cc]ommand exited with code (-?\d+)")


class _Text(Struct, gc=False):
    text: str | None = None


class _Call(Struct, gc=False):
    id: str | None = None
    name: str = ""
    arguments: str | None = None


class _Round(Struct, gc=False):
    response: str | None = None
    toolCalls: list[_Call] | None = None


class _Metadata(Struct, gc=False):
    toolCallRounds: list[_Round] | None = None
    toolCallResults: dict[str, Any] | None = None


class _Error(Struct, gc=False):
    message: str | None = None


class _Result(Struct, gc=False):
    metadata: _Metadata | None = None
    errorDetails: _Error | None = None


class _Agent(Struct, gc=False):
    name: str | None = None


class Request(Struct, gc=False):
    message: _Text | None = None
    timestamp: float | None = None
    modelId: str | None = None
    isCanceled: bool | None = None
    response: list[dict[str, Any]] | None = None
    result: _Result | None = None


class Chat(Struct, gc=False):
    sessionId: str | None = None
    creationDate: float | None = None
    customTitle: str | None = None
    requests: list[Request] = []


def take(session: Assembly, line: int, request: Request) -> None:
    time = seconds(request.timestamp)
    session.learn(model=(request.modelId or "").removeprefix("copilot/"))
    if request.message is not None and request.message.text:
        session.said("user", request.message.text, line, time)
    metadata = (request.result or _Result()).metadata or _Metadata()
    if metadata.toolCallRounds:
        _take_rounds(session, line, metadata)
    else:
        _take_response(session, line, request.response or [])
    if request.isCanceled:
        session.interrupted(line, time)
    error = (request.result or _Result()).errorDetails
    if error is not None and error.message:
        session.said("system", error.message, line, None, "injected")


def _take_rounds(session: Assembly, line: int, metadata: _Metadata) -> None:
    results = metadata.toolCallResults or {}
    for part in metadata.toolCallRounds or ():
        draft = session.reply("", line, None, part.response)
        for call in part.toolCalls or ():
            arguments = call.arguments or "{}"
            id = session.called(draft, call.id, call.name, arguments, line)
            if call.id in results:
                text = "".join(_texts(results[call.id]))
                verdict = _verdict(call.name, arguments, text)
                session.answered(id, text, line, None, verdict)


def _verdict(tool: str, arguments: str, text: str) -> Verdict:
    """A command's exit code stands in its words, or nowhere."""
    if not is_shell_call(tool, arguments):
        return plain(text)
    ended = _EXIT.search(text)
    if ended is None:
        return UNKNOWN
    return exited(shell_line(arguments), int(ended[1]), text)


def _texts(node: Any, depth: int = 0) -> list[str]:
    """The words in a result, in their order."""
    if depth > MAX_DEPTH:
        return []
    if isinstance(node, list):
        return [text for part in node for text in _texts(part, depth + 1)]
    if not isinstance(node, dict):
        return []
    if isinstance(node.get("text"), str):
        return [node["text"]]
    if isinstance(node.get("value"), str):
        return [node["value"]]
    below = (node.get(name) for name in ("content", "value", "node", "children"))
    return [text for part in below for text in _texts(part, depth + 1)]


def _take_response(
    session: Assembly, line: int, response: list[dict[str, Any]]
) -> None:
    texts = [str(part["value"]) for part in response if _is_words(part)]
    draft = session.reply("", line, None, "".join(texts).strip())
    for part in response:
        if part.get("kind") == "toolInvocationSerialized":
            tool, id = str(part.get("toolId") or ""), str(part.get("toolCallId") or "")
            arguments = msgspec.json.encode(_terminal(part)).decode()
            id = session.called(draft, id, tool, arguments, line)
            if part.get("isComplete"):
                session.answered(id, "", line, None, UNKNOWN)


def _is_words(part: dict[str, Any]) -> bool:
    return "kind" not in part and isinstance(part.get("value"), str)


def _terminal(part: dict[str, Any]) -> dict[str, str]:
    """The command of a call that used the terminal: the only argument a response keeps."""
    specific = part.get("toolSpecificData")
    line = specific.get("commandLine") if isinstance(specific, dict) else None
    command = line.get("original") if isinstance(line, dict) else None
    return {"command": command} if isinstance(command, str) else {}
