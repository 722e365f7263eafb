"""`hub.db`: the hub this machine joined, what that hub has acknowledged, and what it gave.

All of it can be had again from the hub, so a power cut may cost the last moments: rows are then sent once more, which
changes nothing there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from time import time_ns
from typing import Any

from msgspec import Struct

from afterglow.store.databases import (
    Migration,
    open_database,
    open_read_only,
    transaction,
    trouble,
)

APPLICATION = 0x61676875  # "aghu", in the head of the file

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sent (
  kind TEXT NOT NULL, key TEXT NOT NULL, repo TEXT NOT NULL, mark TEXT NOT NULL, refused TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE TABLE team_items (
  id TEXT PRIMARY KEY, number INTEGER NOT NULL, pull INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE INDEX team_items_there ON team_items (id) WHERE body <> '';
CREATE INDEX team_items_number ON team_items (number);
"""


def first_tables(db: sqlite3.Connection) -> None:
    """`sent` is what the hub has, or refused and why. `number` of a team's item grows with every change to one, so that
    what came since is found; an empty `body` says that it is gone. `pull` is the last walk through all that came by
    it."""
    for statement in filter(str.strip, _TABLES.split(";\n")):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")


MIGRATIONS: tuple[Migration, ...] = (first_tables,)


class SentRow(Struct, frozen=True):
    """A contribution as the hub last had it. `refused` says why it does not have it."""

    kind: str
    key: str
    repo: str
    mark: str
    refused: str = ""


def noted(path: Path) -> dict[str, str]:
    """The facts, without touching the file."""
    with trouble(path), closing(open_read_only(path)) as db:
        return dict(db.execute("SELECT name, value FROM facts").fetchall())


class Membership:
    """Use as a context manager."""

    def __init__(
        self, path: Path, migrations: Sequence[Migration] = MIGRATIONS
    ) -> None:
        self.path = path
        with self._trouble():
            self._db = open_database(
                path, "a machine's side of a hub", APPLICATION, migrations
            )

    def __enter__(self) -> Membership:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def _trouble(self) -> AbstractContextManager[None]:
        return trouble(self.path)

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._trouble():
            return self._db.execute(query, values).fetchall()

    def fact(self, name: str) -> str:
        """A small named value; empty when there is none."""
        rows = self._rows("SELECT value FROM facts WHERE name = ?", [name])
        return rows[0][0] if rows else ""

    def set_facts(self, facts: Mapping[str, str]) -> None:
        with self._trouble(), transaction(self._db):
            self._note(facts)

    def _note(self, facts: Mapping[str, str]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO facts VALUES (?, ?)", sorted(facts.items())
        )

    # What is sent

    def sent(self) -> dict[tuple[str, str], SentRow]:
        rows = self._rows("SELECT kind, key, repo, mark, refused FROM sent")
        return {(row[0], row[1]): SentRow(*row) for row in rows}

    def acknowledge(
        self, rows: Iterable[SentRow], withdrawn: Iterable[tuple[str, str]]
    ) -> None:
        """What the hub said it has, or does not take; and what it has no more."""
        with self._trouble(), transaction(self._db):
            self._db.executemany(
                "INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?)",
                [(r.kind, r.key, r.repo, r.mark, r.refused) for r in rows],
            )
            self._db.executemany(
                "DELETE FROM sent WHERE kind = ? AND key = ?", list(withdrawn)
            )

    def forget_sent(self, hub: str) -> None:
        """All of it is sent again: to another store than the one that acknowledged it."""
        with self._trouble(), transaction(self._db):
            self._db.execute("DELETE FROM sent WHERE refused <> ''")
            self._db.execute("UPDATE sent SET mark = ''")
            self._note({"hub": hub})

    def numbers(self, count: int) -> range:
        """So many numbers that no row of this machine had before. They grow with time as well, so that a file put back
        from a copy does not count the same ones again; a clock that goes wrong costs nothing."""
        with self._trouble(), transaction(self._db):
            first = max(int(self.fact("seq") or 0) + 1, time_ns() // 1000)
            self._note({"seq": str(first + count - 1)})
        return range(first, first + count)

    # What came

    def take_page(
        self,
        items: Mapping[str, str],
        gone_ids: Iterable[str],
        *,
        pull: int,
        facts: Mapping[str, str],
    ) -> tuple[int, int]:
        """Keeps a page of the team's items, by id, and where the pull stands after it; how many items were not as kept,
        and how many are gone."""
        lost = [id for id in gone_ids if id not in items]
        with self._trouble(), transaction(self._db):
            before = self._bodies([*items, *lost])
            number = int(self.fact("number") or 0) + 1
            changed = {id: body for id, body in items.items() if before.get(id) != body}
            taken_away = {id: "" for id in lost if before.get(id)}
            self._keep(changed | taken_away, number, pull)
            self._db.executemany(
                "UPDATE team_items SET pull = ? WHERE id = ?",
                [(pull, id) for id in items.keys() - changed.keys()],
            )
            self._note({**facts, "number": str(number)})
        return len(changed), len(taken_away)

    def drop_older(self, pull: int) -> int:
        """What a walk through everything did not come by is gone; how many there were."""
        with self._trouble(), transaction(self._db):
            rows = self._db.execute(
                "SELECT id FROM team_items WHERE pull <> ? AND body <> ''", [pull]
            ).fetchall()
            number = int(self.fact("number") or 0) + 1
            self._keep({id: "" for (id,) in rows}, number, pull)
            self._note({"number": str(number)})
        return len(rows)

    def replace_bodies(self, bodies: Mapping[str, str]) -> None:
        """Items in other words than they came: redacted anew, or without what was forgotten."""
        with self._trouble(), transaction(self._db):
            number = int(self.fact("number") or 0) + 1
            pulls = dict(self._rows("SELECT id, pull FROM team_items"))
            for id, body in bodies.items():
                self._keep({id: body}, number, pulls.get(id, 0))
            self._note({"number": str(number)})

    def _keep(self, bodies: Mapping[str, str], number: int, pull: int) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO team_items VALUES (?, ?, ?, ?)",
            [(id, number, pull, body) for id, body in sorted(bodies.items())],
        )

    def _bodies(self, ids: Sequence[str]) -> dict[str, str]:
        query = "SELECT body FROM team_items WHERE id = ?"
        rows = ((id, self._db.execute(query, [id]).fetchone()) for id in ids)
        return {id: row[0] for id, row in rows if row is not None}

    def team_ids(self) -> set[str]:
        rows = self._rows("SELECT id FROM team_items WHERE body <> ''")
        return {id for (id,) in rows}

    def team_since(self, number: int) -> dict[str, str]:
        """Id -> item, empty where it is gone, of all that changed after that number."""
        query = "SELECT id, body FROM team_items WHERE number > ? ORDER BY id"
        return dict(self._rows(query, [number]))

    def team_items(self, ids: Iterable[str]) -> dict[str, str]:
        """Those of `ids` that the team has."""
        with self._trouble():
            bodies = self._bodies(list(ids))
        return {id: body for id, body in bodies.items() if body}
