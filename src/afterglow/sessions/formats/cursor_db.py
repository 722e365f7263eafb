"""Cursor's editor: `User/globalStorage/state.vscdb`, SQLite, a table of keys and JSON values.

    composerData:<chat>          what a chat is called, when it was, and its bubbles in order
    bubbleId:<chat>:<bubble>     one bubble: words of the person (1) or the model (2), perhaps with one call

Older chats hold their bubbles themselves. How a command ended stands in its result where it does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
from msgspec import Struct

from afterglow.calls import is_shell_call, shell_line
from afterglow.records.session import Damage, Mark, Outcome, Session
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import ERROR_TEXT, UNKNOWN, Verdict, exited, flagged
from afterglow.sessions.sqlite_source import Source, holds, opened
from afterglow.text.times import seconds

NAME = "cursor-db"
AGENT = "cursor"
PERSON = 1  # as the type of a bubble
CHAT, BUBBLE = "composerData:", "bubbleId:"


class _Call(Struct, gc=False):
    name: str | None = None
    toolCallId: str | None = None
    status: str | None = None
    rawArgs: str | None = None
    params: Any = None
    result: Any = None
    error: Any = None
    userDecision: str | None = None


class _Bubble(Struct, gc=False):
    type: int = 0
    bubbleId: str | None = None
    text: str | None = None
    createdAt: str | int | float | None = None
    toolFormerData: _Call | None = None


class _Chat(Struct, gc=False):
    name: str | None = None
    createdAt: float | None = None
    lastUpdatedAt: float | None = None
    fullConversationHeadersOnly: list[_Bubble] = []
    conversation: list[_Bubble] = []


class _Result(Struct, gc=False):
    exitCode: int | None = None
    exitCodeV2: int | None = None
    output: str | None = None
    rejected: bool | None = None


_chats = msgspec.json.Decoder(_Chat)
_bubbles = msgspec.json.Decoder(_Bubble)
_results = msgspec.json.Decoder(_Result)


def sniff(path: Path, head: bytes) -> bool:
    return holds(path, head, {"cursorDiskKV": {"key", "value"}})


def read(
    path: Path, since: Mark = Mark(), only: Collection[str] | None = None
) -> Iterator[Session]:
    with opened(path) as source:
        for id, line, value in _chat_rows(source):
            if only is None or id in only:
                session = _session(source, id, line, value)
                if session is not None:
                    yield session


def stamps(path: Path) -> dict[str, str]:
    """What a chat says of itself, and its newest bubble: one that is written again gets a new row."""
    with opened(path) as source:
        return {
            id: f"{line}|{crc32(_bytes(value))}|{_newest(source, id)}"
            for id, line, value in _chat_rows(source)
        }


def _newest(source: Source, id: str) -> str:
    query = "SELECT count(*), max(rowid) FROM cursorDiskKV WHERE key >= ? AND key < ?"
    first = f"{BUBBLE}{id}:"
    return "|".join(map(str, source.rows(query, first, first[:-1] + ";")[0]))


def _chat_rows(source: Source) -> list[tuple[str, int, Any]]:
    query = "SELECT key, rowid, value FROM cursorDiskKV WHERE key >= ? AND key < ?"
    rows = source.rows(query, CHAT, CHAT[:-1] + ";")
    return [
        (key.removeprefix(CHAT), line, value)
        for key, line, value in rows
        if isinstance(key, str) and value
    ]


def _session(source: Source, id: str, line: int, value: Any) -> Session | None:
    session = Assembly(id=id, agent=AGENT, format=NAME, source=str(source.path))
    session.voice = "typed"  # there is no other way to ask an editor's chat
    try:
        chat = _chats.decode(_bytes(value))
    except (msgspec.DecodeError, RecursionError) as error:
        session.hurt([Damage(line, f"chat not JSON of Cursor: {error}")])
        return session.part(Mark())
    session.learn(title=chat.name)
    session.tick(seconds(chat.createdAt))
    for place, bubble in enumerate(chat.conversation, 1):
        _take(session, place, bubble)
    for header in chat.fullConversationHeadersOnly:
        _take_stored(source, session, f"{BUBBLE}{id}:{header.bubbleId}")
    session.tick(seconds(chat.lastUpdatedAt))
    return session.part(Mark())


def _take_stored(source: Source, session: Assembly, key: str) -> None:
    rows = source.rows("SELECT rowid, value FROM cursorDiskKV WHERE key = ?", key)
    for line, value in rows:
        if not value:
            continue
        try:
            _take(session, line, _bubbles.decode(_bytes(value)))
        except (msgspec.DecodeError, RecursionError) as error:
            session.hurt([Damage(line, f"bubble not JSON of Cursor: {error}")])


def _bytes(value: Any) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else bytes(value)


def _take(session: Assembly, line: int, bubble: _Bubble) -> None:
    time = seconds(bubble.createdAt)
    if bubble.type == PERSON:
        if bubble.text:
            session.said("user", bubble.text, line, time)
        return
    call = bubble.toolFormerData
    if not bubble.text and (call is None or not call.name):
        return
    draft = session.reply("", line, time, bubble.text)
    if call is None or not call.name:
        return
    arguments = call.rawArgs or _text(call.params) or "{}"
    id = session.called(draft, call.toolCallId, call.name, arguments, line, time)
    if call.status in {"completed", "error", "cancelled"}:
        text, verdict = _ended(call, arguments)
        session.answered(id, text, line, time, verdict)


def _ended(call: _Call, arguments: str) -> tuple[str, Verdict]:
    text = _text(call.error) or _text(call.result)
    if call.userDecision == "rejected":
        return text, Verdict(Outcome.BLOCKED, text[:ERROR_TEXT], refused=True)
    if call.status == "cancelled":
        return text, Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    if call.status == "error":
        return text, flagged(call.name or "", arguments, text, is_error=True)
    if not is_shell_call(call.name or "", arguments):
        return text, flagged(call.name or "", arguments, text, is_error=False)
    result = _result(text)
    code = result.exitCodeV2 if result.exitCode is None else result.exitCode
    output = result.output if result.output is not None else text
    if code is None:
        return output, UNKNOWN
    return output, exited(shell_line(arguments), code, output)


def _result(text: str) -> _Result:
    try:
        return _results.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return _Result()


def _text(value: Any) -> str:
    return "" if value is None else text_of(value)
