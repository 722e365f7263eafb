"""Answers that were paid for, kept by the hash of what was asked: asking the same again is free, also after a kill.

One small file an answer, written whole or not at all. The folder can be deleted at any time, and the longest unused
answers are, when it grows too large. What was asked is not in it, only the answer.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock

import msgspec

from afterglow.folders import place_file, private
from afterglow.llm.schema import json_schema
from afterglow.records.model import Answer, Ask

LAYOUT = 1  # part of every hash: answers of an older layout are never found
MOST = 100_000_000  # bytes
KEPT = 0.8  # the share of that which is kept when it is too much


def mark(model: str, origin: str, ask: Ask) -> str:
    """What an answer depends on: who was asked what. Not what for, and not with which key."""
    schema = json_schema(ask.answer_type) if ask.answer_type else None
    parts = (LAYOUT, model, origin, ask.messages, schema, ask.name, ask.max_tokens)
    return blake2b(
        msgspec.json.encode(parts, order="sorted"), digest_size=20
    ).hexdigest()


class Cache:
    def __init__(self, folder: Path, *, most: int = MOST) -> None:
        self.folder, self._most = folder, most
        self._size: int | None = None  # not looked at yet
        self._lock = Lock()

    def get(self, mark: str) -> Answer | None:
        path = self._path(mark)
        try:
            answer = msgspec.json.decode(path.read_bytes(), type=Answer)
        except (
            OSError,
            msgspec.DecodeError,
        ):  # not there, or not ours: it is asked again
            return None
        with suppress(OSError):
            os.utime(path)  # what is used is not old
        return answer

    def put(self, mark: str, answer: Answer) -> None:
        """Keeps an answer, if it can: a full disk must not cost the answer itself."""
        path = self._path(mark)
        encoded = msgspec.json.encode(answer)
        try:
            private(path.parent)
            place_file(path, encoded)
        except OSError:
            return
        with self._lock:
            self._size = (
                sum(size for _, size, _ in self._files())
                if self._size is None
                else self._size
            ) + len(encoded)
            if self._size > self._most:
                self._size = self._shrink()

    def _path(self, mark: str) -> Path:
        return self.folder / mark[:2] / mark[2:]

    def _files(self) -> list[tuple[float, int, Path]]:
        files = []
        for path in self.folder.glob("??/*"):
            with suppress(OSError):  # another process may have deleted it
                stat = path.stat()
                files.append((stat.st_mtime, stat.st_size, path))
        return sorted(files)

    def _shrink(self) -> int:
        """Deletes what was not used for longest; the size of the rest."""
        files = self._files()
        size = sum(bytes for _, bytes, _ in files)
        for _, bytes, path in files:
            if size <= self._most * KEPT:
                break
            with suppress(OSError):
                path.unlink()
                size -= bytes
        return size
