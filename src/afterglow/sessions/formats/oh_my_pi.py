"""Oh My Pi: `~/.omp/agent/sessions/**/*.jsonl`, the entries of pi behind a line with the title.

Sessions of its helpers begin with what they were asked to do; who asked them is not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from afterglow.records.session import Mark, Session
from afterglow.sessions.formats import pi

NAME = "oh-my-pi"
AGENT = "oh-my-pi"


def sniff(path: Path, head: bytes) -> bool:
    if head.startswith(b'{"type":"title",'):
        return b'"type":"session"' in head
    is_there = pi.OH_MY_PI_FOLDER in path.as_posix()
    return is_there and head.startswith(b'{"type":"session",')


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    return pi.read_entries(path, since, {"agent": AGENT, "format": NAME})
