"""Where and when a session was held, and a clock that goes on a minute a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

SECONDS_A_LINE = 45


class Setting(Struct, frozen=True, kw_only=True):
    """`sessions` is the folder that all agents' files go below; `start` is seconds since 1970."""

    name: str
    sessions: Path
    cwd: Path
    remote: str
    start: float
    headless: bool
    branch: str

    @property
    def id(self) -> str:
        return str(uuid5(NAMESPACE_URL, f"attack:{self.name}"))

    def times(self) -> Iterator[float]:
        return (self.start + SECONDS_A_LINE * number for number in count())


def iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def compact(record: object) -> str:
    """JSON as agents write it, without spaces."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
