"""Continue: `~/.continue/sessions/<session>.json`, one document, messages in OpenAI's shape.

A call stands in the message that made it, with its state and what it put out. Not in it: times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from afterglow.records.session import Mark, Outcome, Session, Usage
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.openai_chat import Function, arguments_of, text_of
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, flagged
from afterglow.text.times import seconds

NAME = "continue"
AGENT = "continue"

_START = re.compile(rb'\{\s*"(?:sessionId|title|history)"')
_KEYS = (b'"sessionId"', b'"workspaceDirectory"', b'"history"')


class _ToolCall(Struct, gc=False):
    id: str | None = None
    function: Function | None = None


class _Message(Struct, gc=False):
    role: str = ""
    content: Any = None


class _Output(Struct, gc=False):
    content: str | None = None


class _State(Struct, gc=False):
    toolCallId: str | None = None
    toolCall: _ToolCall | None = None
    status: str = ""
    output: list[_Output] | None = None


class _Entry(Struct, gc=False):
    message: _Message
    toolCallStates: list[_State] | None = None


class _Spent(Struct, gc=False):
    promptTokens: int | None = 0
    completionTokens: int | None = 0
    totalCost: float | None = 0.0


class _Document(Struct, gc=False):
    sessionId: str
    history: list[_Entry]
    title: str | None = None
    workspaceDirectory: str | None = None
    usage: _Spent | None = None


class _Listed(Struct, gc=False):
    sessionId: str = ""
    dateCreated: str | None = None


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head)) and all(key in head for key in _KEYS)


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    document = json_document.load(path, _Document)
    session = Assembly(
        id=document.sessionId, agent=AGENT, format=NAME, source=str(path)
    )
    folder = (document.workspaceDirectory or "").removeprefix("file://")
    session.learn(title=document.title, cwd=folder)
    session.tick(_created(path, document.sessionId))
    for line, entry in enumerate(document.history, 1):
        _take(session, line, entry)
    if document.usage is not None:
        session.spend(_usage(document.usage))
    yield session.part(Mark())


def beside(path: Path) -> list[Path]:
    return [path.with_name("sessions.json")]


def _created(path: Path, id: str) -> float | None:
    """Stands in the list of all sessions beside it, in milliseconds as text."""
    [sessions_file] = beside(path)
    listed = json_document.load_beside(sessions_file, list[_Listed]) or []
    dates = [each.dateCreated for each in listed if each.sessionId == id]
    date = dates[0] if dates else None
    return seconds(int(date)) if date and date.isdecimal() else seconds(date)


def _take(session: Assembly, line: int, entry: _Entry) -> None:
    words = text_of(entry.message.content)
    if entry.message.role == "assistant":
        draft = session.reply("", line, None, words)
        for state in entry.toolCallStates or ():
            _take_call(session, draft, line, state)
    elif entry.message.role == "user":
        session.said("user", words, line)
    elif entry.message.role != "tool" and words:
        session.said("system", words, line, kind="injected")


def _take_call(session: Assembly, draft: Draft, line: int, state: _State) -> None:
    function = (state.toolCall or _ToolCall()).function or Function()
    tool, arguments = function.name or "", arguments_of(function)
    id = session.called(draft, state.toolCallId, tool, arguments, line)
    texts = [output.content or "" for output in state.output or ()]
    text = "\n".join(texts)
    if state.status == "done":
        session.answered(id, text, line, None, flagged(tool, arguments, text, False))
    elif state.status in {"errored", "canceled"}:
        session.answered(id, text, line, None, _ended(tool, arguments, text, state))


def _ended(tool: str, arguments: str, text: str, state: _State) -> Verdict:
    """Who cancels a call in Continue says no to it."""
    if state.status == "canceled":
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT], refused=True)
    return flagged(tool, arguments, text, is_error=True)


def _usage(spent: _Spent) -> Usage:
    return Usage(
        input=spent.promptTokens or 0,
        output=spent.completionTokens or 0,
        cost=spent.totalCost or 0.0,
    )
