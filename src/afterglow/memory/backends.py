"""Which backend is in force: a table of them, and the rule that chooses.

A name that was set (variable or config file) is used, or refused loudly. Without one, a Honcho key means Honcho where
its package and server are there. Otherwise nothing is kept.
"""

from __future__ import annotations

import warnings

from msgspec import Struct

from afterglow import config
from afterglow.config import Config
from afterglow.errors import ConfigError
from afterglow.memory.backend import MemoryBackend
from afterglow.memory.null import NullBackend
from afterglow.registry import Table

# Each row is a module with `open_backend(config) -> MemoryBackend`; other packages add rows by entry point.
BACKENDS = Table(
    "afterglow.memory_backends",
    {
        "null": "afterglow.memory.null",
        "local": "afterglow.memory.local",
        "honcho": "afterglow.memory.honcho",
    },
)

_chosen: list[MemoryBackend] = []


class Choice(Struct, frozen=True):
    """The backend, why it is this one, and what a person should be told about it."""

    backend: MemoryBackend
    why: str
    warning: str = ""


def choose(settings: Config) -> Choice:
    """The backend these settings ask for."""
    named = settings.memory_backend
    if named:
        return Choice(open_named(named, settings), f"{named} was set")
    if not settings.honcho.key:
        return Choice(
            NullBackend(),
            "nothing was set; AFTERGLOW_MEMORY_BACKEND=local keeps entries on this machine",
        )
    try:
        honcho = open_named("honcho", settings)
    except ConfigError as error:
        return Choice(
            NullBackend(),
            "Honcho cannot be used",
            f"HONCHO_API_KEY is set, but {error}; nothing is kept",
        )
    if honcho.is_available():
        return Choice(honcho, "HONCHO_API_KEY is set")
    honcho.close()
    return Choice(
        NullBackend(),
        "Honcho cannot be reached",
        "HONCHO_API_KEY is set, but the server does not answer; nothing is kept until it does "
        "(AFTERGLOW_MEMORY_BACKEND=local keeps entries on this machine)",
    )


def open_named(name: str, settings: Config) -> MemoryBackend:
    """A backend by its name in the table."""
    if name not in BACKENDS.names():
        raise ConfigError(
            f"no memory backend {name!r}; there are {', '.join(BACKENDS.names())}"
        )
    try:
        backend = BACKENDS.load(name).open_backend(settings)
    except (ImportError, AttributeError, SyntaxError, TypeError) as error:
        raise ConfigError(
            f"memory backend {name!r} cannot be opened ({type(error).__name__}: {error})"
        ) from error
    if not isinstance(backend, MemoryBackend):
        raise ConfigError(
            f"memory backend {name!r} opens {type(backend).__name__}, which is no MemoryBackend"
        )
    return backend


def get_memory_backend() -> MemoryBackend:
    """The backend in force, opened once a process; `reset_backend` forgets it. While the one that was wanted cannot be
    used, every call warns and tries again."""
    if not _chosen:
        choice = choose(config.load())
        if choice.warning:
            warnings.warn(choice.warning, RuntimeWarning, stacklevel=2)
            return choice.backend
        _chosen.append(choice.backend)
    return _chosen[0]


def reset_backend() -> None:
    """Closes the backend in force; the next call chooses anew."""
    while _chosen:
        _chosen.pop().close()
