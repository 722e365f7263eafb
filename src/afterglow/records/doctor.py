"""What doctor found: one sentence each, whether it needs attention, and what to do."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

# attention: something is broken or does nothing; note: worth knowing; ok: as it should be
Level = Literal["ok", "note", "attention"]


class CheckupLine(Struct, frozen=True):
    """`about` is the part of the machine that was looked at, as in docs/doctor.md; `do` is a command that helps."""

    about: str
    level: Level
    text: str
    do: str = ""


class Checkup(Struct, frozen=True):
    """All findings, in the order they should be read. `connected` are the agents whose files name us: where there is
    none, nothing is broken but nothing is delivered either. `fixed` is what `--fix` put right."""

    version: str
    home: str
    findings: tuple[CheckupLine, ...]
    healthy: bool
    seconds: float
    connected: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
