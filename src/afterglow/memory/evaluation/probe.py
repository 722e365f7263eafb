"""Storing, retrieving and asking, many times: what works gets points, and the same calls are timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TypeVar

from afterglow.errors import AfterglowError, Unsupported
from afterglow.memory.evaluation.probe_user import Guest
from afterglow.memory.quality.measures import times
from afterglow.records.evaluation import POINTS, Check, State, Times

WARM = 3  # calls before those that are measured, at most a third of them
PATIENCE = 3  # errors until a kind of call is given up: a dead server answers slowly
LATENCY = (
    (10.0, 20),
    (50.0, 15),
    (200.0, 10),
)  # below so many milliseconds, so many points
SLOW = 5
SYLLABLES = ("ba", "do", "fi", "ku", "le", "mo", "na", "ri", "su", "to", "vi", "zo")
T = TypeVar("T")


class Probed:
    """What became of `n` entries: which calls worked, how long they took, what went wrong."""

    def __init__(self, guest: Guest, n: int) -> None:
        self.n = n
        self.entries = probes(n)
        self._took: dict[str, list[float]] = {"store": [], "retrieve": [], "query": []}
        self._wrong: dict[str, list[AfterglowError]] = {what: [] for what in self._took}
        stored = [
            self._timed("store", partial(guest.store, key, value))
            for key, value, _ in self.entries
        ]
        read = [
            self._timed("retrieve", partial(guest.retrieve, key))
            for key, _, _ in self.entries
        ]
        asked = [
            self._timed("query", partial(guest.query, word))
            for _, _, word in self.entries
        ]
        got = [
            one is not None and one.value == value
            for one, (_, value, _) in zip(read, self.entries, strict=True)
        ]
        hit = [
            any(one.key == key for one in found or ())
            for found, (key, _, _) in zip(asked, self.entries, strict=True)
        ]
        self.claimed = sum(map(bool, stored))
        self.worked = {
            "store": sum(
                bool(said) and (there or found)
                for said, there, found in zip(stored, got, hit, strict=True)
            ),
            "retrieve": sum(got),
            "query": sum(hit),
        }

    @property
    def keeps(self) -> bool:
        return any(self.worked.values())

    @property
    def text(self) -> float:
        """Bytes of key and value of an entry."""
        return (
            sum(
                len(key.encode()) + len(value.encode())
                for key, value, _ in self.entries
            )
            / self.n
        )

    @property
    def nothing_because(self) -> str:
        """Why nothing is kept."""
        for errors in self._wrong.values():
            if errors:
                return str(errors[0])
        return (
            "it says that it keeps, and keeps nothing"
            if self.claimed
            else "it keeps nothing"
        )

    def times(self) -> dict[str, Times]:
        """Only of what works: an answer that is always empty is fast."""
        return {
            what: times(_warm(self._took[what]))
            for what, worked in self.worked.items()
            if worked
        }

    def points(self) -> dict[str, int]:
        """Calls by the share of them that worked; latency by the slowest of the three medians."""
        given = {
            what: round(POINTS[what] * worked / self.n)
            for what, worked in self.worked.items()
        }
        slowest = max((one.median for one in self.times().values()), default=None)
        given["latency"] = (
            0
            if slowest is None
            else next((points for ms, points in LATENCY if slowest < ms), SLOW)
        )
        return given

    def checks(self) -> list[Check]:
        return [
            Check(what, self._state(what), self._detail(what)) for what in self.worked
        ]

    def _state(self, what: str) -> State:
        if self.worked[what] == self.n:
            return "passed"
        honest = not self.claimed and not any(
            self._wrong.values()
        )  # a store that says no does not pretend
        return (
            "unsupported"
            if honest or any(isinstance(one, Unsupported) for one in self._wrong[what])
            else "failed"
        )

    def _detail(self, what: str) -> str:
        detail = f"{self.worked[what]} of {self.n}"
        if what == "store" and self.claimed > self.worked[what]:
            detail += f"; it said so of {self.claimed}"
        return "; ".join([detail, *(str(error) for error in self._wrong[what][:1])])

    def _timed(self, what: str, call: Callable[[], T]) -> T | None:
        errors = self._wrong[what]
        if len(errors) == PATIENCE or any(
            isinstance(error, Unsupported) for error in errors
        ):
            return None
        start = time.perf_counter()
        try:
            answer = call()
        except AfterglowError as error:
            errors.append(error)
            return None
        self._took[what].append(time.perf_counter() - start)
        return answer


def _warm(took: list[float]) -> list[float]:
    return took[min(WARM, len(took) // 3) :]


def probes(n: int) -> list[tuple[str, str, str]]:
    """Key, value, and a word that is in this entry only."""
    words = ["".join(parts) for parts in product(SYLLABLES, repeat=3)]
    found = []
    for at in range(n):
        word = words[(at * 7 + 5) % len(words)]
        found.append(
            (
                f"preference_{at}",
                f"prefers the {word} layout for reports that go out on day {at % 28 + 1}",
                word,
            )
        )
    return found
