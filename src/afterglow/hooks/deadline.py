"""The deadline: whatever becomes of the work, the agent has a whole answer in time.

The program forks. The child does the work and sends its answer through a pipe; the parent only waits, with the clock in
its hand, and writes that answer or an empty one. So the deadline holds inside SQLite, inside C code that keeps the
interpreter to itself, on a disk that hangs, and if the child is killed or crashes; a signal handler or a thread cannot
promise that. What the child still has to do after its answer keeps nobody waiting: it has let go of the agent's
streams and left its process group. Where there is no fork (Windows) a thread watches instead.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

EMPTY = b"{}\n"  # a valid answer to any event of any agent, that changes nothing
LINGER_SECONDS = 60  # after which a child ends, whatever it is doing
TIMEOUT = "no answer in time"
DEATH = "the process that does the work ended without an answer"


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


class _Pipe:
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
        _apart(stdin=True)
        try:
            work(_Pipe(writing))
        finally:
            os._exit(0)
    os.close(writing)
    heard = _listen(reading, begun, seconds)
    written = write(empty if heard.answer is None else heard.answer)
    if heard.trouble == TIMEOUT and not heard.stays:
        # what comes too late must not be noted as given out
        os.kill(child, signal.SIGKILL)
    trouble = heard.trouble or ("" if written else "standard output is closed")
    if trouble and not os.fork():
        _apart(stdin=False)
        try:
            note(trouble)
        finally:
            os._exit(0)


class _Heard(NamedTuple):
    answer: bytes | None = None
    trouble: str = ""
    stays: bool = False


def _listen(reading: int, begun: float, seconds: float) -> _Heard:
    """The answer, or why there is none."""
    unread, stays = b"", False
    while _comes_in_time(reading, begun + seconds):
        more = os.read(reading, 1 << 16)
        if not more:
            return _Heard(trouble=DEATH)
        unread += more
        while b"\n" in unread:
            head, _, rest = unread.partition(b"\n")
            kind, argument = head[:1], head[2:]
            if kind == b"a":
                length = int(argument)
                if len(rest) < length:
                    break  # the answer is still on its way
                return _Heard(rest[:length])
            if kind == b"w":
                seconds = int(argument) / 1000
            elif kind == b"s":
                stays = True
            unread = rest
    return _Heard(trouble=TIMEOUT, stays=stays)


def _comes_in_time(reading: int, until: float) -> bool:
    remaining = until - time.monotonic()
    if remaining <= 0:
        return False
    ready, _, _ = select.select([reading], [], [], remaining)
    return bool(ready)


def _apart(*, stdin: bool) -> None:
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


def write(answer: bytes) -> bool:
    """All of it to standard output; whether that could be done."""
    try:
        while answer:
            answer = answer[os.write(1, answer) :]
    except OSError:
        return False
    return True
