"""`Code/User/workspaceStorage/*/chatSessions/*.json`: a chat as one document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from afterglow.records.session import Mark, Session
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.vscode_copilot.requests import AGENT, Chat, take
from afterglow.text.times import seconds

NAME = "copilot-chat"
_START = re.compile(
    rb'\{\s*"(?:version|requesterUsername|responderUsername|sessionId)"'
)


class _Workspace(Struct, gc=False):
    folder: str | None = None


def sniff(path: Path, head: bytes) -> bool:
    if not _START.match(head) or b'"initialLocation"' not in head:
        return False
    return b'"responderUsername"' in head or b'"requests"' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    yield assembled(json_document.load(path, Chat), path, NAME).part(Mark())


def assembled(chat: Chat, path: Path, format: str) -> Assembly:
    """Places are the numbers of requests."""
    id = chat.sessionId or path.stem
    session = Assembly(id=id, agent=AGENT, format=format, source=str(path))
    session.voice = "typed"  # there is no other way to ask an editor's chat
    session.learn(title=chat.customTitle, cwd=_folder(path))
    session.tick(seconds(chat.creationDate))
    for line, request in enumerate(chat.requests, 1):
        take(session, line, request)
    return session


def beside(path: Path) -> list[Path]:
    return [path.parent.parent / "workspace.json"]


def _folder(path: Path) -> str:
    """Which folder a workspace is of, its own file says."""
    [workspace_file] = beside(path)
    workspace = json_document.load_beside(workspace_file, _Workspace) or _Workspace()
    return (workspace.folder or "").removeprefix("file://")
