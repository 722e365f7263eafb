"""The other process: opens a backend, stores what it is told to and acknowledges each entry on a line of its own."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable

from msgspec import Struct

from afterglow.errors import AfterglowError
from afterglow.memory.backend import MemoryBackend

READY, STORED, DONE = "ready", "stored", "done"


class Job(Struct, frozen=True):
    reopen: Callable[[], MemoryBackend]
    user: str
    entries: tuple[tuple[str, str], ...]


def main() -> None:
    """The job comes pickled from the process that started this one."""
    job: Job = pickle.load(sys.stdin.buffer)
    try:
        backend = job.reopen()
        _say(READY)
        sys.stdin.buffer.readline()
        for key, value in job.entries:
            _say(
                STORED
                if backend.store(job.user, key, value)
                else "store said that nothing was kept"
            )
        _say(DONE)
        sys.stdin.buffer.readline()  # until we are killed: what is kept only by closing is not kept
    except AfterglowError as error:
        _say(" ".join(str(error).split()))


def _say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()
