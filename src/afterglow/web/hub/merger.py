"""The merger of a hub: one thread that makes items of contributions, woken when some came, stopped between transactions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from afterglow.errors import AfterglowError

PAUSE_SECONDS = 15.0  # another process of the same hub may have taken something in
PAUSE_AFTER_TROUBLE = 5.0  # a database that restarts is back by then

Merge = Callable[[], int]  # a short step: how many topics it merged, 0 for none left


class Merger:
    def __init__(self, merge: Merge, now: Callable[[], float] = time.time) -> None:
        self._merge = merge
        self._now = now
        self._is_woken = threading.Event()
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="merger", daemon=True)
        self.merged = 0  # topics, since the start
        self.failures = 0
        self.trouble = ""  # why the last step failed, empty where it did not
        self.last = 0.0  # when nothing was left to merge

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Something was taken in."""
        self._is_woken.set()

    def stop(self, seconds: float) -> bool:
        """What is under way is finished; whether it was within that time."""
        self._is_stopping.set()
        self._is_woken.set()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            self._is_woken.clear()
            self._work_off()
            pause = PAUSE_AFTER_TROUBLE if self.trouble else PAUSE_SECONDS
            self._is_woken.wait(pause)

    def _work_off(self) -> None:
        """Until nothing is left. Trouble is told by `/metrics` and home, and tried again."""
        try:
            while not self._is_stopping.is_set():
                merged = self._merge()
                self.merged += merged
                if not merged:
                    self.last = self._now()
                    break
            self.trouble = ""
        except AfterglowError as error:
            self.failures += 1
            self.trouble = str(error)
