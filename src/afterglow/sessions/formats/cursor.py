"""Cursor's agent: `~/.cursor/projects/<folder>/agent-transcripts/**/*.jsonl`, a line a message.

Not in it: times, ids, results, the working folder. A call's outcome is therefore unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.records.session import Kind, Mark, Session
from afterglow.sessions.anthropic_chat import Content, blocks_of, hear
from afterglow.sessions.appended_file import read_single
from afterglow.sessions.assembly import Assembly

NAME = "cursor"
AGENT = "cursor"

_START = re.compile(rb'\{"role":"(?:user|assistant)","message":\{"content":')
_QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)


class _Message(Struct, gc=False):
    content: Content = None


class _Line(Struct, gc=False):
    role: str = ""
    type: str = ""
    message: _Message | None = None


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    return read_single(path, _decoder, _take, {"agent": AGENT, "format": NAME}, since)


def _take(session: Assembly, number: int, line: _Line) -> None:
    if line.message is None:
        return
    if line.role == "user":
        _take_request(session, number, line.message.content)
    else:
        hear(session, line.role, line.message.content, number)


def _take_request(session: Assembly, number: int, content: Content) -> None:
    """The person's words stand in a tag of their own; what stands around it Cursor has added."""
    for block in blocks_of(content):
        text = block.text or ""
        queries = _QUERY.findall(text)
        if queries:
            session.said("user", "\n".join(queries), number)
            text = _QUERY.sub("", text).strip()
            if text:
                session.said("user", text, number, kind="injected")
        elif text:
            session.said("user", text, number, kind=_kind(text))


def _kind(text: str) -> Kind:
    return "injected" if text.startswith("<") else "said"
