"""pi: one JSON line per entry in `~/.pi/agent/sessions/--<folder>--/<time>_<session>.jsonl`.

The first line is the header. In version 1 the entries follow one another. From version 2 on every entry names its
parent: going back and trying again grows a tree in the same file, and the session is the path from the last entry to
the root. Which entries that takes is only known at the end, so trees are always read from the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct, field

from afterglow.calls import shell_line
from afterglow.records.session import Call, Kind, Mark, Outcome, Session, Usage
from afterglow.sessions.appended_file import read_single
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.jsonl_blocks import MAX_LINE_BYTES, blocks
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, exited, filed, flagged
from afterglow.text.times import seconds

NAME = "pi"
AGENT = "pi"
ENDING_CHARACTERS = 200  # of a result: how the command ended stands there


class _Block(Struct, gc=False):
    type: str = ""
    text: str | None = None
    id: str = ""
    name: str = ""
    arguments: Raw = Raw(b"{}")


_Content = str | list[_Block] | None


class _Cost(Struct, gc=False):
    total: float | None = 0.0


class _Usage(Struct, gc=False):
    input: int | None = 0
    output: int | None = 0
    cacheRead: int | None = 0
    cacheWrite: int | None = 0
    cost: _Cost | None = None


class _Details(Struct, gc=False):
    """What Oh My Pi notes beside a result."""

    exitCode: int | None = None
    executed: bool | None = None
    interrupted: bool | None = field(default=None, name="__interrupted")


class _Message(Struct, gc=False):
    role: str = ""
    content: _Content = None
    model: str | None = None
    usage: _Usage | None = None
    stopReason: str | None = None
    errorMessage: str | None = None
    toolCallId: str | None = None
    isError: bool | None = None
    details: Raw = Raw(b"")
    attribution: str | None = None
    steering: bool | None = None
    command: str | None = None
    output: str | None = None
    summary: str | None = None


class _Entry(Struct, gc=False):
    type: str = ""
    version: int | None = 1
    id: str | None = None
    parentId: str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    modelId: str | None = None
    model: str | None = None
    task: str | None = None
    title: str | None = None
    branchedFrom: str | None = None
    parentSession: str | None = None
    message: _Message | None = None
    content: _Content = None
    summary: str | None = None
    name: str | None = None


_decoder = msgspec.json.Decoder(_Entry)
_details_decoder = msgspec.json.Decoder(_Details)

_HEADER = re.compile(rb'\{"type":"session",(?:"version":\d+,)?"id":"')
_ENDED = re.compile(r"Command (?:exited with code (-?\d+)|aborted)\s*$")
_BLOCKED = ("Tool execution was blocked", "Blocked by user")
_UNFINISHED = frozenset({"aborted", "error"})
MAX_LINES_BEFORE_HEADER = 3  # a title, a damaged line
_INJECTED = frozenset({"custom", "hookMessage", "developer"})
OH_MY_PI_FOLDER = "/.omp/"  # of a fork of pi that keeps the same entries


def sniff(path: Path, head: bytes) -> bool:
    if not _HEADER.match(head) or OH_MY_PI_FOLDER in path.as_posix():
        return False
    return b'"timestamp"' in head.partition(b"\n")[0]


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    return read_entries(path, since, {"agent": AGENT, "format": NAME})


def read_entries(path: Path, since: Mark, names: dict[str, str]) -> Iterator[Session]:
    """The sessions of a file of pi's entries, under the `names` of its agent and format."""
    header = _first_header(path)
    facts = {**names, "id": header.id or path.stem, "source": str(path)}
    facts |= {"cwd": header.cwd or "", "title": header.title or ""}
    if parent := header.parentSession or header.branchedFrom:
        facts |= {"parent": _id_in(parent), "parent_by": "branch"}
    if (header.version or 1) > 1:
        return _read_tree(path, facts, seconds(header.timestamp))
    return read_single(path, _decoder, _take, facts, since)


def _first_header(path: Path) -> _Entry:
    """The first line that is one; Oh My Pi puts the title before it."""
    title = None
    with path.open("rb") as file:
        for _ in range(MAX_LINES_BEFORE_HEADER):
            header = _decoded(file.readline(MAX_LINE_BYTES))
            title = title or header.title
            if header.type == "session":
                header.title = title
                return header
    return _Entry()


