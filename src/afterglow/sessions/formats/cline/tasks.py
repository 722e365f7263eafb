"""Tasks of Cline, Roo Code and Kilo Code in an editor: `tasks/<time>/api_conversation_history.json`, messages as they
were sent, with `history_item.json` beside it or `state/taskHistory.json` above."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from afterglow.records.session import Mark, Session, Usage
from afterglow.sessions import json_document
from afterglow.sessions.anthropic_chat import Content
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.cline.messages import take
from afterglow.text.times import seconds

NAME = "cline-tasks"
FILE = "api_conversation_history.json"
# The folder of an extension -> its agent; Cline where the tasks lie elsewhere.
AGENTS = {"roo": "roo-code", "kilo": "kilo-code"}

_START = re.compile(rb'\[\s*\{\s*"role"\s*:')


class _Message(Struct, gc=False):
    role: str = ""
    content: Content = None
    ts: float | None = None
    isSummary: bool | None = None


class _Item(Struct, gc=False):
    id: str = ""
    ts: float | None = None
    task: str | None = None
    tokensIn: int | None = 0
    tokensOut: int | None = 0
    cacheReads: int | None = 0
    cacheWrites: int | None = 0
    totalCost: float | None = 0.0
    workspace: str | None = None
    cwdOnTaskInitialization: str | None = None
    modelId: str | None = None


def sniff(path: Path, head: bytes) -> bool:
    return path.name == FILE and bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    messages = json_document.load(path, list[_Message])
    folder = path.parent
    session = Assembly(
        id=folder.name, agent=_agent(path), format=NAME, source=str(path)
    )
    session.voice = "typed"  # there is no other way to ask an editor's extension
    # A task is called by the time it began at.
    began = seconds(int(folder.name)) if folder.name.isdecimal() else None
    session.tick(began)
    item = _item(folder)
    session.learn(title=(item.task or "")[:120], model=item.modelId)
    session.learn(cwd=item.workspace or item.cwdOnTaskInitialization)
    session.tick(seconds(item.ts))
    for line, message in enumerate(messages, 1):
        if message.isSummary:
            session.compacted.append(line)
        take(session, message.role, message.content, line, seconds(message.ts))
    session.spend(_usage(item))
    yield session.part(Mark())


def _agent(path: Path) -> str:
    folders = " ".join(path.parts[-5:]).lower()
    return next((name for mark, name in AGENTS.items() if mark in folders), "cline")


def beside(path: Path) -> list[Path]:
    return [path.parent / "history_item.json", _task_list(path.parent)]


def _task_list(folder: Path) -> Path:
    return folder.parent.parent / "state" / "taskHistory.json"


def _item(folder: Path) -> _Item:
    """What the list of tasks says about this one."""
    item = json_document.load_beside(folder / "history_item.json", _Item)
    if item is not None:
        return item
    items = json_document.load_beside(_task_list(folder), list[_Item]) or []
    return next((item for item in items if item.id == folder.name), _Item())


def _usage(item: _Item) -> Usage:
    return Usage(
        input=item.tokensIn or 0,
        output=item.tokensOut or 0,
        cache_read=item.cacheReads or 0,
        cache_write=item.cacheWrites or 0,
        cost=item.totalCost or 0.0,
    )
