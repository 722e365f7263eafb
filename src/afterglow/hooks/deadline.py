"""The deadline: whatever becomes of the work, the agent has a whole answer in time.

The program forks. The child does the work and sends its answer through a pipe; the parent only waits, with the clock in
its hand, and writes that answer or an empty one. So the deadline holds inside SQLite, inside C code that keeps the
interpreter to itself, on a disk that hangs, and if the child is killed or crashes; a signal handler or a thread cannot
promise that. What the child still has to do after its answer keeps nobody waiting: it has let go of the agent's
streams and left its process group. Where there is no fork (Windows) a thread watches instead.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from afterglow.hooks.listening import EMPTY, TIMEOUT, Heard, listen, write

__all__ = ["EMPTY", "Line", "Pipe", "answered", "apart", "by_thread", "end", "write"]

LINGER_SECONDS = 60  # after which a child ends, whatever it is doing


class Line(Protocol):
    """What the work has of whoever waits for it."""

    def wait(self, seconds: float) -> None:
        """Tells that the deadline is another one, counted from the start."""

    def stay(self) -> None:
        """Tells that the work must be done, also when nobody waits for its answer any more."""

    def say(self, answer: bytes) -> None:
        """Gives the answer. Only the first counts; work may go on after it."""


Work = Callable[[Line], None]
Note = Callable[[str], None]


def answered(work: Work, *, empty: bytes, seconds: float, note: Note) -> None:
    """Writes the answer of `work` to standard output, or `empty` where there is none after `seconds`; then something is
    noted. The caller should exit at once."""
    if hasattr(os, "fork"):
        _by_process(work, empty, seconds, note)
    else:
        by_thread(work, empty, seconds, note)


class Pipe:
    """The line of a worker to whoever listens."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def wait(self, seconds: float) -> None:
        self._send(b"w %d\n" % round(1000 * seconds))

    def stay(self) -> None:
        self._send(b"s\n")

    def say(self, answer: bytes) -> None:
        self._send(b"a %d\n%b" % (len(answer), answer))

    def _send(self, message: bytes) -> None:
        try:
            while message:
                message = message[os.write(self.descriptor, message) :]
        except OSError:  # nobody waits any more
            return


def _by_process(work: Work, empty: bytes, seconds: float, note: Note) -> None:
    begun = time.monotonic()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        apart(stdin=True)
        try:
            work(Pipe(writing))
        finally:
            os._exit(0)
    os.close(writing)
    end(listen(reading, begun, seconds, worker=child), empty, note)


def end(heard: Heard, empty: bytes, note: Note) -> None:
    """Writes what was heard; a worker whose answer nobody will see ends, and what went wrong is noted."""
    written = write(empty if heard.answer is None else heard.answer)
    if heard.trouble == TIMEOUT and not heard.stays and heard.worker:
        # what comes too late must not be noted as given out
        with suppress(OSError):
            os.kill(heard.worker, signal.SIGKILL)
    trouble = heard.trouble or ("" if written else "standard output is closed")
    if trouble and not os.fork():
        apart(stdin=False)
        try:
            note(trouble)
        finally:
            os._exit(0)


def apart(*, stdin: bool) -> None:
    """Lets go of the agent: its streams (it waits for their end), its process group (it may be killed)."""
    os.setsid()
    signal.alarm(LINGER_SECONDS)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2) if stdin else (0, 1, 2):
        os.dup2(nowhere, descriptor)


def by_thread(work: Work, empty: bytes, seconds: float, note: Note) -> None:
    """The same where there is no fork; it needs the interpreter now and then."""
    import threading

    line = _Thread(empty, seconds, note)
    watch = threading.Thread(target=line.watch, daemon=True)
    watch.start()
    work(line)
    line.say(empty)


class _Thread:
    def __init__(self, empty: bytes, seconds: float, note: Note) -> None:
        from threading import Condition

        self.empty, self.note = empty, note
        self.until = time.monotonic() + seconds
        self.begun = time.monotonic()
        self.answered = self.stays = False
        self.changed = Condition()

    def wait(self, seconds: float) -> None:
        with self.changed:
            self.until = self.begun + seconds
            self.changed.notify()

    def stay(self) -> None:
        with self.changed:
            self.stays = True

    def say(self, answer: bytes) -> None:
        with self.changed:
            if not self.answered:
                self.answered = True
                write(answer)
                self.changed.notify()

    def _remaining(self) -> float:
        return self.until - time.monotonic()

    def watch(self) -> None:
        with self.changed:
            while not self.answered and self._remaining() > 0:
                self.changed.wait(self._remaining())
            if self.answered:
                return
            self.answered = True
            write(self.empty)
            stays = self.stays
        self.note(TIMEOUT)
        if not stays:
            os._exit(0)
