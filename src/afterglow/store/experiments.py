"""Experiments as they are kept: plans, who was given which arm, what came of it. Nothing is ever changed or taken away.

The database itself refuses to update or delete. A plan gets a new version only while there is no data. Assignment is
decided inside the transaction that keeps it, so that sessions which start at once cannot break a block, and a unit
keeps its arm. A record that was wrong is answered by another that says why; `trials` gives the last, `records` all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import NotFound, StoreError, UsageError
from afterglow.records.experiment import Assignment, Plan, Trial
from afterglow.store.databases import Migration, transaction
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.open_store import Place, open_store, store_trouble

APPLICATION = 0x61676578  # "agex", in the head of the file

_TABLES = """
CREATE TABLE plans (
  name TEXT NOT NULL CHECK (name <> ''), version INTEGER NOT NULL, hash TEXT NOT NULL, plan TEXT NOT NULL,
  PRIMARY KEY (name, version)
) WITHOUT ROWID;
CREATE TABLE assignments (
  n INTEGER PRIMARY KEY, experiment TEXT NOT NULL, unit TEXT NOT NULL CHECK (unit <> ''), arm TEXT NOT NULL,
  time REAL NOT NULL, stratum TEXT NOT NULL, delivery TEXT NOT NULL
);
CREATE UNIQUE INDEX assignments_unit ON assignments (experiment, unit, arm);
CREATE INDEX assignments_stratum ON assignments (experiment, stratum);
CREATE TABLE deliveries (assignment INTEGER PRIMARY KEY REFERENCES assignments (n), delivery TEXT NOT NULL);
CREATE TABLE trials (
  n INTEGER PRIMARY KEY, experiment TEXT NOT NULL, unit TEXT NOT NULL CHECK (unit <> ''), arm TEXT NOT NULL,
  kept REAL NOT NULL, replaces INTEGER UNIQUE REFERENCES trials (n), why TEXT NOT NULL, trial TEXT NOT NULL
);
CREATE INDEX trials_unit ON trials (experiment, unit, arm);
"""
_ASSIGNMENT = Assignment.__struct_fields__
_ASSIGNED = (
    "SELECT experiment, unit, arm, time, stratum, coalesce(assigned_deliveries.delivery, assignments.delivery) "
    "FROM assignments LEFT JOIN assigned_deliveries ON assignment = n WHERE experiment = ?"
)
_plan = msgspec.json.Decoder(Plan)
_trial = msgspec.json.Decoder(Trial)
T = TypeVar("T")

Choose = Callable[
    [Plan, str, str, Sequence[Assignment]], str
]  # plan, unit, stratum, those before it -> arm


class Record(Struct, frozen=True, kw_only=True):
    """A trial as it was kept: its number, when, and which earlier record it takes the place of, and why."""

    n: int
    kept: float
    trial: Trial
    replaces: int | None = None
    why: str = ""


def refuse_changes(db: sqlite3.Connection) -> None:
    tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    for (table,) in tables.fetchall():
        for change in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_{change.lower()} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'experiments are only ever added to'); END"
            )


def allow_changes(db: sqlite3.Connection) -> None:
    """Until they are refused again, in the same transaction."""
    triggers = db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    for (name,) in triggers.fetchall():
        db.execute(f'DROP TRIGGER "{name}"')


def first_tables(db: sqlite3.Connection) -> None:
    """`deliveries` are contexts that became known after their unit was assigned."""
    for statement in filter(str.strip, _TABLES.split(";\n")):
        db.execute(statement)
    refuse_changes(db)
    db.execute(f"PRAGMA application_id = {APPLICATION}")


def rename_deliveries(db: sqlite3.Connection) -> None:
    """A hub has those of the ledger in the same database."""
    allow_changes(db)
    db.execute("ALTER TABLE deliveries RENAME TO assigned_deliveries")
    refuse_changes(db)


MIGRATIONS: tuple[Migration, ...] = (first_tables, rename_deliveries)


class Experiments:
    """An open store. Use as a context manager. `patience` is how many seconds a write waits for another's."""

    def __init__(
        self,
        place: Place,
        migrations: Sequence[Migration] = MIGRATIONS,
        *,
        patience: float = 30.0,
    ) -> None:
        self.place = place
        with store_trouble(place):
            self._db = open_store(
                place,
                "a store of experiments",
                APPLICATION,
                migrations,
                patience=patience,
                decides=True,
            )

    def __enter__(self) -> Experiments:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with store_trouble(self.place):
            return self._db.execute(
                query, [_clean(value) for value in values]
            ).fetchall()

    # Plans

    def add_plan(self, plan: Plan, hash: str) -> None:
        """Keeps a plan: the first of its name, or the next version while there is no data."""
        with store_trouble(self.place), transaction(self._db):
            assigned, recorded = self.counts(plan.name)
            if assigned or recorded:
                raise UsageError(
                    f"{plan.name} has data already ({assigned} assigned, {recorded} recorded): its plan is not changed "
                    "any more. Begin a new experiment under another name, and report both."
                )
            last = self._rows(
                "SELECT coalesce(max(version), 0) FROM plans WHERE name = ?", plan.name
            )[0][0]
            if plan.version != last + 1:
                raise UsageError(
                    f"{plan.name} is at version {last} by now, so this cannot be version {plan.version}; look at it "
                    f"with `afterglow experiment show {plan.name}` and try again"
                )
            text = msgspec.json.encode(plan, order="sorted").decode()
            self._rows(
                "INSERT INTO plans (name, version, hash, plan) VALUES (?, ?, ?, ?)",
                plan.name,
                plan.version,
                hash,
                text,
            )

    def plan(self, name: str, version: int | None = None) -> Plan:
        """The last version, or the one asked for."""
        return self.kept_plan(name, version)[0]

    def kept_plan(self, name: str, version: int | None = None) -> tuple[Plan, str]:
        """A plan and the hash that was kept with it."""
        chosen = "(SELECT max(version) FROM plans WHERE name = ?)"
        rows = self._rows(
            f"SELECT plan, hash FROM plans WHERE name = ? AND version = {chosen if version is None else '?'}",
            name,
            name if version is None else version,
        )
        if not rows:
            names = ", ".join(sorted({plan.name for plan in self.plans()}))
            which = (
                f"version {version} of {name!r}" if version is not None else repr(name)
            )
            raise NotFound(
                f"no experiment {which}; "
                + (f"there are {names}" if names else "there is none yet")
            )
        # At a hub several people may have written the same: the first of them planned it.
        plans = [(self._decoded(_plan, text), hash) for text, hash in rows]
        return min(plans, key=lambda pair: pair[0].created)

    def plans(self) -> list[Plan]:
        """The last version of each, by name."""
        names = self._rows("SELECT DISTINCT name FROM plans ORDER BY name")
        return [self.plan(name) for (name,) in names]

    def _decoded(self, decoder: msgspec.json.Decoder[T], text: str) -> T:
        try:
            return decoder.decode(text)
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"{self.place}: a plan or a record cannot be read ({error}); a newer afterglow may have written it, "
                "else put a copy of the file back"
            ) from error

    def counts(self, name: str) -> tuple[int, int]:
        """How many assignments and records there are."""
        tables = ("assignments", "trials")
        one, two = (
            self._rows(f"SELECT count(*) FROM {table} WHERE experiment = ?", name)[0][0]
            for table in tables
        )
        return one, two

    # Assignments

    def assign(self, wanted: Assignment, choose: Choose) -> tuple[Assignment, ...]:
        """Gives a unit its arm: the one it has, or the one that `choose` says, which is asked while nobody else
        assigns. A task that is run in every arm gets them all, in their order. The arm of `wanted` is not looked at."""
        name, unit, stratum = (
            storable_text(one)
            for one in (wanted.experiment, wanted.unit, wanted.stratum)
        )
        with store_trouble(self.place), transaction(self._db):
            plan = self.plan(name)
            assigned = self._assignments(name, "AND unit = ?", unit)
            if assigned:
                return tuple(assigned)
            before = self._assignments(name, "AND stratum = ?", stratum)
            for _ in plan.arms if plan.every_arm else plan.arms[:1]:
                arm = choose(plan, unit, stratum, [*before, *assigned])
                assigned.append(
                    replace(
                        wanted, experiment=name, unit=unit, stratum=stratum, arm=arm
                    )
                )
                values = [getattr(assigned[-1], field) for field in _ASSIGNMENT]
                columns = ", ".join(_ASSIGNMENT)
                self._rows(
                    f"INSERT INTO assignments ({columns}) VALUES ({_marks(values)})",
                    *values,
                )
        return tuple(assigned)

    def delivered(self, name: str, unit: str, delivery: str) -> None:
        """The context that a unit got, known only after it was assigned; the first one stays."""
        with store_trouble(self.place), transaction(self._db):
            query = "SELECT n FROM assignments WHERE experiment = ? AND unit = ? ORDER BY n LIMIT 1"
            rows = self._rows(query, name, unit)
            if not rows:
                raise NotFound(f"{unit!r} was not assigned in {name}")
            self._rows(
                "INSERT INTO assigned_deliveries (assignment, delivery) VALUES (?, ?) ON CONFLICT DO NOTHING",
                rows[0][0],
                delivery,
            )

    def assignments(self, name: str) -> list[Assignment]:
        """In the order they were made."""
        return self._assignments(name)

    def assignment(self, name: str, unit: str) -> Assignment | None:
        """What a unit was given (the first, where it was given every arm), if it was."""
        return next(iter(self._assignments(name, "AND unit = ?", unit)), None)

    def _assignments(self, name: str, more: str = "", *values: str) -> list[Assignment]:
        rows = self._rows(f"{_ASSIGNED} {more} ORDER BY n", name, *values)
        return [Assignment(**dict(zip(_ASSIGNMENT, row, strict=True))) for row in rows]

    # Records

    def record(
        self,
        trials: Trial | Iterable[Trial],
        *,
        kept: float,
        why: str = "",
        skip_known: bool = False,
    ) -> int:
        """Keeps what came of units: all of them or none. A second record of a unit is refused (a task that is run in
        every arm has one in each), or skipped where asked, unless `why` says what was wrong with the one it takes the
        place of. How many were kept."""
        count = 0
        with store_trouble(self.place), transaction(self._db):
            for trial in [trials] if isinstance(trials, Trial) else trials:
                earlier = self._last(trial)
                if earlier is not None and not why:
                    if skip_known:
                        continue
                    raise UsageError(
                        f"{trial.unit} has a record in {earlier[1]} already; nothing was recorded. A wrong record is "
                        'answered by a new one that says why: --correct "the clock was wrong"'
                    )
                if earlier is None and why:
                    raise UsageError(
                        f"{trial.unit} has no record to correct; nothing was recorded"
                    )
                text = msgspec.json.encode(trial).decode()
                values = (
                    trial.experiment,
                    trial.unit,
                    trial.arm,
                    kept,
                    earlier and earlier[0],
                    why,
                    text,
                )
                columns = "experiment, unit, arm, kept, replaces, why, trial"
                self._rows(
                    f"INSERT INTO trials ({columns}) VALUES ({_marks(values)})", *values
                )
                count += 1
        return count

    def _last(self, trial: Trial) -> tuple[int, str] | None:
        """The number and arm of a unit's last record."""
        arm = "AND arm = ?" if self.plan(trial.experiment).every_arm else ""
        query = f"SELECT n, arm FROM trials WHERE experiment = ? AND unit = ? {arm} ORDER BY n DESC LIMIT 1"
        rows = self._rows(
            query, trial.experiment, trial.unit, *([trial.arm] if arm else [])
        )
        return rows[0] if rows else None

    def records(self, name: str) -> list[Record]:
        """Everything that was kept, in that order, corrected or not."""
        rows = self._rows(
            "SELECT n, kept, replaces, why, trial FROM trials WHERE experiment = ? ORDER BY n",
            name,
        )
        return [
            Record(
                n=n,
                kept=kept,
                replaces=replaces,
                why=why,
                trial=self._decoded(_trial, trial),
            )
            for n, kept, replaces, why, trial in rows
        ]

    def trials(self, name: str) -> list[Trial]:
        """What holds: every record that no later one takes the place of."""
        records = self.records(name)
        replaced = {record.replaces for record in records}
        return [record.trial for record in records if record.n not in replaced]


def _clean(value: Any) -> Any:
    return storable_text(value) if isinstance(value, str) else value


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
