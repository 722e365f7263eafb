"""`hermes sessions export`: JSON lines, each a session with all its columns and its messages.

A session and those it was compacted into may be exported as one line with `segments`: each is a session of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from afterglow.records.session import Mark, Session
from afterglow.sessions.formats.hermes.rows import Header, build
from afterglow.sessions.formats.hermes.transcript import Row, continues
from afterglow.sessions.session_per_line import read_each

NAME = "hermes-export"

_START = re.compile(rb'\s*\{\s*"id"\s*:\s*"')


class _Line(Header, kw_only=True):
    messages: list[Row] | None = None
    segments: list[_Line] | None = None


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    return (
        _START.match(head) is not None
        and b'"source"' in head
        and b'"model_config"' in head
    )


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    facts = {"format": NAME, "source": str(path)}

    def sessions(line: _Line) -> Iterator[Session]:
        before: list[Row] = []
        for segment in line.segments or [line]:
            rows = segment.messages or []
            ended = "compression" if before or continues(rows) else ""
            yield from build(segment, rows, facts, parent_ended=ended, before=before)
            before = rows

    return read_each(path, _decoder, sessions)
