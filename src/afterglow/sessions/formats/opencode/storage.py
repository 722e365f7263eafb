"""OpenCode before 1.2: `storage/session/<project>/<session>.json`, with `message/<session>/*.json` and
`part/<message>/*.json` beside it. The session's own file is the source; it is written whenever the session changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TypeVar

from afterglow.errors import UnreadableSource
from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions import json_document
from afterglow.sessions.formats.opencode.messages import (
    Info,
    Message,
    Part,
    Placed,
    assembled,
)

NAME = "opencode-storage"
MANY_FILES = True

T = TypeVar("T")

_START = re.compile(rb'\{\s*"id"\s*:\s*"ses_')


def sniff(path: Path, head: bytes) -> bool:
    if path.suffix != ".json" or not _START.match(head):
        return False
    return b'"directory"' in head or b'"projectID"' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    header = json_document.load(path, Info)
    damage: list[Damage] = []
    folder = path.parent.parent.parent
    placed = _placed(folder, header.id or path.stem, damage)
    session = assembled(header, placed, NAME, str(path))
    session.hurt(damage)
    yield session.part(Mark())


def _placed(folder: Path, session: str, damage: list[Damage]) -> Iterator[Placed]:
    """Names of messages and parts grow with time. Places are numbers in that order."""
    places = count(1)
    for file in sorted((folder / "message" / session).glob("*.json")):
        line = next(places)
        message = _loaded(file, Message, line, damage)
        if message is None:
            continue
        message.id = message.id or file.stem
        parts: list[tuple[int, Part]] = []
        for part_file in sorted((folder / "part" / message.id).glob("*.json")):
            place = next(places)
            part = _loaded(part_file, Part, place, damage)
            if part is not None:
                parts.append((place, part))
        yield line, message, parts


def _loaded(file: Path, type_: type[T], line: int, damage: list[Damage]) -> T | None:
    try:
        return json_document.load(file, type_)
    except (UnreadableSource, OSError) as error:
        damage.append(Damage(line, f"{file.name}: {error}"))
        return None
