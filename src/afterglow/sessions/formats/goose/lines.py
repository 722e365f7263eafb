"""Goose before 1.10: `~/.local/share/goose/sessions/*.jsonl`, a line about the session, then a line a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.records.session import Mark, Session
from afterglow.sessions.appended_file import read_single
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.goose.messages import AGENT, Part, Visibility, hear
from afterglow.text.times import seconds

NAME = "goose-lines"

_START = re.compile(rb'\{[^\n]*"working_dir"\s*:[^\n]*"message_count"\s*:')


class _Line(Struct, gc=False):
    description: str | None = None
    working_dir: str | None = None
    created_at: str | None = None
    role: str = ""
    created: float | None = None
    content: list[Part] | None = None
    metadata: Visibility | None = None


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head.partition(b"\n")[0]))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    return read_single(path, _decoder, _take, {"agent": AGENT, "format": NAME}, since)


def _take(session: Assembly, number: int, line: _Line) -> None:
    if not line.role:
        session.learn(cwd=line.working_dir, title=line.description)
        session.tick(seconds(line.created_at))
        return
    visibility = line.metadata or Visibility()
    time = seconds(line.created)
    hear(session, line.role, line.content or [], number, time, visibility)
