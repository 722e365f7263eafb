"""Sessions that a person had forgotten, in experiments: their numbers stay, under names that tell nothing.

To take a unit out of a comparison because of what a person thinks of it would bend the result; so arm and outcomes stay
as they were counted. This is the one change the file allows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from afterglow.records.experiment import Trial
from afterglow.store.databases import transaction, trouble
from afterglow.store.erasing import PATIENCE, overwrite_deleted
from afterglow.store.experiments import allow_changes, refuse_changes

FORGOTTEN = "forgotten-"  # how the name of such a unit begins

_trial = msgspec.json.Decoder(Trial)


def units_of(path: Path, sessions: Collection[str]) -> list[str]:
    """The units that are these sessions."""
    return sorted(all_units(path) & set(sessions))


def all_units(path: Path) -> set[str]:
    if not path.exists():
        return set()
    with trouble(path), closing(sqlite3.connect(path, timeout=PATIENCE)) as db:
        query = "SELECT unit FROM assignments UNION SELECT unit FROM trials"
        return {unit for (unit,) in db.execute(query)}


def rename_units(path: Path, sessions: Collection[str]) -> int:
    """Gives the units that are these sessions other names; how many."""
    units = units_of(path, sessions)
    if not units:
        return 0
    with (
        trouble(path),
        closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as db,
    ):
        overwrite_deleted(db)
        with transaction(db):
            allow_changes(db)
            for unit in units:
                _rename(db, unit, f"{FORGOTTEN}{uuid4().hex}")
            refuse_changes(db)
    return len(units)


def _rename(db: sqlite3.Connection, unit: str, name: str) -> None:
    db.execute("UPDATE assignments SET unit = ? WHERE unit = ?", [name, unit])
    rows = db.execute("SELECT n, trial FROM trials WHERE unit = ?", [unit]).fetchall()
    for number, packed in rows:
        trial = _trial.decode(packed)
        session = name if trial.session else ""
        renamed = replace(trial, unit=name, session=session, run=UNSET)
        text = msgspec.json.encode(renamed).decode()
        db.execute(
            "UPDATE trials SET unit = ?, trial = ? WHERE n = ?", [name, text, number]
        )
