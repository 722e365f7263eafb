"""Waiting for an answer with the clock in hand. Agents start this many times a session, so nothing is loaded here that
is not needed to wait: no `typing`, no `re`, no `enum`.

Whoever does the work sends lines: `p 123` the process that does it, `w 800` the deadline in milliseconds from the
start, `s` it must be done also when nobody waits any more, `a 17` and so many bytes: the answer.
"""

from __future__ import annotations

import os
import select
import time

EMPTY = b"{}\n"  # a valid answer to any event of any agent, that changes nothing
TIMEOUT = "no answer in time"
DEATH = "the process that does the work ended without an answer"


class Heard:
    """The answer, or None and why there is none. `stays`: the work goes on without anybody waiting for it. `worker` is
    the process that does it, 0 if it did not say."""

    __slots__ = ("answer", "stays", "trouble", "worker")

    def __init__(
        self,
        answer: bytes | None = None,
        trouble: str = "",
        *,
        stays: bool = False,
        worker: int = 0,
    ) -> None:
        self.answer, self.trouble = answer, trouble
        self.stays, self.worker = stays, worker


def listen(reading: int, begun: float, seconds: float, worker: int = 0) -> Heard:
    """What comes through a pipe or socket until the answer is there or the time is over."""
    unread, stays = b"", False
    while _comes_in_time(reading, begun + seconds):
        more = os.read(reading, 1 << 16)
        if not more:
            return Heard(trouble=DEATH, stays=stays, worker=worker)
        unread += more
        while b"\n" in unread:
            head, _, rest = unread.partition(b"\n")
            kind, argument = head[:1], head[2:]
            if kind == b"a":
                length = int(argument)
                if len(rest) < length:
                    break  # the answer is still on its way
                return Heard(rest[:length], worker=worker)
            if kind == b"w":
                seconds = int(argument) / 1000
            elif kind == b"s":
                stays = True
            elif kind == b"p":
                worker = int(argument)
            unread = rest
    return Heard(trouble=TIMEOUT, stays=stays, worker=worker)


def _comes_in_time(reading: int, until: float) -> bool:
    remaining = until - time.monotonic()
    if remaining <= 0:
        return False
    ready, _, _ = select.select([reading], [], [], remaining)
    return bool(ready)


def write(answer: bytes) -> bool:
    """All of it to standard output; whether that could be done."""
    try:
        while answer:
            answer = answer[os.write(1, answer) :]
    except OSError:
        return False
    return True
