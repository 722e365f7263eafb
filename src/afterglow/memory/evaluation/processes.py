"""Checks that take more than one process: does an acknowledged entry survive kill -9, do writers lose one another's?

The other process opens the backend, stores what it is told to and acknowledges each entry on a line of its own.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from itertools import chain
from threading import Timer
from types import TracebackType

from msgspec import Struct

from afterglow.errors import AfterglowError
from afterglow.memory.backend import MemoryBackend
from afterglow.memory.evaluation.checks import Broken, Untried
from afterglow.memory.evaluation.probe import Guest

Reopen = Callable[[], MemoryBackend]
Entries = tuple[tuple[str, str], ...]  # key, value
MAX_WRITER_SECONDS = 60.0  # for one process, all in all; a local one needs one or two
GO = b"go\n"
READY, STORED, DONE = "ready", "stored", "done"
# What is importable here is importable there.
START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from afterglow.memory.evaluation.processes import run_writer; run_writer()"
)


class Job(Struct, frozen=True):
    reopen: Reopen
    user: str
    entries: Entries


def run_writer() -> None:
    """In the other process. The job comes pickled from the one that started it."""
    job: Job = pickle.load(sys.stdin.buffer)
    try:
        backend = job.reopen()
        _answer(READY)
        sys.stdin.buffer.readline()
        for key, value in job.entries:
            is_stored = backend.store(job.user, key, value)
            _answer(STORED if is_stored else "store said that nothing was kept")
        _answer(DONE)
        # Until we are killed: what is kept only by closing is not kept.
        sys.stdin.buffer.readline()
    except AfterglowError as error:
        _answer(" ".join(str(error).split()))


def _answer(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Writer:
    """A process that stores. It is gone when the `with` ends, whatever happened."""

    def __init__(
        self, reopen: Reopen, user: str, entries: tuple[tuple[str, str], ...]
    ) -> None:
        if not sys.executable:
            raise Untried("this Python cannot start another")
        try:
            job = pickle.dumps(sys.path) + pickle.dumps(Job(reopen, user, entries))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise Untried(
                f"the backend cannot be opened in another process: {error}"
            ) from error
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._patience = Timer(MAX_WRITER_SECONDS, self._process.kill)
        self._patience.daemon = True
        self._patience.start()
        self._send(job)

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._patience.cancel()
        self.kill()
        with suppress(BrokenPipeError):
            self._process.communicate()

    def go(self) -> None:
        self._send(GO)

    def kill(self) -> None:
        """At once: it cannot tidy up."""
        self._process.kill()
        self._process.wait()

    def expect(self, word: str) -> None:
        """Reads the next line. Anything else than `word` is what went wrong."""
        assert self._process.stdout and self._process.stderr
        answer = self._process.stdout.readline().decode(errors="replace").strip()
        if answer == word:
            return
        if not answer:
            stderr = self._process.stderr.read().decode(errors="replace").strip()
            last_line = "".join(f": {line}" for line in stderr.splitlines()[-1:])
            answer = f"another process did not answer{last_line}"
        raise Broken(answer)

    def _send(self, content: bytes) -> None:
        assert self._process.stdin
        # A process that ended early: what it said, or did not say, is read next.
        with suppress(BrokenPipeError):
            self._process.stdin.write(content)
            self._process.stdin.flush()


def survives_a_kill(guest: Guest, reopen: Reopen | None) -> str:
    """Another process stores; it is killed in the middle of it; everything it was told was kept must be there."""
    effort, reopen = guest.effort, _needed(reopen)
    entries = _entries("killed", effort.acknowledged * effort.further)
    acknowledged = entries[: effort.acknowledged]
    # Later entries are listed, if any were stored.
    user = guest.user("killed", stores=(key for key, _ in acknowledged))
    with Writer(reopen, user, entries) as writer:
        writer.expect(READY)
        writer.go()
        for _ in range(effort.acknowledged):
            writer.expect(STORED)
        writer.kill()
    guest.calls += len(acknowledged)
    _all_there(
        guest,
        reopen,
        user,
        acknowledged,
        "was acknowledged before the kill and is lost",
    )
    return f"{effort.acknowledged} of {effort.acknowledged} acknowledged entries there after kill -9"


def loses_nothing_to_other_writers(guest: Guest, reopen: Reopen | None) -> str:
    effort, reopen = guest.effort, _needed(reopen)
    names = [f"writer_{number}" for number in range(effort.writers)]
    shares = [_entries(name, effort.each) for name in names]
    every = tuple(chain.from_iterable(shares))
    user = guest.user("at-once", stores=(key for key, _ in every))
    with ExitStack() as stack:
        writers = [stack.enter_context(Writer(reopen, user, share)) for share in shares]
        _store_at_once(writers, effort.each)
    guest.calls += len(every)
    _all_there(guest, reopen, user, every, "was stored while others wrote and is lost")
    return f"{len(every)} of {len(every)} entries of {effort.writers} processes that stored at once"


def _store_at_once(writers: Sequence[Writer], each: int) -> None:
    """None begins before all are ready."""
    for writer in writers:
        writer.expect(READY)
    for writer in writers:
        writer.go()
    for writer in writers:
        for _ in range(each):
            writer.expect(STORED)
        writer.expect(DONE)


def _entries(name: str, n: int) -> Entries:
    return tuple(
        (f"{name}_{number}", f"{name} wrote number {number}") for number in range(n)
    )


def _needed(reopen: Reopen | None) -> Reopen:
    if reopen is None:
        raise Untried("nobody said how to open the backend a second time")
    return reopen


def _all_there(
    guest: Guest,
    reopen: Reopen,
    user: str,
    entries: Entries,
    otherwise: str,
) -> None:
    """Read back by a backend that was opened afterwards."""
    backend = reopen()
    try:
        for key, value in entries:
            guest.calls += 1
            entry = backend.retrieve(user, key)
            if entry is None or entry.value != value:
                raise Broken(f"{key} {otherwise}")
    finally:
        backend.close()
