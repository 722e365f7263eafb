"""Keeps nothing, at no cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from afterglow.config import Config
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.records.memory import MemoryEntry


class NullBackend(MemoryBackend):
    @property
    def backend_name(self) -> str:
        return "null"

    @property
    def is_cloud(self) -> bool:
        return False

    def is_available(self) -> bool:
        return True

    def store(
        self,
        user_id: str,
        key: str,
        value: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        redact: bool = True,
    ) -> bool:
        return False

    def retrieve(self, user_id: str, key: str) -> MemoryEntry | None:
        return None

    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        return []

    def list_keys(self, user_id: str) -> list[str]:
        return []

    def delete(self, user_id: str, key: str) -> bool:
        return False


def open_backend(settings: Config) -> NullBackend:
    return NullBackend()
