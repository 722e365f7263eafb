"""A guest in a backend: a random user of its own, who counts its calls and takes everything along when it leaves."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from afterglow.errors import AfterglowError, Unreachable
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.records.memory import MemoryEntry

RESERVED = "afterglow-evaluation"


class Guest:
    """`name` tells users of one guest apart. Leaving deletes what was stored, also after Ctrl-C."""

    def __init__(self, backend: MemoryBackend) -> None:
        self.backend = backend
        self.calls = 0
        self.left_behind = 0
        self._prefix = f"{RESERVED}-{secrets.token_hex(8)}"
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
        gone = self.backend.delete(self.user(name), key)
        self._stored[self.user(name)].discard(key)
        return gone

    def _delete(self, user: str, keys: list[str]) -> int:
        """How many could not be deleted. A server that is gone is not asked again for each of them."""
        left = 0
        for at, key in enumerate(keys):
            self.calls += 1
            try:
                self.backend.delete(user, key)
            except Unreachable:
                return left + len(keys) - at
            except AfterglowError:
                left += 1
        return left
