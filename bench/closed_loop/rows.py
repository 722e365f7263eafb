"""One line a session, added as it ends: a run that was stopped goes on where it was."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

LEARN = "learn"


class Row(Struct, frozen=True, kw_only=True):
    """A session and what came of it. `lesson` is whether what was harvested tells the quirk: right, wrong or missing;
    it is known before the session, and the same for all arms of a task."""

    unit: str
    arm: str
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
    sent: int
    received: int
    lesson: str = ""
    context: int = 0  # tokens
    delivery: str = ""

    @property
    def tokens(self) -> int:
        return self.sent + self.received


def read(path: Path) -> list[Row]:
    """What is kept. A last line that was cut off is not, and is run again."""
    if not path.exists():
        return []
    return [
        msgspec.json.decode(line, type=Row)
        for line in path.read_bytes().splitlines(True)
        if line.endswith(b"\n")
    ]


def add(path: Path, row: Row) -> None:
    kept = path.read_bytes() if path.exists() else b""
    with path.open("r+b" if kept else "wb") as file:
        file.truncate(kept.rfind(b"\n") + 1)
        file.seek(0, os.SEEK_END)
        file.write(msgspec.json.encode(row) + b"\n")
