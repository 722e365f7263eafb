"""A guest in a backend: a random user who stores, retrieves and asks many times. What works gets points, and is timed.

The guest counts its calls and takes everything along when it leaves. On a server of others little is tried: every call
takes a request or a few, and may cost money.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from types import TracebackType
from typing import Any, TypeVar

from msgspec import Struct

from afterglow.errors import AfterglowError, Unreachable, Unsupported
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.quality.measures import times
from afterglow.records.evaluation import POINTS, MemoryCheck, State, Times
from afterglow.records.memory import MemoryEntry

RESERVED_USER = "afterglow-evaluation"
WARM_UP_CALLS = 3  # before those that are measured, at most a third of them
MAX_ERRORS = 3  # until a kind of call is given up: a dead server answers slowly
LATENCY_POINTS = ((10.0, 20), (50.0, 15), (200.0, 10))  # below so many milliseconds
SLOW_POINTS = 5  # it works: slow is better than not at all
SYLLABLES = ("ba", "do", "fi", "ku", "le", "mo", "na", "ri", "su", "to", "vi", "zo")
T = TypeVar("T")


class Effort(Struct, frozen=True):
    """`probes` entries are stored, retrieved and asked for; `writers` processes store `each` at once; a process is
    killed after `acknowledged` entries of `further` times as many; `large` characters in one value."""

    probes: int
    writers: int
    each: int
    acknowledged: int
    further: int
    large: int


LOCAL_EFFORT = Effort(
    probes=200, writers=8, each=25, acknowledged=20, further=50, large=1_000_000
)
CLOUD_EFFORT = Effort(
    probes=5, writers=3, each=2, acknowledged=1, further=1, large=30_000
)


class Guest:
    """`name` tells users of one guest apart. Leaving deletes what was stored, also after Ctrl-C."""

    def __init__(self, backend: MemoryBackend, effort: Effort) -> None:
        self.backend = backend
        self.effort = effort
        self.calls = 0
        self.left_behind = 0
        self._prefix = f"{RESERVED_USER}-{secrets.token_hex(8)}"
        self._stored: dict[str, set[str]] = {}

    def __enter__(self) -> Guest:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for user, keys in self._stored.items():
            with suppress(AfterglowError):  # those we know of will do
                keys |= set(self.backend.list_keys(user))
            self.left_behind += self._delete(user, sorted(keys))

    def user(self, name: str = "", *, stores: Iterable[str] = ()) -> str:
        """As the backend calls them. `stores` are keys that someone else stores for them."""
        user = f"{self._prefix}-{name}" if name else self._prefix
        self._stored.setdefault(user, set()).update(stores)
        return user

    def store(
        self,
        key: str,
        value: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        name: str = "",
    ) -> bool:
        self.calls += 1
        user = self.user(name)
        self._stored[user].add(
            key
        )  # before: it may be kept although the answer is lost
        return self.backend.store(user, key, value, metadata)

    def retrieve(self, key: str, *, name: str = "") -> MemoryEntry | None:
        self.calls += 1
        return self.backend.retrieve(self.user(name), key)

    def query(
        self, words: str, limit: int = LIMIT, *, name: str = ""
    ) -> list[MemoryEntry]:
        self.calls += 1
        return self.backend.query(self.user(name), words, limit)

    def list_keys(self, *, name: str = "") -> list[str]:
        self.calls += 1
        return self.backend.list_keys(self.user(name))

    def delete(self, key: str, *, name: str = "") -> bool:
        self.calls += 1
        deleted = self.backend.delete(self.user(name), key)
        self._stored[self.user(name)].discard(key)
        return deleted

    def _delete(self, user: str, keys: list[str]) -> int:
        """How many could not be deleted. A server that is gone is not asked again for each of them."""
        failed = 0
        for number, key in enumerate(keys):
            self.calls += 1
            try:
                self.backend.delete(user, key)
            except Unreachable:
                return failed + len(keys) - number
            except AfterglowError:
                failed += 1
        return failed


class ProbeEntry(Struct, frozen=True):
    """`word` is in the value of this entry only."""

    key: str
    value: str
    word: str


def probe_entries(n: int) -> list[ProbeEntry]:
    words = ["".join(parts) for parts in product(SYLLABLES, repeat=3)]
    entries = []
    for number in range(n):
        word = words[(number * 7 + 5) % len(words)]
        value = f"prefers the {word} layout for reports that go out on day {number % 28 + 1}"
        entries.append(ProbeEntry(f"preference_{number}", value, word))
    return entries


class TimedCalls:
    """Calls of one kind, timed: how long they took, what went wrong."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.errors: list[AfterglowError] = []

    @property
    def unsupported(self) -> bool:
        return any(isinstance(error, Unsupported) for error in self.errors)

    def timed(self, call: Callable[[], T]) -> T | None:
        if len(self.errors) == MAX_ERRORS or self.unsupported:
            return None
        start = time.perf_counter()
        try:
            answer = call()
        except AfterglowError as error:
            self.errors.append(error)
            return None
        self.seconds.append(time.perf_counter() - start)
        return answer

    def times(self) -> Times:
        """Of the calls after the first few."""
        return times(self.seconds[min(WARM_UP_CALLS, len(self.seconds) // 3) :])


class ProbeResult(Struct, frozen=True, kw_only=True):
    """What became of `n` entries. `calls` and how many of them `worked` by kind of call; `claimed` is how often store
    said that it kept the entry."""

    n: int
    text_per_entry: float
    claimed: int
    worked: dict[str, int]
    calls: dict[str, TimedCalls]

    @property
    def keeps(self) -> bool:
        return any(self.worked.values())

    @property
    def nothing_because(self) -> str:
        """Why nothing is kept."""
        for calls in self.calls.values():
            if calls.errors:
                return str(calls.errors[0])
        if self.claimed:
            return "it says that it keeps, and keeps nothing"
        return "it keeps nothing"

    def times(self) -> dict[str, Times]:
        """Only of what works: an answer that is always empty is fast."""
        return {
            kind: self.calls[kind].times()
            for kind, worked in self.worked.items()
            if worked
        }

    def points(self) -> dict[str, int]:
        """Calls by the share of them that worked; latency by the slowest of the three medians."""
        points = {
            kind: round(POINTS[kind] * worked / self.n)
            for kind, worked in self.worked.items()
        }
        medians = [measured.median for measured in self.times().values()]
        return points | {"latency": _latency_points(max(medians)) if medians else 0}

    def checks(self) -> list[MemoryCheck]:
        return [
            MemoryCheck(kind, self._state(kind), self._detail(kind))
            for kind in self.worked
        ]

    def _state(self, kind: str) -> State:
        if self.worked[kind] == self.n:
            return "passed"
        if self.calls[kind].unsupported:
            return "unsupported"
        went_wrong = any(calls.errors for calls in self.calls.values())
        if self.claimed or went_wrong:
            return "failed"
        return "unsupported"  # it said no: it does not pretend

    def _detail(self, kind: str) -> str:
        detail = f"{self.worked[kind]} of {self.n}"
        if kind == "store" and self.claimed > self.worked[kind]:
            detail += f"; it said so of {self.claimed}"
        first_error = [str(error) for error in self.calls[kind].errors[:1]]
        return "; ".join([detail, *first_error])


def _latency_points(median: float) -> int:
    return next((points for ms, points in LATENCY_POINTS if median < ms), SLOW_POINTS)


def probe(guest: Guest) -> ProbeResult:
    """Every entry is stored; then every one is retrieved; then every one is asked for by its word."""
    entries = probe_entries(guest.effort.probes)
    store, retrieve, query = TimedCalls(), TimedCalls(), TimedCalls()
    stored = [
        bool(store.timed(partial(guest.store, entry.key, entry.value)))
        for entry in entries
    ]
    retrieved = [
        _is_retrieved(entry, retrieve.timed(partial(guest.retrieve, entry.key)))
        for entry in entries
    ]
    queried = [
        _is_among(entry, query.timed(partial(guest.query, entry.word)))
        for entry in entries
    ]
    really_stored = [
        claimed and (by_key or by_word)
        for claimed, by_key, by_word in zip(stored, retrieved, queried, strict=True)
    ]
    text = "".join(entry.key + entry.value for entry in entries)
    return ProbeResult(
        n=len(entries),
        text_per_entry=len(text.encode()) / len(entries),
        claimed=sum(stored),
        worked={
            "store": sum(really_stored),
            "retrieve": sum(retrieved),
            "query": sum(queried),
        },
        calls={"store": store, "retrieve": retrieve, "query": query},
    )


def _is_retrieved(entry: ProbeEntry, answer: MemoryEntry | None) -> bool:
    return answer is not None and answer.value == entry.value


def _is_among(entry: ProbeEntry, answer: list[MemoryEntry] | None) -> bool:
    return any(candidate.key == entry.key for candidate in answer or ())
