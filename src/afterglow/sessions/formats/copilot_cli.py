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
from msgspec import Raw, Struct, field

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


class _Event(Struct, gc=False):
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
    event: _Event | None = field(default=None, name="data")
    timestamp: str | None = None
    agentId: str | None = None


_decoder = msgspec.json.Decoder(_Line)

_OPENING = re.compile(rb'\{"type":"session\.(?:start|resume)","data":\{')
_EXIT = re.compile(
    r"\n?<(?:shellId: \S+ completed|exited|command completed) with exit code (-?\d+)>\s*$"
)
_DENIED_BY_PEOPLE = frozenset({"denied-interactively-by-user"})
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
        event = _decoder.decode(first).event
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    if event is None:
        return {}
    place = event.context or _Context()
    facts = {
        "id": event.sessionId,
        "cwd": place.cwd,
        "git_root": place.gitRoot,
        "branch": place.branch,
        "remote": _remote(place),
    }
    if event.selectedModel != "auto":
        facts["model"] = event.selectedModel
    return {name: value for name, value in facts.items() if value}


def _remote(place: _Context) -> str:
    if not place.repository:
        return ""
    if not place.repositoryHost:
        return place.repository
    return f"https://{place.repositoryHost}/{place.repository}"


class _Events:
    """What has to be remembered between the events of one session."""

    def __init__(self) -> None:
        self.call_of: dict[str, str] = {}  # question for permission -> call
        self.refused: dict[str, str] = {}  # call -> how permission was denied

    def translate(self, desk: Desk, number: int, line: _Line) -> None:
        event, kind, time = line.event, line.type, seconds(line.timestamp)
        if event is None:
            return
        session = _thread(desk, line.agentId or event.parentToolCallId)
        if kind == "assistant.message":
            _assistant(session, number, time, event)
        elif kind.startswith("tool."):
            self._tool(session, kind, number, time, event)
        elif kind == "user.message":
            session.facts.pop("ending", None)
            session.said("user", event.content, number, time, _kind(event))
        elif kind in _INJECTED:
            session.said("user", event.content, number, time, "injected")
        elif kind in _NOTICES:
            notice = event.content or event.message
            session.said("system", notice, number, time, "injected")
        elif kind.startswith("permission."):
            self._permission(event)
        elif kind == "abort":
            session.interrupted(number, time)
        elif kind.startswith("session."):
            _about(session, kind, number, time, event)

    def _permission(self, event: _Event) -> None:
        request = event.requestId or ""
        if event.permissionRequest is not None:
            self.call_of[request] = event.permissionRequest.toolCallId or ""
            return
        result = event.result
        answer = result.kind if isinstance(result, _Result) else result
        if answer and answer.startswith("denied"):
            call = event.toolCallId or self.call_of.get(request, "")
            self.refused[call] = answer

    def _tool(
        self,
        session: Assembly,
        kind: str,
        number: int,
        time: float | None,
        event: _Event,
    ) -> None:
        id = event.toolCallId or ""
        if kind == "tool.user_requested":
            session.facts["attended"] = True
            arguments = _json(event.arguments)
            words = shell_line(arguments) or arguments
            session.said("user", words, number, time, "command")
        elif kind == "tool.execution_complete" and event.isUserRequested:
            session.said("user", _text(event), number, time, "command")
        elif kind == "tool.execution_complete":
            text, refused = _text(event), self.refused.pop(id, "")
            verdict = _verdict(*session.awaiting(id), text, event, refused)
            session.answered(id, text, number, time, verdict)


def _assistant(
    session: Assembly, number: int, time: float | None, event: _Event
) -> None:
    session.learn(model=event.model)
    draft = session.reply("", number, time, event.content)
    for request in event.toolRequests or ():
        id, arguments = request.toolCallId, _json(request.arguments)
        session.called(draft, id, request.name, arguments, number, time)
    if event.outputTokens:
        draft.usage = Usage(output=event.outputTokens)


def _about(
    session: Assembly, kind: str, number: int, time: float | None, event: _Event
) -> None:
    """Events about the session as a whole."""
    session.tick(time)
    if kind in _RUNS:
        session.facts.pop("ending", None)
    elif kind == "session.model_change":
        session.learn(model=event.newModel)
    elif kind == "session.title_changed":
        session.learn(title=event.title)
    elif kind == "session.truncation":
        session.learn(window=event.tokenLimit)
    elif kind == "session.compaction_complete" and event.success is not False:
        session.compacted.append(number)
        session.spend(Usage(context=event.preCompactionTokens or 0))
        session.said("user", event.summaryContent, number, time, "summary")
    elif kind == "session.shutdown":
        if event.shutdownType != "error":
            session.facts["ending"] = "closed"
        session.spend(_spent(event))


def _thread(desk: Desk, agent: str | None) -> Assembly:
    """The session itself, or the sub-agent a line belongs to."""
    if not agent:
        return desk.main
    session = desk.thread(agent)
    if "origin" not in session.facts:
        main = desk.main.facts
        for name in ("cwd", "git_root", "branch", "remote"):
            if name in main:
                session.facts[name] = main[name]
        session.facts["id"] = f"{main['id']}/{agent}"
        session.facts["origin"] = "subagent"
        session.learn(parent=main["id"], parent_by="subagent")
    return session


def _spent(event: _Event) -> Usage:
    """What the session cost in all; the tokens it wrote are counted message by message."""
    sent = read = wrote = thought = 0
    for metrics in (event.modelMetrics or {}).values():
        tokens = metrics.usage or _Tokens()
        sent += tokens.inputTokens or 0
        read += tokens.cacheReadTokens or 0
        wrote += tokens.cacheWriteTokens or 0
        thought += tokens.reasoningTokens or 0
    return Usage(
        input=max(0, sent - read - wrote),
        cache_read=read,
        cache_write=wrote,
        reasoning=thought,
        context=event.currentTokens or 0,
    )


def _kind(event: _Event) -> Kind:
    if event.source and event.source != "user":
        return "injected"
    return "steer" if event.delivery == "steering" else "said"


def _text(event: _Event) -> str:
    result, error = event.result, event.error
    if isinstance(result, _Result) and result.content is not None:
        return result.content
    if isinstance(error, _Error):
        return error.message or ""
    if error:
        return error
    return result if isinstance(result, str) else ""


def _verdict(
    tool: str, arguments: str, text: str, event: _Event, refused: str
) -> Verdict:
    if event.success is False:
        error = event.error
        reason = error.code if isinstance(error, _Error) else ""
        if refused or reason in {"rejected", "denied"}:
            by_person = refused in _DENIED_BY_PEOPLE
            error = text[:ERROR_TEXT] or refused
            return Verdict(Outcome.BLOCKED, error, refused=by_person)
        return flagged(tool, arguments, text, is_error=True)
    ended = _EXIT.search(text)
    if ended is None:
        return flagged(tool, arguments, text, is_error=False)
    code, output = int(ended[1]), text[: ended.start()]
    return exited(shell_line(arguments), code, output)


def _json(raw: Raw) -> str:
    """Always an object: the arguments, or `{"input": ...}` around the free text of a custom tool."""
    text = str(raw, "utf-8", "replace")
    return f'{{"input":{text}}}' if text.startswith('"') else text
