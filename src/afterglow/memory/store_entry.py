"""Keeping an entry and saying what became of it; and what is to be said about the backend in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import Unsupported
from afterglow.memory.backend import MemoryBackend
from afterglow.memory.backends import BACKENDS, choose
from afterglow.memory.screening import check_names, entry
from afterglow.text.redact import Redactor


class Kept(Struct, frozen=True):
    """An entry that is stored, and how often which rule hid something in it."""

    key: str
    user_id: str
    backend: str
    hidden: dict[str, int]


class About(Struct, frozen=True):
    """The backend in force, why it is this one, whether it answers, how many keys a user has there (None: it does not
    answer), and what other backends there are."""

    backend: str
    why: str
    available: bool
    is_cloud: bool
    keys: int | None
    backends: tuple[str, ...]


def keep(
    backend: MemoryBackend,
    user_id: str,
    key: str,
    value: str,
    metadata: Mapping[str, Any] | None,
    config: Config,
    *,
    redact: bool = True,
) -> Kept:
    """Stores an entry; raises where it is not stored."""
    redactor = Redactor(config.names, cache=config.cache) if redact else None
    check_names(user_id, key, redactor)
    screened = entry(key, value, metadata, redactor)
    if not backend.store(user_id, key, screened.value, screened.metadata, redact=False):
        raise Unsupported(
            f"nothing was kept: the memory backend is {backend.backend_name}; "
            "AFTERGLOW_MEMORY_BACKEND=local keeps entries on this machine"
        )
    return Kept(key, user_id, backend.backend_name, screened.hidden)


def about(config: Config, user_id: str) -> About:
    choice = choose(config)
    backend = choice.backend
    try:
        available = backend.is_available()
        keys = len(backend.list_keys(user_id)) if available else None
    finally:
        backend.close()
    return About(
        backend.backend_name,
        choice.why,
        available,
        backend.is_cloud,
        keys,
        tuple(BACKENDS.names()),
    )
