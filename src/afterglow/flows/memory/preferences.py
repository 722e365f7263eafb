"""memory: a person's preferences, in the backend these settings ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterglow.config import Config
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.backends import choose
from afterglow.memory.store_entry import About, Kept, about, keep
from afterglow.records.memory import MemoryEntry

if TYPE_CHECKING:
    from afterglow.records.evaluation import Evaluation

Progress = Callable[[str], None]

__all__ = ["delete", "evaluate", "info", "list_keys", "query", "retrieve", "store"]


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
    """Raises where it is not stored."""
    with _backend(config) as backend:
        return keep(backend, user, key, value, metadata, config, redact=redact)


def retrieve(config: Config, user: str, key: str) -> MemoryEntry | None:
    with _backend(config) as backend:
        return backend.retrieve(user, key)


def query(
    config: Config, user: str, words: str, *, limit: int = LIMIT
) -> list[MemoryEntry]:
    with _backend(config) as backend:
        return backend.query(user, words, limit)


def list_keys(config: Config, user: str) -> list[str]:
    with _backend(config) as backend:
        return backend.list_keys(user)


def delete(config: Config, user: str, key: str) -> bool:
    with _backend(config) as backend:
        return backend.delete(user, key)


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
