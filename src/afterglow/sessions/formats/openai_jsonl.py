"""OpenAI-style messages, one on each line: `{"role", "content", "tool_calls", "tool_call_id", "timestamp"}`.

The plainest way to keep a session, written by many small agents and by older versions of Hermes. A first line may say
whose session it is instead of what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from afterglow.records.session import Mark, Session
from afterglow.sessions.appended_file import Desk, read_journal
from afterglow.sessions.formats.hermes.results import HERMES
from afterglow.sessions.openai_chat import ROLES, Message, hear
from afterglow.text.times import seconds

NAME = "openai-jsonl"
AGENT = "openai"
HERMES_META = "session_meta"

_CUT_OFF = re.compile(
    rb'\{\s*"role"\s*:\s*"(?:system|developer|user|assistant|session_meta)"\s*,\s*"(?!type")'
)
_DATED = re.compile(r"(?:^|_)(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_|$)")


class _Line(Message, kw_only=True):
    """A message, or the line that describes the session; `type` belongs to other formats."""

    type: Any = None
    session_id: Any = None
    agent: Any = None
    model: Any = None
    cwd: Any = None
    title: Any = None

    @property
    def describes(self) -> bool:
        return self.role == HERMES_META or (
            not self.role and isinstance(self.session_id, str)
        )

    @property
    def speaks(self) -> bool:
        return (
            self.content is not None
            or bool(self.tool_calls)
            or self.function_call is not None
        )


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    *lines, last = head.split(b"\n")
    for line in lines[:8]:
        if not line.startswith(b"{") or len(line) < 3:
            return False  # an empty line, or a document over many lines
        found = _decode(line)
        if found is not None and not found.describes:
            return _is_message(found)
    found = _decode(last)
    return _is_message(found) if found is not None else _CUT_OFF.match(last) is not None


def _decode(line: bytes) -> _Line | None:
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _is_message(line: _Line) -> bool:
    return line.role in ROLES and line.type is None and line.speaks


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    dated = _DATED.search(path.stem)
    start = seconds("{}-{}-{}T{}:{}:{}".format(*dated.groups())) if dated else None

    def translate(desk: Desk, number: int, line: _Line) -> None:
        session = desk.main
        session.learn(**_described(line))
        if line.describes:
            session.tick(seconds(line.timestamp))
        else:
            if line.timestamp is None:
                session.learn(start=start)
            hear(session, line, number, HERMES)

    facts = {"id": path.stem, "agent": AGENT, "format": NAME, "source": str(path)}
    return read_journal(path, _decoder, translate, facts | _top(path), since)


def _top(path: Path) -> dict[str, str]:
    """Whose session it is, by the first line: also when reading goes on far behind it."""
    with path.open("rb") as file:
        line = _decode(file.readline(1 << 20))
    if line is None:
        return {}
    found = _described(line)
    if isinstance(line.session_id, str) and line.session_id:
        found["id"] = line.session_id
    if isinstance(line.agent, str) and line.agent:
        found["agent"] = line.agent
    elif line.role == HERMES_META:
        found["agent"] = "hermes"
    return found


def _described(line: _Line) -> dict[str, str]:
    known = {"model": line.model, "cwd": line.cwd, "title": line.title}
    return {
        name: value for name, value in known.items() if isinstance(value, str) and value
    }
