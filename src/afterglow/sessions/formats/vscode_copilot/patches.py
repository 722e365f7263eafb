"""`chatSessions/*.jsonl`: a first line with the whole chat, then lines that change it: `kind` 1 sets what `k` leads to,
2 adds to a list (cut to length `i` first, where it is given), 3 takes away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from afterglow.errors import UnreadableSource
from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions.formats.vscode_copilot.document import assembled, beside
from afterglow.sessions.formats.vscode_copilot.requests import Chat
from afterglow.sessions.jsonl_blocks import blocks

NAME = "copilot-chat-lines"
__all__ = ["NAME", "beside", "read", "sniff"]
WHOLE, SET, ADD, REMOVE = 0, 1, 2, 3
# Of a chat: the rest is what its window looks like.
_READ = frozenset(field.encode_name for field in msgspec.structs.fields(Chat))

_START = re.compile(rb'\{"kind":0,"v":\{')


class _Line(msgspec.Struct, gc=False):
    kind: int
    v: Any = None
    k: list[str | int] = []
    i: int | None = None


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    document: Any = {}
    damage: list[Damage] = []
    with path.open("rb") as file:
        for block in blocks(file, _decoder):
            damage += block.damage
            for number, line in zip(block.numbers, block.values, strict=True):
                if line.kind == WHOLE:
                    document = line.v
                elif line.k[:1] and line.k[0] not in _READ:
                    continue
                elif not _changed(document, line):
                    damage.append(Damage(number, "changes what is not there"))
    try:
        chat = msgspec.convert(document, Chat)
    except msgspec.ValidationError as error:
        raise UnreadableSource(f"{path}: unexpected shape: {error}") from error
    session = assembled(chat, path, NAME)
    session.hurt(damage)
    yield session.part(Mark())


def _changed(document: Any, line: _Line) -> bool:
    """Makes one change; whether there was a place for it."""
    if not line.k:
        return False
    *way, last = line.k
    try:
        for step in way:
            document = document[step]
        if line.kind == SET:
            document[last] = line.v
        elif line.kind == ADD:
            _extend(document, last, line)
        elif line.kind == REMOVE:
            del document[last]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _extend(document: Any, last: str | int, line: _Line) -> None:
    if isinstance(document, dict):
        target = document.setdefault(last, [])
    else:
        target = document[last]
    if line.i is not None:
        del target[line.i :]
    target.extend(line.v or [])
