"""Amp: `~/.local/share/amp/threads/T-*.json`, one document a thread.

Results stand in the message behind the call, as a `run` with its status. Only a person's messages and the usage of
replies carry a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from afterglow.calls import shell_line
from afterglow.records.session import Mark, Outcome, Session, Usage, Voice
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, exited, flagged
from afterglow.text.times import seconds

NAME = "amp"
AGENT = "amp"

_START = re.compile(rb'\{\s*"v"\s*:\s*\d+,\s*"id"\s*:\s*"T-')
_FILE = "file://"
# Of a result: the words a person would read in it.
_WORDS = ("output", "content", "diff", "message")


class _Result(Struct, gc=False):
    exitCode: int | None = None


class _Run(Struct, gc=False):
    status: str = ""
    result: Any = None
    error: Any = None
    reason: str | None = None


class _Block(Struct, gc=False):
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw(b"{}")
    toolUseID: str | None = None
    run: _Run | None = None


class _Meta(Struct, gc=False):
    sentAt: float | None = None


class _Usage(Struct, gc=False):
    model: str | None = None
    maxInputTokens: int | None = 0
    inputTokens: int | None = 0
    outputTokens: int | None = 0
    cacheCreationInputTokens: int | None = 0
    cacheReadInputTokens: int | None = 0
    totalInputTokens: int | None = 0
    timestamp: str | None = None


class _Message(Struct, gc=False):
    role: str = ""
    content: list[_Block] = []
    meta: _Meta | None = None
    usage: _Usage | None = None


class _Repository(Struct, gc=False):
    url: str | None = None
    ref: str | None = None


class _Tree(Struct, gc=False):
    uri: str | None = None
    repository: _Repository | None = None


class _Platform(Struct, gc=False):
    client: str | None = None


class _Initial(Struct, gc=False):
    trees: list[_Tree] = []
    platform: _Platform | None = None


class _Env(Struct, gc=False):
    initial: _Initial | None = None


class _Thread(Struct, gc=False):
    id: str
    messages: list[_Message]
    created: float | None = None
    title: str | None = None
    env: _Env | None = None


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    thread = json_document.load(path, _Thread)
    session = Assembly(id=thread.id, agent=AGENT, format=NAME, source=str(path))
    session.learn(title=thread.title)
    session.tick(seconds(thread.created))
    _learn_place(session, thread.env)
    session.voice = _voice(thread.env)
    for line, message in enumerate(thread.messages, 1):
        if message.role == "assistant":
            _take_reply(session, line, message)
        else:
            _take_user(session, line, message)
    yield session.part(Mark())


def _learn_place(session: Assembly, env: _Env | None) -> None:
    trees = env.initial.trees if env and env.initial else []
    for tree in trees[:1]:
        session.learn(cwd=(tree.uri or "").removeprefix(_FILE))
        if tree.repository is not None:
            branch = (tree.repository.ref or "").removeprefix("refs/heads/")
            session.learn(remote=tree.repository.url, branch=branch)


def _voice(env: _Env | None) -> Voice:
    """Amp says which of its programs a thread was begun in; one of them runs without a person."""
    platform = env.initial.platform if env and env.initial else None
    client = (platform.client or "") if platform else ""
    if "execute" in client.lower():
        return "outside"
    return "typed" if client == "CLI" else "unstated"


def _take_user(session: Assembly, line: int, message: _Message) -> None:
    time = seconds(message.meta.sentAt) if message.meta else None
    for block in message.content:
        if block.type == "tool_result" and block.run is not None:
            id = block.toolUseID or ""
            tool, arguments = session.awaiting(id)
            text = _text(block.run)
            verdict = _verdict(tool, arguments, text, block.run)
            session.answered(id, text, line, time, verdict)
    texts = [block.text for block in message.content if block.type == "text"]
    words = "\n".join(filter(None, texts))
    if words:
        session.said("user", words, line, time)


def _take_reply(session: Assembly, line: int, message: _Message) -> None:
    usage = message.usage or _Usage()
    time = seconds(usage.timestamp)
    texts = [block.text for block in message.content if block.type == "text"]
    words = "\n".join(filter(None, texts)).strip()
    draft = session.reply("", line, time, words)
    for block in message.content:
        if block.type == "tool_use":
            arguments = str(block.input, "utf-8", "replace")
            session.called(draft, block.id, block.name or "", arguments, line, time)
    session.learn(model=usage.model, window=usage.maxInputTokens)
    if message.usage is not None:
        session.spend(_spent(usage))


def _spent(usage: _Usage) -> Usage:
    return Usage(
        input=usage.inputTokens or 0,
        output=usage.outputTokens or 0,
        cache_read=usage.cacheReadInputTokens or 0,
        cache_write=usage.cacheCreationInputTokens or 0,
        context=usage.totalInputTokens or 0,
    )


def _text(run: _Run) -> str:
    if run.error is not None:
        return _message_of(run.error)
    if run.reason:
        return run.reason
    return _message_of(run.result)


def _message_of(value: Any) -> str:
    if isinstance(value, dict):
        for name in _WORDS:
            if isinstance(value.get(name), str):
                return str(value[name])
    return text_of(value)


def _verdict(tool: str, arguments: str, text: str, run: _Run) -> Verdict:
    if run.status in {"cancelled", "in-progress"}:
        return Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    if run.status in {"rejected-by-user", "blocked-on-user"}:
        is_refused = run.status == "rejected-by-user"
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT], refused=is_refused)
    if run.status == "error":
        return flagged(tool, arguments, text, is_error=True)
    code = _exit_code(run.result)
    if code is not None:
        return exited(shell_line(arguments), code, text)
    return flagged(tool, arguments, text, is_error=False)


def _exit_code(result: Any) -> int | None:
    try:
        return msgspec.convert(result, _Result).exitCode
    except msgspec.ValidationError:
        return None
