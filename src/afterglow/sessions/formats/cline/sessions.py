"""Cline since 2026: `~/.cline/data/sessions/<session>/<session>.messages.json`, with `<session>.json` about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from afterglow.records.session import Mark, Session
from afterglow.sessions import json_document
from afterglow.sessions.anthropic_chat import Content
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.cline.messages import take
from afterglow.text.times import seconds

NAME = "cline-sessions"
ENDING = ".messages.json"

_START = re.compile(rb'\{\s*"version"\s*:')


class _Message(Struct, gc=False):
    role: str = ""
    content: Content = None
    ts: float | None = None


class _Document(Struct, gc=False):
    sessionId: str
    messages: list[_Message]


class _Metadata(Struct, gc=False):
    title: str | None = None


class _About(Struct, gc=False):
    created_at: str | None = None
    updated_at: str | None = None
    model: str | None = None
    interactive: bool | None = None
    cwd: str | None = None
    workspace_root: str | None = None
    prompt: str | None = None
    metadata: _Metadata | None = None


def sniff(path: Path, head: bytes) -> bool:
    if not path.name.endswith(ENDING) or not _START.match(head):
        return False
    return b'"sessionId"' in head and b'"messages"' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    document = json_document.load(path, _Document)
    session = Assembly(
        id=document.sessionId, agent="cline", format=NAME, source=str(path)
    )
    about = _about(path)
    title = about.metadata.title if about.metadata else None
    session.learn(title=title or about.prompt, model=about.model)
    session.learn(cwd=about.cwd, git_root=about.workspace_root)
    session.tick(seconds(about.created_at))
    if about.interactive is not None:
        session.voice = "typed" if about.interactive else "outside"
    for line, message in enumerate(document.messages, 1):
        take(session, message.role, message.content, line, seconds(message.ts))
    yield session.part(Mark())


def beside(path: Path) -> list[Path]:
    return [path.with_name(path.name.removesuffix(ENDING) + ".json")]


def _about(path: Path) -> _About:
    [about_file] = beside(path)
    return json_document.load_beside(about_file, _About) or _About()
