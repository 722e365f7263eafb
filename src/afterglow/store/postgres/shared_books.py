"""Rows of members' ledgers and experiments, as a hub takes them in: in a transaction of whoever sends them, as theirs.

Sending a row again changes nothing. A delivery that was judged since takes the place of what it was; experiments are
only added to, so a corrected trial is a further record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from afterglow.records.delivery import Delivery
from afterglow.records.experiment import Assignment, Plan, Trial
from afterglow.records.shared_books import SharedTrial
from afterglow.store.databases import Database
from afterglow.store.ledger import DELIVERY_COLUMNS, delivery_row
from afterglow.store.postgres.experiment_tables import NOBODY

_MINE = "person = (SELECT afterglow.me())"
_ASSIGNMENT = Assignment.__struct_fields__
_TYPES = {
    "time": "float8",
    "started": "float8",
    "budget": "bigint",
    "tokens": "bigint",
    "turn": "bigint",
    "placebo": "int",
}
_plan = msgspec.json.Decoder(Plan)


def put_deliveries(db: Database, deliveries: Sequence[Delivery]) -> None:
    """In one statement, since every statement asks anew what its member may."""
    if not deliveries:
        return
    columns = ", ".join(f'"{name}"' for name in DELIVERY_COLUMNS)
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in DELIVERY_COLUMNS)
    arrays = ", ".join(f"?::{_TYPES.get(name, 'text')}[]" for name in DELIVERY_COLUMNS)
    rows = [delivery_row(delivery) for delivery in deliveries]
    db.execute(
        f"INSERT INTO deliveries ({columns}) SELECT * FROM unnest({arrays}) "
        f"ON CONFLICT (org, person, id) DO UPDATE SET {changes}",
        [list(values) for values in zip(*rows, strict=True)],
    )


def remove_delivery(db: Database, id: str) -> None:
    db.execute(f"DELETE FROM reports WHERE delivery = ? AND {_MINE}", [id])
    db.execute(f"DELETE FROM deliveries WHERE id = ? AND {_MINE}", [id])


def put_plan(
    db: Database, repo: str, plan: Plan, text: str, hash: str, substance: str
) -> None:
    """`text` is the plan as it was hashed. One that was written earlier is the one that counts."""
    row = (repo, plan.name, plan.version, hash, text, substance)
    db.execute(
        f"INSERT INTO plans (repo, name, version, hash, plan, substance) VALUES ({_marks(row)}) "
        "ON CONFLICT DO NOTHING",
        row,
    )


def own_plan(db: Database, name: str, repo: str) -> Plan | None:
    """What the member who asks sent before."""
    query = f"SELECT plan FROM plans WHERE name = ? AND repo = ? AND {_MINE} ORDER BY n"
    rows = db.execute(query, [name, repo]).fetchall()
    return _plan.decode(rows[0][0]) if rows else None


def put_assignment(db: Database, repo: str, assignment: Assignment) -> None:
    if _is_forgotten(db, "assignments", assignment.experiment, assignment.unit):
        return
    row = [repo, *(getattr(assignment, name) for name in _ASSIGNMENT)]
    db.execute(
        f"INSERT INTO assignments (repo, {', '.join(_ASSIGNMENT)}) VALUES ({_marks(row)}) "
        "ON CONFLICT DO NOTHING",
        row,
    )


def put_trial(db: Database, repo: str, shared: SharedTrial, every_arm: bool) -> None:
    """Where the unit has a record that says something else, this one takes its place."""
    trial, text = shared.trial, msgspec.json.encode(shared.trial).decode()
    if _is_forgotten(db, "trials", trial.experiment, trial.unit):
        return
    last = _last_record(db, trial, every_arm)
    if last is not None and last[1] == text:
        return
    why = shared.why or ("counted anew" if last else "")
    row = {
        "repo": repo,
        "experiment": trial.experiment,
        "unit": trial.unit,
        "arm": trial.arm,
        "kept": shared.recorded,
        "replaces": last[0] if last else None,
        "why": why,
        "trial": text,
    }
    db.execute(
        f"INSERT INTO trials ({', '.join(row)}) VALUES ({_marks(row)})", [*row.values()]
    )


def _last_record(db: Database, trial: Trial, every_arm: bool) -> Any:
    arm = "AND arm = ?" if every_arm else ""
    query = (
        f"SELECT n, trial FROM trials WHERE experiment = ? AND unit = ? {arm} AND {_MINE} "
        "ORDER BY n DESC LIMIT 1"
    )
    values = [trial.experiment, trial.unit, *([trial.arm] if every_arm else [])]
    return db.execute(query, values).fetchone()


def _is_forgotten(db: Database, table: str, experiment: str, unit: str) -> bool:
    """Whether it was taken back before: its numbers stand there without a name, and are not counted again."""
    query = (
        f"SELECT 1 FROM {table} WHERE experiment = ? AND unit = afterglow.nameless(?) "
        f"AND person = {NOBODY} LIMIT 1"
    )
    return db.execute(query, [experiment, unit]).fetchone() is not None


def take_back_unit(db: Database, experiment: str, unit: str) -> None:
    db.execute("SELECT afterglow.take_back_units(?, ?)", [experiment, [unit]])


def take_back_plan(db: Database, name: str, repo: str) -> None:
    db.execute("SELECT afterglow.take_back_plan(?, ?)", [name, repo])


def take_back_books(db: Database) -> None:
    """All that the member who asks ever sent."""
    for table in ("reports", "deliveries", "said", "looked", "unredacted_views"):
        db.execute(f"DELETE FROM {table} WHERE {_MINE}")
    db.execute("SELECT afterglow.take_back_experiments()")


def _marks(values: Any) -> str:
    return ", ".join("?" * len(values))
