"""A person's keyed preferences across sessions, behind a backend they choose.

`get_memory_backend()` is the one in force. The default keeps entries in a file on this machine, made by the first
of them; a backend's module is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterglow.memory.backend import MemoryBackend
from afterglow.memory.backends import get_memory_backend, reset_backend
from afterglow.memory.null import NullBackend
from afterglow.records.memory import MemoryEntry

if TYPE_CHECKING:
    from afterglow.memory.honcho import HonchoBackend
    from afterglow.memory.local import LocalBackend

__all__ = [
    "HonchoBackend",
    "LocalBackend",
    "MemoryBackend",
    "MemoryEntry",
    "NullBackend",
    "get_memory_backend",
    "reset_backend",
]


def __getattr__(name: str) -> Any:
    if name == "LocalBackend":
        from afterglow.memory.local import LocalBackend

        return LocalBackend
    if name == "HonchoBackend":
        from afterglow.memory.honcho import HonchoBackend

        return HonchoBackend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
