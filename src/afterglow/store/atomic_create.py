"""Putting databases in their place whole: a second first user sees none or the new one, nothing else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from afterglow.folders import private, private_file

SIDES = ("", "-wal", "-shm", "-journal")  # what SQLite may leave beside a database


def place_database(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """A new database, made beside its place, so that two first uses at once cannot trip over each other. WAL comes
    last: with a full disk nothing may stand only in a log that is dropped."""
    private(path.parent)
    draft = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        private_file(draft)
        with closing(sqlite3.connect(draft, isolation_level=None)) as db:
            fill(db)
            db.execute("PRAGMA journal_mode = WAL")
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        drop_database(draft)


def drop_database(path: Path) -> None:
    for side in SIDES:
        Path(f"{path}{side}").unlink(missing_ok=True)
