"""What a knowledge store rests on: a file at home or a hub's database. The statements are the same for both; what is
not stands behind this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from afterglow.records.hub import HubPlace
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.databases import Answer, Migration
from afterglow.store.search import Asked, Wanted


class ForgottenSessions(Protocol):
    """Sessions of which nothing is kept."""

    def refresh(self) -> ForgottenSessions: ...

    def remaining_items(
        self, items: Iterable[KnowledgeItem]
    ) -> list[KnowledgeItem]: ...


class KnowledgeDatabase(Protocol):
    """`identity` tells stores apart; `may_repair` is set for who looks after what is derived (words, risks) as the store
    is opened; `elements` are the texts of a list column as a table `elements (value)`, for a query."""

    identity: str
    may_repair: bool
    elements: str

    @property
    def forgotten(self) -> ForgottenSessions: ...

    @property
    def in_transaction(self) -> bool: ...

    def execute(self, query: str, values: Sequence[Any] = ()) -> Answer: ...

    def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> object: ...

    def trouble(self) -> AbstractContextManager[None]:
        """What the database says, in words that help."""

    def new_numbers(self, count: int) -> list[int]:
        """For items that come, higher than all there were."""

    def note_change(self, change: int) -> None:
        """The store has changed, by that number."""

    def view(self) -> str:
        """A mark of what whoever asks may see, of all there is; it changes with their rights."""

    def hurry(self) -> None:
        """From now on a write that would have to wait for another's is an error at once."""

    def search(
        self, question: Asked, limit: int, filters: Wanted
    ) -> list[tuple[Any, ...]]:
        """Rows of items, each with its score behind the fields, best first."""

    def damage(self) -> list[str]:
        """What is wrong below the tables."""

    def backup(self, to: Path) -> None: ...

    def close(self, wrote: bool) -> None:
        """`wrote`: something was written that is to be found quickly from now on."""


def knowledge_database(
    place: Path | HubPlace, migrations: Sequence[Migration], large: int
) -> KnowledgeDatabase:
    """Open. `migrations` and `large` (items from which the word index is asked) are of a file."""
    if isinstance(place, HubPlace):
        from afterglow.store.postgres.knowledge_hub import KnowledgeHub

        return KnowledgeHub(place)
    from afterglow.store.knowledge_file import KnowledgeFile

    return KnowledgeFile(place, migrations, large)
