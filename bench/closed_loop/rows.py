"""One line a learning session, added as it ends: a run that was stopped goes on where it was."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

_ONE_AT_A_TIME = Lock()


class LearningRow(Struct, frozen=True, kw_only=True):
    """A learning session and what came of it. `helped`: the person had to say what was wrong."""

    task: str
    family: str
    kind: str
    number: int
    session: str
    start: float
    seconds: float
    solved: bool
    calls: int
    failed: int
    helped: bool
    tokens: int


def read(path: Path) -> list[LearningRow]:
    """What is kept. A last line that was cut off is not, and is run again."""
    if not path.exists():
        return []
    return [
        msgspec.json.decode(line, type=LearningRow)
        for line in path.read_bytes().splitlines(True)
        if line.endswith(b"\n")
    ]


def add(path: Path, row: LearningRow) -> None:
    with _ONE_AT_A_TIME:
        lines = path.read_bytes() if path.exists() else b""
        with path.open("r+b" if lines else "wb") as file:
            file.truncate(lines.rfind(b"\n") + 1)
            file.seek(0, os.SEEK_END)
            file.write(msgspec.json.encode(row) + b"\n")
