"""memory: a person's preferences, in the backend these settings ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterglow.config import Config
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.backends import choose
from afterglow.memory.store_entry import About, Kept, about, keep
from afterglow.memory.waiting import (
    approve_entry,
    check_user,
    reject_entry,
    waiting_entries,
)
from afterglow.records.memory import MemoryEntry

if TYPE_CHECKING:
    from afterglow.records.evaluation import Evaluation

Progress = Callable[[str], None]

__all__ = [
    "approve",
    "delete",
    "evaluate",
    "info",
    "list_keys",
    "query",
    "reject",
    "retrieve",
    "store",
    "waiting",
]


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


def delete(config: Config, user: str, key: str) -> bool:
    with _backend(config) as backend:
        return backend.delete(user, key)


def waiting(config: Config, user: str) -> list[MemoryEntry]:
    """What waits for the person's word."""
    with _backend(config) as backend:
        return waiting_entries(backend, user)


def approve(
    config: Config, user: str, keys: Sequence[str], *, risky: bool = False
) -> list[MemoryEntry]:
    """The person's own from now on. Each by itself: those before one that is refused are approved."""
    with _backend(config) as backend:
        return [approve_entry(backend, user, key, risky=risky) for key in keys]


def reject(config: Config, user: str, keys: Sequence[str]) -> list[MemoryEntry]:
    with _backend(config) as backend:
        return [reject_entry(backend, user, key) for key in keys]


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
