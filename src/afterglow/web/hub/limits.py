"""How often somebody may ask: so many at once, and so many a minute after that."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from afterglow.errors import LimitReached

MAX_NAMES = 10_000  # remembered; who asked longest ago has all of theirs back by then


class Pace:
    """`a_minute` requests of each name, up to `at_once` of them together."""

    def __init__(
        self,
        a_minute: float,
        at_once: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._a_minute = a_minute
        self._at_once = at_once
        self._now = now
        self._names: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(
        self, name: str, amount: float = 1, *, a_minute: float | None = None
    ) -> None:
        """Counts, or raises `LimitReached` with how long to wait. Somebody may have a pace of their own."""
        self._spend(name, amount, amount, a_minute or self._a_minute)

    def check(self, name: str) -> None:
        """Raises where one more would be too many; it is not counted."""
        self._spend(name, 1, 0, self._a_minute)

    def _spend(self, name: str, needed: float, spent: float, a_minute: float) -> None:
        with self._lock:
            now = self._now()
            available, then = self._names.pop(name, (float(self._at_once), now))
            regained = (now - then) * a_minute / 60
            available = min(self._at_once, available + regained)
            is_allowed = available >= min(needed, self._at_once)
            self._names[name] = (available - spent * is_allowed, now)
            if len(self._names) > MAX_NAMES:
                self._names.popitem(last=False)
        if not is_allowed:
            seconds = int((needed - available) * 60 / a_minute) + 1
            raise LimitReached(
                f"too many requests; try again in {seconds} s", retry_after=seconds
            )
