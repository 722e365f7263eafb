"""memory: a person's preferences, in the backend these settings ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import Conflict
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.backends import choose
from afterglow.memory.store_entry import About, Kept, about, keep
from afterglow.memory.waiting import (
    approve_entry,
    check_user,
    reject_entry,
    waiting_entries,
    waiting_user,
)
from afterglow.records.memory import MemoryEntry

if TYPE_CHECKING:
    from afterglow.records.evaluation import Evaluation

Progress = Callable[[str], None]
ENTRIES = 50  # a page of them: what a person looks through
NOTHING_EXPECTED: Mapping[str, str] = MappingProxyType({})


class MemoryPage(Struct, frozen=True):
    """Some of a user's entries in the order of their keys, and how many there are."""

    entries: tuple[MemoryEntry, ...]
    total: int


def entry_mark(entry: MemoryEntry | None) -> str:
    """Stands for an entry as a person saw it; nothing where there is none."""
    if entry is None:
        return ""
    words = f"{entry.key}\n{entry.value}".encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=8).hexdigest()


@contextmanager
def _backend(config: Config) -> Iterator[MemoryBackend]:
    backend = choose(config).backend
    try:
        yield backend
    finally:
        backend.close()


def store(
    config: Config,
    user: str,
    key: str,
    value: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    redact: bool = True,
) -> Kept:
    """Keeps what the person asks for themself. Raises where it is not stored; what is risky waits for `approve`."""
    with _backend(config) as backend:
        return keep(backend, user, key, value, metadata, config, redact=redact)


def retrieve(config: Config, user: str, key: str) -> MemoryEntry | None:
    check_user(user)
    with _backend(config) as backend:
        return backend.retrieve(user, key)


def query(
    config: Config, user: str, words: str, *, limit: int = LIMIT
) -> list[MemoryEntry]:
    check_user(user)
    with _backend(config) as backend:
        return backend.query(user, words, limit)


def list_keys(config: Config, user: str) -> list[str]:
    with _backend(config) as backend:
        return backend.list_keys(user)


def list_entries(
    config: Config, user: str, *, start: int = 0, limit: int = ENTRIES
) -> MemoryPage:
    """Entries from the `start`-th key on."""
    with _backend(config) as backend:
        keys = backend.list_keys(user)
        entries = (backend.retrieve(user, key) for key in keys[start : start + limit])
        return MemoryPage(tuple(filter(None, entries)), len(keys))


def delete(config: Config, user: str, key: str, *, expected: str | None = None) -> bool:
    """Whether it was there. `expected` is the mark of what a person saw."""
    with _backend(config) as backend:
        if expected is not None:
            _check(key, backend.retrieve(user, key), expected)
        return backend.delete(user, key)


def waiting(config: Config, user: str) -> list[MemoryEntry]:
    """What waits for the person's word."""
    with _backend(config) as backend:
        return waiting_entries(backend, user)


def approve(
    config: Config,
    user: str,
    keys: Sequence[str],
    *,
    risky: bool = False,
    expected: Mapping[str, str] = NOTHING_EXPECTED,
) -> list[MemoryEntry]:
    """The person's own from now on. Each by itself: those before one that is refused are approved. `expected` has the
    marks of what the person saw, by key."""
    with _backend(config) as backend:
        _check_waiting(backend, user, expected)
        return [approve_entry(backend, user, key, risky=risky) for key in keys]


def reject(
    config: Config,
    user: str,
    keys: Sequence[str],
    *,
    expected: Mapping[str, str] = NOTHING_EXPECTED,
) -> list[MemoryEntry]:
    with _backend(config) as backend:
        _check_waiting(backend, user, expected)
        return [reject_entry(backend, user, key) for key in keys]


def _check_waiting(
    backend: MemoryBackend, user: str, expected: Mapping[str, str]
) -> None:
    for key, mark in expected.items():
        _check(key, backend.retrieve(waiting_user(user), key), mark)


def _check(key: str, entry: MemoryEntry | None, expected: str) -> None:
    if entry_mark(entry) != expected:
        state = "says something else" if entry else "is not there any more"
        raise Conflict(f"{key!r} {state} since you looked; nothing was changed")


def info(config: Config, user: str) -> About:
    return about(config, user)


def evaluate(
    config: Config,
    *,
    labels: Path | None = None,
    full: bool = False,
    progress: Progress = lambda doing: None,
) -> tuple[tuple[Evaluation, ...], str]:
    """Every backend measured, and what to choose, in words. `full` sends the labelled set to a cloud backend too."""
    from afterglow.memory import evaluation, quality

    label_set = quality.load(labels) if labels else None
    evaluations = evaluation.evaluate_all(
        config, labels=label_set, full=full, progress=progress
    )
    return evaluations, evaluation.recommendation(evaluations)
