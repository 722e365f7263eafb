"""When a session was, by what its lines say."""

from __future__ import annotations


class Clock:
    """When a session began and ended, as far as its lines say.

    What a hook says at the opening does not start the clock: only a session that is given something has it, and how
    long its person then takes to ask for anything is not the agent's time.
    """

    __slots__ = ("first", "last", "opened")

    def __init__(self) -> None:
        self.first: float | None = None
        self.last: float | None = None
        self.opened: float | None = None

    def tick(self, time: float | None) -> None:
        if time is None:
            return
        if self.first is None or time < self.first:
            self.first = time
        if self.last is None or time > self.last:
            self.last = time

    @property
    def start(self) -> float | None:
        return self.opened if self.first is None else self.first

    @property
    def end(self) -> float | None:
        return self.opened if self.last is None else self.last
