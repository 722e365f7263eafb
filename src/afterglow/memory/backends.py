"""Which backend is in force: a table of them, and the rule that chooses.

A name that was set (variable or config file) is used, or refused loudly. Without one entries stay on this machine: a key
that lies in the environment for another program's sake says nothing about where a person's words may go.
"""

from __future__ import annotations

from msgspec import Struct

from afterglow import config
from afterglow.config import Config
from afterglow.errors import ConfigError
from afterglow.memory.backend import MemoryBackend
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

DEFAULT = "local"  # works at once, and nothing leaves the machine
NOTHING_KEPT = (
    "nothing is kept: the memory backend is null; "
    "`afterglow config set memory.backend local` keeps entries on this machine"
)

_chosen: list[MemoryBackend] = []


class Choice(Struct, frozen=True):
    """The backend, and why it is this one."""

    backend: MemoryBackend
    why: str


def choose(settings: Config) -> Choice:
    """The backend these settings ask for."""
    named = settings.memory_backend or DEFAULT
    why = "the default" if named == DEFAULT else f"{named} was set"
    if named == DEFAULT and settings.honcho.key:
        why += (
            '; [memory] backend = "honcho" would use the server HONCHO_API_KEY is for'
        )
    return Choice(open_named(named, settings), why)


def keeps_entries(settings: Config) -> bool:
    """Whether the backend in force keeps anything. Opens nothing."""
    return settings.memory_backend != "null"


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
    """The backend in force, opened once a process; `reset_backend` forgets it."""
    if not _chosen:
        _chosen.append(choose(config.load()).backend)
    return _chosen[0]


def reset_backend() -> None:
    """Closes the backend in force; the next call chooses anew."""
    while _chosen:
        _chosen.pop().close()
