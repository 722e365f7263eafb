"""How far long work is: one line on a terminal with what is done, a bar and the time left; gone when the work ends.

Nothing is drawn elsewhere, nor for what is over at once. Work that cannot say how far it is shows how long it takes.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from afterglow.show.screen import columns

SHOW_AFTER = 1.0  # seconds: what is over by then needs no line
REDRAW_AFTER = 0.2  # seconds: more often flickers, and costs
BAR_CELLS = 20
MIN_SHARE = 0.02  # of the work, before how long it took says how long the rest takes
HALF_MINUTE, FEW_MINUTES = 30, 120  # seconds: up to where a time is told in 1, in 5

Advance = Callable[[int, int], None]


@contextmanager
def progress_bar(label: str, *, ticking: bool = False) -> Iterator[Advance]:
    """Gives what is told how far the work is, of how much. `ticking` also shows how long work takes that has not said
    so; only for what starts no worker processes: a thread draws it, and they start slower beside one."""
    if not sys.stderr.isatty():
        yield lambda position, total: None
        return
    line = ProgressLine(label, sys.stderr)
    finished = threading.Event()
    if ticking:
        threading.Thread(target=_tick, args=(line, finished), daemon=True).start()
    try:
        yield line.advance
    finally:
        finished.set()
        line.end()


def _tick(line: ProgressLine, finished: threading.Event) -> None:
    while not finished.wait(REDRAW_AFTER):
        line.draw()


class ProgressLine:
    """The line, as it stands on the screen."""

    def __init__(
        self, label: str, stream: TextIO, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.label = label
        self._stream, self._clock = stream, clock
        self._began = self._phase_began = clock()
        self._last_drawn = float("-inf")
        self._position = self._total = self._width = 0
        self._has_ended = False
        self._lock = threading.Lock()

    def advance(self, position: int, total: int) -> None:
        if position < self._position:  # the next part of the work begins
            self._phase_began = self._clock()
        self._position, self._total = position, total
        self.draw()

    def draw(self) -> None:
        now = self._clock()
        is_due = now - self._last_drawn >= REDRAW_AFTER
        if now - self._began < SHOW_AFTER or not is_due:
            return
        self._last_drawn = now
        seconds = now - self._phase_began
        text = progress_text(self.label, self._position, self._total, seconds)
        self._write(text[: columns() - 1])

    def end(self) -> None:
        with self._lock:
            self._has_ended = True
            if self._width:
                self._stream.write("\r" + " " * self._width + "\r")
                self._stream.flush()

    def _write(self, text: str) -> None:
        with self._lock:
            if self._has_ended:
                return
            self._stream.write("\r" + text.ljust(self._width))
            self._stream.flush()
            self._width = max(self._width, len(text))


def progress_text(label: str, position: int, total: int, seconds: float) -> str:
    """`reading  [######..............]  30 %, about 12 s left`; without a total how long it has taken so far."""
    if total <= 0:
        return f"{label}, {_span(seconds)} so far"
    share = min(position / total, 1.0)
    filled = int(share * BAR_CELLS)
    bar = "#" * filled + "." * (BAR_CELLS - filled)
    text = f"{label}  [{bar}]  {int(100 * share)} %"
    if share == 1.0:
        return text
    if share < MIN_SHARE:
        return f"{text}, {_span(seconds)} so far"
    return f"{text}, about {_span(seconds / share - seconds)} left"


def _span(seconds: float) -> str:
    """No finer than it can be known."""
    if seconds < HALF_MINUTE:
        return f"{max(round(seconds), 1)} s"
    if seconds < FEW_MINUTES:
        return f"{5 * round(seconds / 5)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{round(minutes / 60)} h"
