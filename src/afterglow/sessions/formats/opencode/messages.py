"""A session of OpenCode from its messages and their parts, wherever they are kept.

A call is a part that changes until it has ended, so its result stands in the same place. A command that failed is
`completed`, with its exit code beside it; `error` is the tool's own. Parts marked synthetic are what OpenCode adds to a
person's words: the contents of files they mention, reminders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from afterglow.calls import shell_line
from afterglow.records.session import Outcome, Usage
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, exited, flagged
from afterglow.text.times import seconds

AGENT = "opencode"
_ABORTED = ("Tool execution aborted", "Tool execution was interrupted")
_ENDED = frozenset({"completed", "error"})

Time = str | int | float | None


class Span(Struct, gc=False):
    """When something began and ended; messages and parts name it differently."""

    created: Time = None
    completed: Time = None
    start: Time = None
    end: Time = None


class _Metadata(Struct, gc=False):
    exit: int | None = None


class _State(Struct, gc=False):
    status: str = ""
    input: Raw = Raw(b"{}")
    output: str | None = None
    error: str | None = None
    metadata: _Metadata | None = None
    time: Span | None = None


class Part(Struct, gc=False):
    type: str = ""
    id: str = ""
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    filename: str | None = None
    tool: str | None = None
    callID: str | None = None
    state: _State | None = None
    time: Span | None = None


class _Cache(Struct, gc=False):
    read: int | None = 0
    write: int | None = 0


class _Tokens(Struct, gc=False):
    input: int | None = 0
    output: int | None = 0
    reasoning: int | None = 0
    cache: _Cache | None = None


class _Path(Struct, gc=False):
    cwd: str | None = None
    root: str | None = None


class _ErrorDetail(Struct, gc=False):
    message: str | None = None


class _Error(Struct, gc=False):
    name: str | None = None
    detail: _ErrorDetail | None = field(default=None, name="data")


class Message(Struct, gc=False):
    id: str = ""
    sessionID: str = ""
    role: str = ""
    time: Span | None = None
    modelID: str | None = None
    path: _Path | None = None
    tokens: _Tokens | None = None
    cost: float | None = None
    error: _Error | None = None
    summary: Any = None


class Revert(Struct, gc=False):
    messageID: str | None = None


class Info(Struct, gc=False):
    """What is known about a session as a whole."""

    id: str = ""
    directory: str | None = None
    title: str | None = None
    parentID: str | None = None
    time: Span | None = None
    revert: Revert | None = None


# A message with its parts, each with its place in the source.
Placed = tuple[int, Message, list[tuple[int, Part]]]


def assembled(
    header: Info, messages: Iterable[Placed], format: str, source: str
) -> Assembly:
    """The session, without what its person took back."""
    session = Assembly(id=header.id, agent=AGENT, format=format, source=source)
    session.learn(cwd=header.directory, title=_title(header.title))
    if header.parentID:
        session.learn(parent=header.parentID, parent_by="subagent", origin="subagent")
        session.voice = "outside"
    if header.time is not None:
        session.tick(seconds(header.time.created))
    undone_from = header.revert.messageID if header.revert else None
    for line, message, parts in messages:
        if undone_from and message.id == undone_from:
            break
        if message.role == "user":
            _take_request(session, line, message, parts)
        elif message.role == "assistant":
            _take_reply(session, line, message, parts)
    return session


def _title(title: str | None) -> str:
    """Until it has a title of its own, a session is called by its date."""
    return "" if not title or title.startswith("New session - ") else title


def _take_request(
    session: Assembly, line: int, message: Message, parts: list[tuple[int, Part]]
) -> None:
    time = _created(message)
    typed = [part for _, part in parts if _is_typed(part)]
    words = "\n".join(part.text or "" for part in typed)
    mentions = [part.filename for _, part in parts if part.type == "file"]
    names = "\n".join(f"[file {name}]" for name in mentions if name)
    text = "\n".join(filter(None, (words, names)))
    if text:
        session.said("user", text, line, time)
    for place, part in parts:
        if part.type == "text" and part.text and not _is_typed(part):
            session.said("user", part.text, place, time, "injected", "file")


def _is_typed(part: Part) -> bool:
    return part.type == "text" and not part.synthetic and not part.ignored


def _take_reply(
    session: Assembly, line: int, message: Message, parts: list[tuple[int, Part]]
) -> None:
    time = _created(message)
    session.learn(model=message.modelID)
    if message.path is not None:
        session.learn(cwd=message.path.cwd)
        if message.path.root and message.path.root != "/":
            session.learn(git_root=message.path.root)
    if message.summary is True:
        session.compacted.append(line)
        texts = [part.text for _, part in parts if part.type == "text" and part.text]
        session.said("user", "\n".join(texts), line, time, "summary")
    else:
        _take_parts(session, line, time, message, parts)
    if message.tokens is not None:
        session.spend(_usage(message.tokens, message.cost or 0.0))
    if message.error is not None:
        ended = seconds(message.time.completed) if message.time else None
        _take_error(session, line, ended or time, message.error)


def _take_parts(
    session: Assembly,
    line: int,
    time: float | None,
    message: Message,
    parts: list[tuple[int, Part]],
) -> None:
    draft: Draft | None = None
    for place, part in parts:
        if part.type == "text" and part.text:
            draft = session.reply(message.id, line, time, part.text)
        elif part.type == "tool":
            draft = draft or session.reply(message.id, line, time)
            _take_call(session, draft, place, part)


def _take_call(session: Assembly, draft: Draft, place: int, part: Part) -> None:
    state = part.state or _State()
    times = state.time or Span()
    arguments = str(state.input, "utf-8", "replace")
    tool = part.tool or ""
    started = seconds(times.start)
    id = session.called(draft, part.callID, tool, arguments, place, started)
    if state.status in _ENDED:
        text = state.output if state.error is None else state.error
        verdict = _verdict(tool, arguments, state)
        session.answered(id, text or "", place, seconds(times.end), verdict)


def _verdict(tool: str, arguments: str, state: _State) -> Verdict:
    if state.status == "error":
        error = state.error or ""
        if error.startswith(_ABORTED):
            return Verdict(Outcome.CANCELLED, error[:ERROR_TEXT])
        return flagged(tool, arguments, error, is_error=True)
    output = state.output or ""
    if state.metadata is not None and state.metadata.exit is not None:
        return exited(shell_line(arguments), state.metadata.exit, output)
    return flagged(tool, arguments, output, is_error=False)


def _take_error(
    session: Assembly, line: int, time: float | None, error: _Error
) -> None:
    """Why a reply ended before its time."""
    if error.name == "MessageAbortedError":
        session.interrupted(line, time)
        return
    message = error.detail.message if error.detail else ""
    text = ": ".join(filter(None, (error.name, message)))
    session.said("system", text, line, time, "injected")


def _created(message: Message) -> float | None:
    return seconds(message.time.created) if message.time else None


def _usage(tokens: _Tokens, cost: float) -> Usage:
    """OpenCode counts reasoning beside the output."""
    cache = tokens.cache or _Cache()
    sent, read, wrote = tokens.input or 0, cache.read or 0, cache.write or 0
    reasoning = tokens.reasoning or 0
    return Usage(
        input=sent,
        output=(tokens.output or 0) + reasoning,
        cache_read=read,
        cache_write=wrote,
        reasoning=reasoning,
        context=sent + read + wrote,
        cost=cost,
    )


message_decoder = msgspec.json.Decoder(Message)
part_decoder = msgspec.json.Decoder(Part)
