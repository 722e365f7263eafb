"""What every memory backend does. One file a backend, one line in the table of `backends`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from afterglow.records.memory import MemoryEntry

LIMIT = 10  # entries a query answers with unless told: a screen, a few hundred tokens


class MemoryBackend(ABC):
    """Keyed values per user. Users never see one another's entries.

    What fails raises (`StoreError`, `Unreachable`, `UsageError`); what a backend cannot do raises `Unsupported`. An
    empty answer always means that there is nothing.
    """

    @property
    @abstractmethod
    def backend_name(self) -> str:
        """As the table of backends calls it."""

    @property
    @abstractmethod
    def is_cloud(self) -> bool:
        """Whether what is stored leaves this machine."""

    @abstractmethod
    def is_available(self) -> bool:
        """Whether it can be used now. Never raises."""

    @abstractmethod
    def store(
        self,
        user_id: str,
        key: str,
        value: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        redact: bool = True,
    ) -> bool:
        """True once it is kept. A key that is there gets the new value and metadata, and keeps its `created_at`.
        Secrets and personal data are replaced first, unless `redact` is off."""

    @abstractmethod
    def retrieve(self, user_id: str, key: str) -> MemoryEntry | None:
        """The entry of exactly this key."""

    @abstractmethod
    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        """Entries about the words of `query`, best first."""

    @abstractmethod
    def list_keys(self, user_id: str) -> list[str]:
        """All keys of a user, sorted."""

    @abstractmethod
    def delete(self, user_id: str, key: str) -> bool:
        """Whether there was something to delete. It is gone afterwards."""

    def close(self) -> None:
        """Lets go of files and connections. Using it again opens them again."""
        return