def _decoded(line: bytes) -> _Entry:
    """The first line, read outside the journal, which alone counts damage."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Entry()


def _id_in(path: str) -> str:
    """`.../2025-12-09T00-52-54-397Z_<session>.jsonl` -> `<session>`."""
    return re.split(r"[/\\]", path)[-1].removesuffix(".jsonl").rsplit("_", 1)[-1]


def _read_tree(
    path: Path, facts: dict[str, str], started: float | None
) -> Iterator[Session]:
    session = Assembly(**facts)
    session.tick(started)
    entries: list[tuple[int, _Entry]] = []
    with path.open("rb") as file:
        for block in blocks(file, _decoder):
            session.hurt(block.damage)
            entries += zip(block.numbers, block.values, strict=True)
    for number, entry in _path(entries):
        _take(session, number, entry)
    yield session.part(Mark())


def _path(entries: list[tuple[int, _Entry]]) -> list[tuple[int, _Entry]]:
    """From the root to the last entry. Where a parent could not be read, the line before takes its place."""
    places = {entry.id: place for place, (_, entry) in enumerate(entries) if entry.id}
    path = []
    place = len(entries) - 1
    while place >= 0:
        number, entry = entries[place]
        path.append((number, entry))
        if entry.parentId is None:
            break
        parent = places.get(entry.parentId, place)
        place = parent if parent < place else place - 1
    return path[::-1]


def _take(session: Assembly, number: int, entry: _Entry) -> None:
    kind, time = entry.type, seconds(entry.timestamp)
    if kind == "message":
        if entry.message is not None:
            _message(session, number, time, entry.message)
    elif kind == "compaction":
        session.compacted.append(number)
        session.said("user", entry.summary, number, time, "summary")
    elif kind == "branch_summary":
        session.said("user", entry.summary, number, time, "summary")
    elif kind == "custom_message":
        session.said("user", _text(entry.content), number, time, "injected")
    elif kind == "session_info":
        session.learn(title=entry.name)
    elif kind == "session_init":
        # Oh My Pi starts a helper with what another agent asks of it.
        session.learn(origin="subagent", parent_by="subagent")
    else:
        session.tick(time)
        session.learn(model=entry.modelId or entry.model, title=entry.title)


def _message(
    session: Assembly, number: int, time: float | None, message: _Message
) -> None:
    role = message.role
    if role == "assistant":
        _assistant(session, number, time, message)
    elif role == "toolResult":
        id, text = message.toolCallId or "", _text(message.content)
        tool, arguments = session.awaiting(id)
        verdict = _verdict(tool, arguments, text, message)
        session.answered(id, text, number, time, verdict)
    elif role == "user":
        text = _text(message.content)
        if message.steering:
            session.facts["attended"] = True
        session.said("user", text, number, time, _kind(text, message.attribution))
    elif role == "bashExecution":
        session.facts["attended"] = True  # `!command` is typed into the editor
        command, output = message.command or "", message.output or ""
        session.said("user", f"!{command}\n{output}", number, time, "command")
    elif role in _INJECTED:
        session.said("user", _text(message.content), number, time, "injected")


def _assistant(
    session: Assembly, number: int, time: float | None, message: _Message
) -> None:
    session.learn(model=message.model)
    texts: list[str] = []
    calls: list[_Block] = []
    for block in _blocks(message.content):
        if block.type == "toolCall":
            calls.append(block)
        elif block.type == "text" and block.text:
            texts.append(block.text)
    if texts or calls:
        draft = session.reply("", number, time, "\n".join(texts))
        for block in calls:
            _call(session, draft, number, time, block, message)
    if message.usage is not None:
        session.spend(_usage(message.usage))
    if message.stopReason == "aborted":
        session.interrupted(number, time)
    elif message.stopReason == "error":
        session.said("system", message.errorMessage, number, time, "injected")


def _blocks(content: _Content) -> list[_Block]:
    return content if isinstance(content, list) else [_Block("text", content)]


def _call(
    session: Assembly,
    draft: Draft,
    number: int,
    time: float | None,
    block: _Block,
    message: _Message,
) -> None:
    """A call; of a message that was broken off it is never made."""
    arguments = str(block.arguments, "utf-8", "replace")
    if message.stopReason not in _UNFINISHED:
        session.called(draft, block.id, block.name, arguments, number, time)
        return
    draft.calls.append(
        Call(
            block.id,
            block.name,
            arguments,
            number,
            Outcome.CANCELLED,
            error=message.errorMessage or "",
            started=time,
        )
    )


def _usage(usage: _Usage) -> Usage:
    sent = usage.input or 0
    read = usage.cacheRead or 0
    wrote = usage.cacheWrite or 0
    cost = usage.cost or _Cost()
    return Usage(
        input=sent,
        output=usage.output or 0,
        cache_read=read,
        cache_write=wrote,
        context=sent + read + wrote,
        cost=cost.total or 0.0,
    )


def _text(content: _Content) -> str:
    if not isinstance(content, list):
        return content or ""
    texts: list[str] = []
    for block in content:
        texts.append(f"[{block.type}]" if block.text is None else block.text)
    return "\n".join(texts)


def _kind(text: str, attribution: str | None) -> Kind:
    if attribution == "agent":
        return "injected"
    return "command" if text.startswith("<skill name=") else "said"


def _verdict(tool: str, arguments: str, text: str, message: _Message) -> Verdict:
    """pi says how a command ended at the end of its output, Oh My Pi beside it."""
    if not message.isError:
        return flagged(tool, arguments, text, is_error=False)
    if text.startswith(_BLOCKED):
        return filed(Verdict(Outcome.BLOCKED, text[:ERROR_TEXT]), tool, text)
    details = _details_of(message)
    if details.executed is False or details.interrupted:
        return Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    ended = _ENDED.search(text, max(len(text.rstrip()) - ENDING_CHARACTERS, 0))
    if ended is None:
        return flagged(tool, arguments, text, is_error=True)
    if not ended[1]:
        return Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    output = text[: ended.start()].rstrip("\n")
    return exited(shell_line(arguments), int(ended[1]), output)


def _details_of(message: _Message) -> _Details:
    try:
        return _details_decoder.decode(message.details or b"{}")
    except msgspec.DecodeError:
        return _Details()
