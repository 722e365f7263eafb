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
from afterglow.sessions.jsonl_blocks import MAX_LINE_BYTES
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
        if self.role:
            return self.role == HERMES_META
        return isinstance(self.session_id, str)

    @property
    def speaks(self) -> bool:
        if self.content is not None or self.function_call is not None:
            return True
        return bool(self.tool_calls)


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    *lines, last = head.split(b"\n")
    for line in lines[:8]:
        if not line.startswith(b"{") or len(line) < 3:
            return False  # an empty line, or a document over many lines
        decoded = _decode(line)
        if decoded is not None and not decoded.describes:
            return _is_message(decoded)
    decoded = _decode(last)
    if decoded is None:
        return _CUT_OFF.match(last) is not None
    return _is_message(decoded)


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
        line = _decode(file.readline(MAX_LINE_BYTES))
    if line is None:
        return {}
    facts = _described(line) | _texts(id=line.session_id, agent=line.agent)
    if line.role == HERMES_META:
        facts.setdefault("agent", "hermes")
    return facts


def _described(line: _Line) -> dict[str, str]:
    return _texts(model=line.model, cwd=line.cwd, title=line.title)


def _texts(**values: Any) -> dict[str, str]:
    """Those that are words: in a file that anybody may have written, any field may hold anything."""
    texts: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, str) and value:
            texts[name] = value
    return texts
