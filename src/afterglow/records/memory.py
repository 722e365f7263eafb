"""A person's keyed preference, as a memory backend keeps it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class MemoryEntry(Struct, frozen=True):
    """One value under one key of one user. Times are seconds since 1970; `metadata` is anything JSON can hold."""

    key: str
    value: str
    user_id: str
    created_at: float = 0.0
    updated_at: float = 0.0
    metadata: dict[str, Any] = {}
