"""`opencode export ID`: one document, the session's info and its messages with their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from msgspec import Struct, field

from afterglow.records.session import Mark, Session
from afterglow.sessions import json_document
from afterglow.sessions.formats.opencode.messages import (
    Info,
    Message,
    Part,
    Placed,
    assembled,
)

NAME = "opencode-export"

_START = re.compile(rb'\{\s*"info"\s*:\s*\{')


class _Entry(Struct, gc=False):
    message: Message = field(name="info")
    parts: list[Part] = []


class _Document(Struct, gc=False):
    header: Info = field(name="info")
    messages: list[_Entry]


def sniff(path: Path, head: bytes) -> bool:
    if not _START.match(head):
        return False
    return (b'"directory"' in head and b'"slug"' in head) or b'"projectID"' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    document = json_document.load(path, _Document)
    header = document.header
    header.id = header.id or path.stem
    session = assembled(header, _placed(document.messages), NAME, str(path))
    yield session.part(Mark())


def _placed(entries: list[_Entry]) -> Iterator[Placed]:
    """Places are numbers in the order of the document: a message, then its parts."""
    places = count(1)
    for entry in entries:
        line = next(places)
        yield line, entry.message, [(next(places), part) for part in entry.parts]
