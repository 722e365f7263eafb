"""A knowledge store in a hub's database, as one of its members or its merger sees it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

from afterglow.errors import TokenRefused, Unsupported
from afterglow.records.hub import HubPlace
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store import search as searching
from afterglow.store.knowledge_texts import bring_texts_up_to_date
from afterglow.store.postgres.connection import (
    PostgresConnection,
    Rows,
    postgres_trouble,
)
from afterglow.store.postgres.knowledge_words import HubWords
from afterglow.store.search import Asked, Wanted

PATIENCE = 30.0  # seconds that a write waits for another's, as for a file
HURRY = 0.001  # where nobody may wait


class NothingForgotten:
    """A hub holds no sessions: machines do not send what was forgotten, and take back what they had sent."""

    def refresh(self) -> NothingForgotten:
        return self

    def remaining_items(self, items: Iterable[KnowledgeItem]) -> list[KnowledgeItem]:
        return list(items)


class KnowledgeHub:
    """An open connection on somebody's behalf."""

    elements = "json_array_elements_text({}::json) AS elements (value)"

    def __init__(self, place: HubPlace) -> None:
        self._place = place
        self.forgotten = NothingForgotten()
        self.may_repair = bool(place.org)
        with self.trouble(), ExitStack() as opened:
            self.db = PostgresConnection(place, patience=PATIENCE)
            opened.callback(self.db.close)
            self.identity, self.org = self._organisation()
            if self.may_repair:
                bring_texts_up_to_date(self.db)
            opened.pop_all()

    def _organisation(self) -> tuple[str, int]:
        query = "SELECT value, org FROM facts WHERE name = 'identity'"
        row = self.db.execute(query).fetchone()
        if row is None:
            raise TokenRefused(
                f"{self._place} knows nobody with this token: it is wrong, expired or revoked"
            )
        return str(row[0]), int(row[1])

    @property
    def in_transaction(self) -> bool:
        return self.db.in_transaction

    def execute(self, query: str, values: Sequence[Any] = ()) -> Rows:
        return self.db.execute(query, values)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        self.db.executemany(query, rows)

    def trouble(self) -> AbstractContextManager[None]:
        return postgres_trouble(self._place)

    def new_numbers(self, count: int) -> list[int]:
        query = "SELECT nextval('item_numbers') FROM generate_series(1, ?)"
        return [number for (number,) in self.db.execute(query, [count])]

    def note_change(self, change: int) -> None:
        self.db.execute("SELECT note_change(?)", [change])

    def view(self) -> str:
        query = "SELECT md5(array_to_string(array(SELECT unnest(my_repos('read')) ORDER BY 1), chr(10)) || me())"
        return self.db.execute(query).fetchone()[0] or "the merger"

    def hurry(self) -> None:
        self.db.patience = HURRY

    def search(
        self, question: Asked, limit: int, filters: Wanted
    ) -> list[tuple[Any, ...]]:
        index = HubWords(self.db, self.org, question)
        return searching.search(self.db, index, question, limit, filters)

    def damage(self) -> list[str]:
        """The server looks after that."""
        return []

    def backup(self, to: Path) -> None:
        raise Unsupported(
            "a hub is copied as a whole: `afterglow hub backup FILE`, where its database is"
        )

    def close(self, wrote: bool) -> None:
        self.db.close()
