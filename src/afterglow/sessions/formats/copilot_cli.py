"""Copilot CLI: one JSON event per line in `~/.copilot/session-state/<session>/events.jsonl` (older: `<session>.jsonl`).

An event is `{type, data, timestamp}`. A call is asked for in `assistant.message`, started and completed in events of
its own. A command that fails is a success to Copilot: its exit code stands at the end of the text. Sub-agents write
between the lines of their parent, under an `agentId` or the call that started them. `hook.*` and `assistant.turn_*`
lines are machinery.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from afterglow.calls import shell_line
from afterglow.records.session import Kind, Mark, Outcome, Session, Usage
from afterglow.sessions.appended_file import Desk, read_journal
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.jsonl_blocks import MAX_LINE_BYTES
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, exited, flagged
from afterglow.text.times import seconds

NAME = "copilot-cli"
AGENT = "copilot-cli"


class _Context(Struct, gc=False):
    cwd: str | None = None
    gitRoot: str | None = None
    branch: str | None = None
    repository: str | None = None
    repositoryHost: str | None = None


class _Request(Struct, gc=False):
    toolCallId: str = ""
    name: str = ""
    arguments: Raw = Raw(b"{}")


class _Result(Struct, gc=False):
    """Of a tool (`content`) or of a question for permission (`kind`)."""

    content: str | None = None
    kind: str | None = None


class _Permission(Struct, gc=False):
    toolCallId: str | None = None


class _Error(Struct, gc=False):
    message: str | None = None
    code: str | None = None


class _Tokens(Struct, gc=False):
    inputTokens: int | None = 0
    cacheReadTokens: int | None = 0
    cacheWriteTokens: int | None = 0
    reasoningTokens: int | None = 0


class _Metrics(Struct, gc=False):
    usage: _Tokens | None = None


class _Data(Struct, gc=False):
    sessionId: str | None = None
    context: _Context | None = None
    content: str | None = None
    message: str | None = None
    source: str | None = None
    delivery: str | None = None
    model: str | None = None
    selectedModel: str | None = None
    newModel: str | None = None
    toolRequests: list[_Request] | None = None
    outputTokens: int | None = 0
    toolCallId: str | None = None
    arguments: Raw = Raw(b"{}")
    isUserRequested: bool | None = None
    requestId: str | None = None
    permissionRequest: _Permission | None = None
    parentToolCallId: str | None = None
    success: bool | None = None
    result: str | _Result | None = None
    error: str | _Error | None = None
    summaryContent: str | None = None
    preCompactionTokens: int | None = 0
    tokenLimit: int | None = 0
    modelMetrics: dict[str, _Metrics] | None = None
    currentTokens: int | None = 0
    shutdownType: str | None = None
    title: str | None = None


class _Line(Struct, gc=False):
    type: str = ""
    data: _Data | None = None
    timestamp: str | None = None
    agentId: str | None = None


_decoder = msgspec.json.Decoder(_Line)

_OPENING = re.compile(rb'\{"type":"session\.(?:start|resume)","data":\{')
_EXIT = re.compile(
    r"\n?<(?:shellId: \S+ completed|exited|command completed) with exit code (-?\d+)>\s*$"
)
_RUNS = frozenset({"session.start", "session.resume"})
_INJECTED = frozenset({"system.notification", "skill.invoked"})
_NOTICES = frozenset(
    {"system.message", "session.error", "session.warning", "session.info"}
)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_OPENING.match(head)) and b'"sessionId"' in head[:4096]


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    facts = {"id": path.parent.name if path.name == "events.jsonl" else path.stem}
    facts |= {"agent": AGENT, "format": NAME, "source": str(path)}
    return read_journal(
        path, _decoder, _Events().translate, facts | _opening(path), since
    )


def _opening(path: Path) -> dict[str, str]:
    """Which session, and where: asked for on its own, since reading may start behind the first line."""
    with path.open("rb") as file:
        first = file.readline(MAX_LINE_BYTES)
    try:
        data = _decoder.decode(first).data or _Data()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    place = data.context or _Context()
    host = f"https://{place.repositoryHost}/" if place.repositoryHost else ""
    facts = {
        "id": data.sessionId,
        "cwd": place.cwd,
        "git_root": place.gitRoot,
        "branch": place.branch,
        "remote": f"{host}{place.repository}" if place.repository else "",
        "model": data.selectedModel if data.selectedModel != "auto" else "",
    }
    return {name: value for name, value in facts.items() if value}


class _Events:
    """What has to be remembered between the events of one session."""

    def __init__(self) -> None:
        self.asked: dict[
            str, str
        ] = {}  # question for permission -> the call it is about
        self.refused: dict[str, str] = {}  # call -> how permission was denied

    def translate(self, desk: Desk, number: int, line: _Line) -> None:
        data, kind, time = line.data, line.type, seconds(line.timestamp)
        if data is None:
            return
        session = _thread(desk, line.agentId or data.parentToolCallId)
        if kind == "assistant.message":
            _assistant(session, number, time, data)
        elif kind.startswith("tool."):
            self._tool(session, kind, number, time, data)
        elif kind == "user.message":
            session.facts.pop("ending", None)
            session.said("user", data.content or "", number, time, _kind(data))
        elif kind in _INJECTED:
            session.said("user", data.content or "", number, time, "injected")
        elif kind in _NOTICES:
            session.said(
                "system", data.content or data.message or "", number, time, "injected"
            )
        elif kind.startswith("permission."):
            self._permission(data)
        elif kind == "abort":
            session.interrupted(number, time)
        elif kind.startswith("session."):
            _about(session, kind, number, time, data)

    def _permission(self, data: _Data) -> None:
        request = data.requestId or ""
        if data.permissionRequest is not None:
            self.asked[request] = data.permissionRequest.toolCallId or ""
            return
        answer = data.result.kind if isinstance(data.result, _Result) else data.result
        if answer and answer.startswith("denied"):
            self.refused[data.toolCallId or self.asked.get(request, "")] = answer

    def _tool(
        self, session: Assembly, kind: str, number: int, time: float | None, data: _Data
    ) -> None:
        id = data.toolCallId or ""
        if kind == "tool.user_requested":
            arguments = _json(data.arguments)
            session.said(
                "user", shell_line(arguments) or arguments, number, time, "command"
            )
        elif kind == "tool.execution_complete":
            text = _text(data)
            if data.isUserRequested:
                session.said("user", text, number, time, "command")
                return
            verdict = _verdict(
                *session.awaiting(id), text, data, self.refused.pop(id, "")
            )
            session.answered(id, text, number, time, verdict)


def _assistant(session: Assembly, number: int, time: float | None, data: _Data) -> None:
    session.learn(model=data.model)
    draft = session.reply("", number, time, data.content or "")
    for request in data.toolRequests or ():
        session.called(
            draft,
            request.toolCallId,
            request.name,
            _json(request.arguments),
            number,
            time,
        )
    if data.outputTokens:
        draft.usage = Usage(output=data.outputTokens)


def _about(
    session: Assembly, kind: str, number: int, time: float | None, data: _Data
) -> None:
    """Events about the session as a whole."""
    session.tick(time)
    if kind in _RUNS:
        session.facts.pop("ending", None)
    elif kind == "session.model_change":
        session.learn(model=data.newModel)
    elif kind == "session.title_changed":
        session.learn(title=data.title)
    elif kind == "session.truncation":
        session.learn(window=data.tokenLimit)
    elif kind == "session.compaction_complete":
        if data.success is not False:
            session.compacted.append(number)
            session.spend(Usage(context=data.preCompactionTokens or 0))
            session.said("user", data.summaryContent or "", number, time, "summary")
    elif kind == "session.shutdown":
        if data.shutdownType != "error":
            session.facts["ending"] = "closed"
        session.spend(_spent(data))


def _thread(desk: Desk, agent: str | None) -> Assembly:
    """The session itself, or the sub-agent a line belongs to."""
    if not agent:
        return desk.main
    session = desk.thread(agent)
    if "origin" not in session.facts:
        main = desk.main.facts
        place = {
            name: main[name]
            for name in ("cwd", "git_root", "branch", "remote")
            if name in main
        }
        session.facts |= place | {"id": f"{main['id']}/{agent}", "origin": "subagent"}
        session.learn(parent=main["id"], parent_by="subagent")
    return session


def _spent(data: _Data) -> Usage:
    """What the session cost in all; the tokens it wrote are counted message by message."""
    told = [
        metrics.usage for metrics in (data.modelMetrics or {}).values() if metrics.usage
    ]
    read, wrote = (
        sum(u.cacheReadTokens or 0 for u in told),
        sum(u.cacheWriteTokens or 0 for u in told),
    )
    sent, thought = (
        sum(u.inputTokens or 0 for u in told),
        sum(u.reasoningTokens or 0 for u in told),
    )
    return Usage(
        max(0, sent - read - wrote), 0, read, wrote, thought, data.currentTokens or 0
    )


def _kind(data: _Data) -> Kind:
    if data.source and data.source != "user":
        return "injected"
    return "steer" if data.delivery == "steering" else "said"


def _text(data: _Data) -> str:
    if isinstance(data.result, _Result) and data.result.content is not None:
        return data.result.content
    if isinstance(data.error, _Error):
        return data.error.message or ""
    return data.error or (data.result if isinstance(data.result, str) else "")


def _verdict(
    tool: str, arguments: str, text: str, data: _Data, refused: str
) -> Verdict:
    code = data.error.code if isinstance(data.error, _Error) else ""
    if data.success is False and (refused or code in {"rejected", "denied"}):
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT] or refused)
    if data.success is not False and (found := _EXIT.search(text)):
        return exited(shell_line(arguments), int(found[1]), text[: found.start()])
    return flagged(tool, arguments, text, data.success is False)


def _json(raw: Raw) -> str:
    """Always an object: the arguments, or `{"input": ...}` around the free text of a custom tool."""
    text = str(raw, "utf-8", "replace")
    return f'{{"input":{text}}}' if text.startswith('"') else text
