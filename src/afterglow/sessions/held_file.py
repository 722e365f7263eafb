"""Bytes that lie in no file of their own, held so that a reader can read them as one: under a name, and gone afterwards.

Transcripts may hold secrets, so they are held in memory where the system can do that, else in a folder that is private
to us and removed when they were read.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from afterglow.errors import UnreadableSource

MAX_HELD_BYTES = 1 << 30  # of one file: a longer session is not unpacked


@contextmanager
def held(name: str, chunks: Iterable[bytes]) -> Iterator[Path]:
    """A file called `name` that holds the chunks."""
    with tempfile.TemporaryDirectory(prefix="afterglow-") as folder:
        path = Path(folder) / name
        with in_memory(path) as descriptor:
            with os.fdopen(descriptor, "wb", closefd=False) as file:
                total = 0
                for chunk in chunks:
                    total += len(chunk)
                    if total > MAX_HELD_BYTES:
                        limit = f"{MAX_HELD_BYTES >> 20} MB"
                        raise UnreadableSource(
                            f"more than {limit} unpacked; {limit} is the most that is read"
                        )
                    file.write(chunk)
            yield path


@contextmanager
def in_memory(path: Path) -> Iterator[int]:
    """A descriptor that `path` leads to; of a file in memory where there is such a thing."""
    descriptor = _opened(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("afterglow")
        linked = Path(f"/proc/{os.getpid()}/fd/{descriptor}")
        if linked.exists():
            path.symlink_to(linked)
            return descriptor
        os.close(descriptor)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
