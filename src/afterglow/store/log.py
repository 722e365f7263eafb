"""A log for programs nobody watches: one line an event, bounded in size, many writers at once.

A line is appended in one write, so lines of several processes do not mix. Past its size the older half is dropped by
putting a shorter file in its place; a line written in that very moment may be lost, never half of one. It is for
people who look for the cause of something, so it may fail but must not disturb: `add` raises nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.folders import place_file, private
from afterglow.text.clip import clip

SIZE = 256 << 10  # bytes
LONGEST = 500  # characters of a detail


class Line(Struct, frozen=True):
    """One event: when, what (a few fixed words), and what is to be said about it."""

    time: float
    what: str
    detail: str = ""


class Log:
    """The log at `path`, which need not be there yet. `clean` redacts details; what it stumbles over is left out."""

    def __init__(
        self, path: Path, clean: Callable[[str], str] = str, *, size: int = SIZE
    ) -> None:
        self.path, self.size = path, size
        self._clean = clean

    def add(self, what: str, detail: str = "", *, now: float | None = None) -> bool:
        """Whether it could be written."""
        at = round(time.time() if now is None else now, 3)
        line = msgspec.json.encode(Line(at, what, self.cleaned(detail))) + b"\n"
        try:
            private(self.path.parent)
            descriptor = os.open(
                self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
            )
            try:
                written = os.write(descriptor, line)
                large = os.fstat(descriptor).st_size > self.size
            finally:
                os.close(descriptor)
            if large:
                self._shorten()
        except OSError:
            return False
        return written == len(line)

    def cleaned(self, detail: str) -> str:
        """A detail as it is kept: redacted, on one line, not long."""
        try:
            text = (
                self._clean(detail.encode("utf-8", "replace").decode())
                if detail
                else ""
            )
        except (ImportError, OSError, RuntimeError, ValueError, MemoryError) as error:
            text = f"(left out: {type(error).__name__} while redacting)"
        return clip(" ".join(text.split()), LONGEST)

    def _shorten(self) -> None:
        content = self.path.read_bytes()
        if len(content) > self.size:  # else another writer was faster
            place_file(self.path, content[-self.size // 2 :].partition(b"\n")[2])

    def trouble(self) -> str:
        """Why nothing can be noted in what stands in its place, if so; that there is no line says nothing then."""
        try:
            self.path.open("rb+").close()
        except FileNotFoundError:
            return ""
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def recent(self, count: int = 50) -> list[Line]:
        """The last lines, newest last. What is not a line of ours (a full disk cut it) is passed over."""
        try:
            content = self.path.read_bytes()
        except OSError:
            return []
        lines: list[Line] = []
        for line in reversed(content.splitlines()):
            if len(lines) == count:
                break
            try:
                lines.append(msgspec.json.decode(line, type=Line))
            except msgspec.DecodeError:
                continue
        return lines[::-1]
