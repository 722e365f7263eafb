"""What models cost, request by request: the account that caps of a day are kept by, whoever asks.

A request is entered with the most it can cost before it is sent, and with what it did cost afterwards. Each entry is
one short transaction, so processes that ask at the same time cannot together exceed a cap. An entry of a process that
was killed stays as it was: at its most. Days are those of UTC, so that they are the same for everybody who shares a
home.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from weakref import finalize

from msgspec import Struct

from afterglow.llm.budget import Caps
from afterglow.records.model import TokenUsage
from afterglow.store.databases import Migration, open_database, transaction, trouble

APPLICATION = 0x61677370  # "agsp", in the head of the file


def first_tables(db: sqlite3.Connection) -> None:
    """`tokens` and `cost` are the most a request can take while `held`, then what it took."""
    db.execute(
        "CREATE TABLE requests (id INTEGER PRIMARY KEY, day TEXT NOT NULL, time REAL NOT NULL, model TEXT NOT NULL, "
        "purpose TEXT NOT NULL, held INTEGER NOT NULL, tokens INTEGER NOT NULL, cost REAL, input INTEGER NOT NULL, "
        "output INTEGER NOT NULL, estimated INTEGER NOT NULL)"
    )
    db.execute("CREATE INDEX requests_day ON requests (day)")
    db.execute(f"PRAGMA application_id = {APPLICATION}")


MIGRATIONS: tuple[Migration, ...] = (first_tables,)


class Day(Struct, frozen=True, kw_only=True):
    """One day's requests to one model. `held` of them have no known end: they are counted at their most. `cost` is of
    those whose price was known, which all are unless `unpriced`."""

    day: str
    model: str
    requests: int
    held: int
    tokens: int
    cost: float
    unpriced: int
    estimated: int


class Spending:
    """An account in a file, opened by the first entry and closed when nobody needs it any more. Safe for threads."""

    def __init__(
        self,
        path: Path,
        migrations: Sequence[Migration] = MIGRATIONS,
        *,
        clock: Callable[[], float] = time.time,
        patience: float = 30.0,
    ) -> None:
        self.path = path
        self._migrations, self._clock, self._patience = migrations, clock, patience
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None

    def hold(
        self, tokens: int, cost: float | None, caps: Caps, *, model: str, purpose: str
    ) -> int | None:
        """Enters the most a request can cost; None, and nothing is entered, if the caps of the day do not allow it."""
        now = self._clock()
        with self._open() as db, transaction(db):
            query = "SELECT COALESCE(SUM(tokens), 0), COALESCE(SUM(cost), 0.0) FROM requests WHERE day = ?"
            used, paid = db.execute(query, [day_of(now)]).fetchone()
            if caps.max_tokens_day is not None and used + tokens > caps.max_tokens_day:
                return None
            if (
                caps.max_cost_day is not None
                and paid + (cost or 0.0) > caps.max_cost_day
            ):
                return None
            row = [day_of(now), now, model, purpose, 1, tokens, cost, 0, 0, 0]
            columns = "day, time, model, purpose, held, tokens, cost, input, output, estimated"
            return db.execute(
                f"INSERT INTO requests ({columns}) VALUES ({', '.join('?' * len(row))})",
                row,
            ).lastrowid

    def book(self, ticket: int, usage: TokenUsage, cost: float | None) -> None:
        """What the request did cost."""
        row = [
            usage.input + usage.output,
            cost,
            usage.input,
            usage.output,
            usage.estimated,
            ticket,
        ]
        with self._open() as db, transaction(db):
            db.execute(
                "UPDATE requests SET held = 0, tokens = ?, cost = ?, input = ?, output = ?, estimated = ? WHERE id = ?",
                row,
            )

    def drop(self, ticket: int) -> None:
        """The request cost nothing."""
        with self._open() as db, transaction(db):
            db.execute("DELETE FROM requests WHERE id = ?", [ticket])

    def days(self, since: str = "") -> list[Day]:
        """By day and model, from a day like 2026-11-15 on."""
        if not self.path.exists():
            return []
        query = (
            "SELECT day, model, COUNT(*), SUM(held), SUM(tokens), COALESCE(SUM(cost), 0.0), SUM(cost IS NULL), "
            "SUM(estimated) FROM requests WHERE day >= ? GROUP BY day, model ORDER BY day, model"
        )
        with self._open() as db:
            return [
                Day(**dict(zip(Day.__struct_fields__, row, strict=True)))
                for row in db.execute(query, [since])
            ]

    def tokens(self, purpose: str, since: str = "") -> int:
        """What requests for a purpose took, from a day on, whoever was asked."""
        if not self.path.exists():
            return 0
        query = "SELECT COALESCE(SUM(tokens), 0) FROM requests WHERE purpose = ? AND day >= ?"
        with self._open() as db:
            return int(db.execute(query, [purpose, since]).fetchone()[0])

    def today(self) -> str:
        return day_of(self._clock())

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock, trouble(self.path):
            if self._db is None:
                self._db = open_database(
                    self.path,
                    "an account of models",
                    APPLICATION,
                    self._migrations,
                    patience=self._patience,
                    connect=_for_threads,
                )
                finalize(self, self._db.close)
            yield self._db


def _for_threads(path: Path, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=patience, isolation_level=None, check_same_thread=False
    )


def day_of(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).date().isoformat()
