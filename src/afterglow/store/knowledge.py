"""The knowledge store: items with their evidence and history, and tombstones of what people deleted.

It keeps and finds. What an item is worth, which items are the same and where they hold is decided above it, and saved.
Whatever it rests on, a file at home or a hub's database (`knowledge_database`), it does the same:

- `transaction`: others see all of it or nothing, and nobody else writes meanwhile. What was committed
  survives a crash. Many processes may write; one after the other.
- `save` takes whole items. An item equal to what is kept changes nothing; one without evidence keeps what it had.
- `bury` is the only way anything goes, and leaves a tombstone. History stays, without the words.
- `search` never fails on what people type, and finds what was saved at once.

At a hub everything is said of what whoever asks may see: the rest is not there for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from time import time_ns
from typing import Any, Unpack

from afterglow.errors import NotFound
from afterglow.records.hub import HubPlace
from afterglow.records.knowledge import Change, KnowledgeItem
from afterglow.store import search as searching
from afterglow.store.databases import Migration
from afterglow.store.knowledge_check import faults
from afterglow.store.knowledge_counts import Counts, Hit, counts_of, hits_of
from afterglow.store.knowledge_database import knowledge_database
from afterglow.store.knowledge_risk import Door, bring_risks_up_to_date
from afterglow.store.knowledge_rows import (
    FIELDS,
    PlacedFact,
    evidence_by_item,
    grouped,
    item_of,
    placed_fact,
    storable,
    storable_text,
    topic_mark,
)
from afterglow.store.knowledge_schema import MIGRATIONS
from afterglow.store.knowledge_writes import Saving, Statement, burial
from afterglow.store.rejections import without_rejected
from afterglow.store.search import LARGE, Wanted, conditions
from afterglow.store.sql_limits import pieces

SAVED_AT_ONCE = 500  # items: their rows are held in memory and looked up by one query
# Facts that harvest notes: how many sessions each repository has had; what good runs of a repository print.
SESSIONS = "sessions by repo"
NOISE = "noise of "

Step = tuple[KnowledgeItem | None, KnowledgeItem]

_ITEM = ", ".join(f'"{name}"' for name in FIELDS)
_STRONGEST = "confidence DESC, source_count DESC, id"


class Knowledge:
    """An open store. Use as a context manager."""

    def __init__(
        self,
        place: Path | HubPlace,
        migrations: Sequence[Migration] = MIGRATIONS,
        large: int = LARGE,
    ) -> None:
        self.place = place
        self._db = knowledge_database(place, migrations, large)
        self.identity = self._db.identity
        self.forgotten = self._db.forgotten
        self._wrote = False
        self._recorded: list[Step] | None = None
        if self._db.may_repair:
            bring_risks_up_to_date(self)

    def __enter__(self) -> Knowledge:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self._db.close(wrote=self._wrote and error is None)

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """For the modules of this folder, which have questions of their own."""
        with self._db.trouble():
            return self._db.execute(query, values).fetchall()

    def _rows_in(self, query: str, values: Iterable[str]) -> Iterator[Any]:
        """`query` has one `{}` for the values; they may be many, and any text."""
        texts = sorted({storable_text(value) for value in values})
        for batch in pieces(texts):
            yield from self.rows(query.format(", ".join("?" * len(batch))), batch)

    # Reading

    def get(self, name: str) -> KnowledgeItem:
        """By id or the start of one, with evidence."""
        start = storable_text(name)
        ids = [id for (id,) in self.rows("SELECT id FROM items WHERE id = ?", [start])]
        if not ids and start:
            query = "SELECT id FROM items WHERE id > ? AND id < ? ORDER BY id LIMIT 6"
            ids = [id for (id,) in self.rows(query, [start, start + "\U0010ffff"])]
        if len(ids) > 1:
            few = ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")
            raise NotFound(
                f"several items start with {name!r}: {few}; write more of the id"
            )
        if not ids:
            raise NotFound(self._absence(name, start))
        return self.find(ids)[ids[0]]

    def _absence(self, name: str, id: str) -> str:
        """Why there is no such item."""
        buried = self.rows("SELECT why FROM tombstones WHERE item = ?", [id])
        if buried:
            return f"item {name!r} was deleted: {buried[0][0] or 'no reason given'}"
        return f"no item {name!r}; `afterglow knowledge search WORDS` finds items and their ids"

    def find(self, ids: Iterable[str]) -> dict[str, KnowledgeItem]:
        """Those of `ids` that there are, with evidence."""
        return {item.id: item for _, _, item in self._known(ids)}

    def items(
        self,
        *,
        limit: int | None = None,
        evidence: bool = False,
        **wanted: Unpack[Wanted],
    ) -> list[KnowledgeItem]:
        """The strongest first. Without `evidence` it is left empty, which saving such an item does not change."""
        where, values = conditions(wanted)
        query = f"SELECT {_ITEM} FROM items WHERE {where} ORDER BY {_STRONGEST}"
        if limit is not None:
            query += f" LIMIT {max(limit, 0)}"
        items = [item_of(row) for row in self.rows(query, values)]
        if not evidence:
            return items
        whole = self.find(item.id for item in items)
        return [whole[item.id] for item in items if item.id in whole]

    def search(
        self, words: str, *, limit: int = 20, **wanted: Unpack[Wanted]
    ) -> list[Hit]:
        """By words as people type them, active items unless `status` says otherwise; without evidence."""
        question = searching.asked(words)
        wanted = {"status": ("active",), **wanted}
        if not question.words or limit < 1:
            return []
        with self._db.trouble():
            return hits_of(self._db.search(question, limit, wanted))

    def of_topics(self, topics: Iterable[str]) -> dict[str, str]:
        """Topic -> id. Where several items have a topic, one that holds."""
        query = (
            "SELECT word, id FROM labels JOIN items ON n = item WHERE kind = 'topic' AND word IN ({}) "
            "ORDER BY status IN ('superseded', 'retired') DESC, id DESC"
        )
        return dict(self._rows_in(query, topics))

    def of_keys(self, keys: Iterable[str]) -> dict[str, list[str]]:
        query = 'SELECT "key", id FROM items WHERE "key" <> \'\' AND "key" IN ({})'
        return grouped(self._rows_in(query, keys))

    def replaced_by(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """Id -> the items that made place for it."""
        query = "SELECT superseded_by, id FROM items WHERE superseded_by <> '' AND superseded_by IN ({})"
        return grouped(self._rows_in(query, ids))

    def deciding(
        self, miners: Iterable[str], repos: Collection[str] | None = None
    ) -> dict[str, KnowledgeItem]:
        """What these miners found and what people wrote, as far as it holds, waits or has been replaced; everywhere, or
        in these repositories."""
        if repos is None:
            return self.find(self.deciding_ids(miners))
        names = list(miners)
        holding = "repo = ? AND status IN ('active', 'candidate', 'superseded')"
        query = (
            f"SELECT id FROM items WHERE {holding} AND miner IN ({', '.join('?' * len(names))}) "
            f"UNION SELECT id FROM items WHERE {holding} AND edited <> 0"
        )
        rows = (self.rows(query, [repo, *names, repo]) for repo in sorted(repos))
        return self.find(id for ids in rows for (id,) in ids)

    def deciding_ids(
        self, miners: Iterable[str], limit: int | None = None
    ) -> list[str]:
        """The ids of these, `limit` at most."""
        query = (
            "SELECT id FROM items WHERE status IN ('active', 'candidate', 'superseded') "
            "AND (edited <> 0 OR miner IN ({}))"
        )
        if limit is not None:
            query += f" LIMIT {limit}"
        return [id for (id,) in self._rows_in(query, miners)]

    def of_fingerprints(self, fingerprints: Iterable[str]) -> dict[str, list[str]]:
        return self._labelled("fingerprint", fingerprints)

    def all_of_topics(self, topics: Iterable[str]) -> dict[str, list[str]]:
        return self._labelled("topic", topics)

    def _labelled(self, kind: str, words: Iterable[str]) -> dict[str, list[str]]:
        query = f"SELECT word, id FROM labels JOIN items ON n = item WHERE kind = '{kind}' AND word IN ({{}})"
        return grouped(self._rows_in(query, words))

    def of_sessions(self, sessions: Iterable[str]) -> dict[str, list[str]]:
        """Session -> ids of the items with evidence in it."""
        query = "SELECT DISTINCT session, id FROM evidence JOIN items ON n = item WHERE session IN ({})"
        return grouped(self._rows_in(query, sessions))

    def sessions(self) -> set[tuple[str, str]]:
        """Agent and session of all evidence."""
        return set(self.rows("SELECT DISTINCT agent, session FROM evidence"))

    def facts(self, *, category: str, repo: str, miner: str) -> list[PlacedFact]:
        """What a miner's items say there, to look for duplicates in: also of what was replaced or rejected, which is not
        to come back under another name."""
        query = (
            "SELECT id, fact, topics, first_seen, decided, edited FROM items WHERE repo = ? AND category = ? "
            "AND miner = ? AND (status <> 'retired' OR decided <> 0) ORDER BY id"
        )
        return list(map(placed_fact, self.rows(query, [repo, category, miner])))

    def buried(self, names: Iterable[str]) -> set[str]:
        """Which of these topics, ids or marks of facts (`fact_mark`) a person deleted."""
        listed = list(names)
        marks = {topic_mark(name): name for name in listed}
        query = "SELECT DISTINCT name FROM buried WHERE name IN ({})"
        rows = self._rows_in(query, [*listed, *marks])
        return {marks.get(name, name) for (name,) in rows}

    def history(self, id: str) -> list[Change]:
        query = 'SELECT item, time, "by", what, before, after FROM history WHERE item = ? ORDER BY n'
        return [Change(*row) for row in self.rows(query, [storable_text(id)])]

    def counts(self) -> Counts:
        return counts_of(self.rows)

    def fact(self, name: str) -> str:
        """A small named value; empty when there is none."""
        rows = self.rows("SELECT value FROM facts WHERE name = ?", [name])
        return rows[0][0] if rows else ""

    # Writing

    def hurry(self) -> None:
        """From now on a write that would have to wait for another's is an error at once."""
        with self._db.trouble():
            self._db.hurry()

    def view(self) -> str:
        """A mark of what whoever asks may see: it changes with their rights, and is empty where all is seen."""
        with self._db.trouble():
            return self._db.view()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Nobody else writes until its end, and all that was written in it is kept or nothing. Inside another it
        is a step of that one."""
        inner = self._db.in_transaction
        start, end, undo = (
            ("SAVEPOINT step", "RELEASE step", "ROLLBACK TO step")
            if inner
            else ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
        )
        self.rows(start)
        committed = False
        try:
            yield
            self.rows(end)
            committed = True
        finally:
            if not committed and self._db.in_transaction:
                self.rows(undo)

    @contextmanager
    def recording(self) -> Iterator[list[Step]]:
        """All that is saved meanwhile, before and after, in its order; None before what is new."""
        steps: list[Step] = []
        self._recorded = steps
        try:
            yield steps
        finally:
            self._recorded = None

    def set_fact(self, name: str, value: str) -> None:
        with self.transaction():
            self.rows("DELETE FROM facts WHERE name = ?", [name])
            insert = "INSERT INTO facts (name, value) VALUES (?, ?)"
            self.rows(insert, [name, storable_text(value)])

    def save(self, items: Iterable[KnowledgeItem], *, by: str, now: float) -> int:
        """Whole items, new or known; how many were not as kept. What rests on a session that was forgotten meanwhile is
        left out."""
        count, waiting = 0, iter(items)
        with self.transaction():
            self.forgotten.refresh()
            while batch := list(islice(waiting, SAVED_AT_ONCE)):
                items = self.forgotten.remaining_items(map(storable, batch))
                stored = {item.id: item for item in items}
                allowed = without_rejected(stored, self.rows, self.buried)
                count += self._save(allowed, by, now)
        return count

    def _save(self, items: dict[str, KnowledgeItem], by: str, now: float) -> int:
        present = {item.id: (n, noted, item) for n, noted, item in self._known(items)}
        numbers = self._new_numbers(len(items) - len(present))
        change = self._next_change()
        saving, door = Saving(change=change, by=by, now=now), Door(self.fact)
        for item in items.values():
            number, noted, old = present.get(item.id, (0, 0.0, None))
            new = door.judged(item, old)
            if old is None:
                saving.create(next(numbers), new)
            elif new != old:
                saving.update(number, noted, old, new)
            if new != old and self._recorded is not None:
                self._recorded.append((old, new))
        if saving.items:
            for statement, rows in saving.statements():
                self._many(statement, rows)
            self._tell(saving.history, change)
        return saving.items

    def bury(self, ids: Iterable[str], *, by: str, why: str, now: float) -> int:
        """A person deletes: the items go with their words and evidence; how many there were."""
        why = storable_text(why)
        with self.transaction():
            buried, change = list(self._known(ids)), self._next_change()
            for number, _, item in buried:
                for statement, rows in burial(
                    number, item, change=change, by=by, why=why, now=now
                ):
                    self._many(statement, rows)
            if buried:
                lines = [
                    (item.id, now, by, "deleted", "", why) for _, _, item in buried
                ]
                self._tell(lines, change)
        return len(buried)

    def numbered(self, ids: Iterable[str]) -> list[tuple[int, KnowledgeItem]]:
        """Those of `ids` that there are, with the numbers they have in all tables."""
        return [(number, item) for number, _, item in self._known(ids)]

    def run(self, statements: Iterable[Statement]) -> None:
        """What `knowledge_erasing` has to take out."""
        with self.transaction():
            for statement, rows in statements:
                self._many(statement, rows)
            self._tell([], self._next_change())

    def _known(self, ids: Iterable[str]) -> list[tuple[int, float, KnowledgeItem]]:
        """Number, noted confidence and item, with evidence."""
        rows = list(
            self._rows_in(
                f"SELECT n, noted, {_ITEM} FROM items WHERE id IN ({{}})", ids
            )
        )
        evidence = evidence_by_item(self.rows, [row[0] for row in rows])
        return [
            (n, noted, item_of(row, evidence.get(n, ()))) for n, noted, *row in rows
        ]

    def _new_numbers(self, count: int) -> Iterator[int]:
        with self._db.trouble():
            return iter(self._db.new_numbers(count) if count else ())

    def _next_change(self) -> int:
        """Grows with every transaction that writes, and with time: a store put back from a backup does not count the same
        numbers again."""
        return max(int(self.fact("change")) + 1, time_ns() // 1000)

    def _tell(self, history: Sequence[tuple[Any, ...]], change: int) -> None:
        self._many(
            'INSERT INTO history (item, time, "by", what, before, after) VALUES (?, ?, ?, ?, ?, ?)',
            history,
        )
        with self._db.trouble():
            self._db.note_change(change)
        self._wrote = True

    def _many(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        with self._db.trouble():
            self._db.executemany(statement, rows)

    # Care

    def check(self) -> list[str]:
        """What is wrong with the store; nothing when it is sound."""
        with self._db.trouble():
            return faults(self._db)

    def backup(self, to: Path) -> None:
        """A whole copy in one file, also while others write."""
        with self._db.trouble():
            self._db.backup(to)
