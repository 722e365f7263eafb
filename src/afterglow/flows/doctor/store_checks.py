"""Whether what is kept is sound: each database is opened read-only, so that looking repairs, creates and deletes
nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from afterglow.config import Config
from afterglow.memory.local import schema as memory_schema
from afterglow.records.doctor import Finding
from afterglow.store import catalog_schema, experiments, knowledge_schema, ledger

SECONDS = 0.1  # the check of one database takes no longer
ROOM = 200 << 20  # bytes that should be free


class Store(Struct, frozen=True):
    """A database: what it holds, the layout this version writes, and the mark in its head (0: none)."""

    what: str
    layout: int
    mark: int = 0


STORES = {
    "catalog.db": Store("the catalogue of sessions", catalog_schema.SCHEMA),
    "knowledge.db": Store(
        "knowledge", len(knowledge_schema.MIGRATIONS), knowledge_schema.APPLICATION
    ),
    "ledger.db": Store(
        "the ledger of deliveries", len(ledger.MIGRATIONS), ledger.APPLICATION
    ),
    "experiments.db": Store(
        "experiments", len(experiments.MIGRATIONS), experiments.APPLICATION
    ),
    "memory.db": Store(
        "memory", len(memory_schema.MIGRATIONS), memory_schema.APPLICATION
    ),
}


def rows(path: Path, query: str, values: Sequence[Any] = ()) -> list[Any] | None:
    """What a query finds; None if the database is not there or cannot be read."""
    if not path.exists():
        return None
    try:
        with closing(_open(path)) as db:
            return db.execute(query, values).fetchall()
    except sqlite3.Error:
        return None


def home(config: Config) -> Iterator[Finding]:
    if not config.home.exists():
        yield Finding(
            "home",
            "attention",
            f"{config.home} is not there: nothing has been scanned yet",
            "afterglow scan",
        )
        return
    if not config.home.is_dir() or not os.access(config.home, os.W_OK):
        why = "cannot be written to" if config.home.is_dir() else "is no folder"
        text = f"{config.home} {why}: nothing can be kept; mend that, or set AFTERGLOW_HOME to a folder of yours"
        yield Finding("home", "attention", text)
        return
    try:
        free = shutil.disk_usage(config.home).free
    except OSError as error:
        yield Finding("home", "attention", f"{config.home}: {error.strerror}")
        return
    text = f"{config.home}, {free / 1e9:.1f} GB free"
    yield Finding(
        "home",
        "ok" if free > ROOM else "attention",
        text,
        "" if free > ROOM else "free some disk space",
    )


def stores(config: Config) -> Iterator[Finding]:
    for name, store in STORES.items():
        path = config.home / name
        if not path.exists():
            if Path(f"{path}-wal").exists():
                yield Finding(
                    "store",
                    "attention",
                    f"{name} is gone but {name}-wal is there; put it back",
                )
            continue
        yield _look(path, store)


def _look(path: Path, store: Store) -> Finding:
    name = f"{path.name} ({store.what})"
    help = "afterglow scan" if path.name == "catalog.db" else ""
    again = (
        "; delete it, a scan makes it anew"
        if help
        else "; move it away, or put a copy back"
    )
    try:
        with closing(_open(path)) as db:
            version, mark = (
                int(db.execute(f"PRAGMA {one}").fetchone()[0])
                for one in ("user_version", "application_id")
            )
            until = time.monotonic() + SECONDS
            db.set_progress_handler(lambda: time.monotonic() > until, 1000)
            flaw, whole = _flaw(db)
    except sqlite3.OperationalError as error:
        return Finding("store", "attention", f"{name} cannot be read: {error}")
    except sqlite3.DatabaseError as error:
        flaw, version, mark, whole = str(error), 0, store.mark, False
    if flaw or mark != store.mark:
        return Finding(
            "store",
            "attention",
            f"{name} is damaged: {flaw or 'not a file of afterglow'}{again}",
            help,
        )
    if version > store.layout:
        text = f"{name} was written by a newer afterglow: layout {version}, this one knows {store.layout}"
        return Finding(
            "store", "attention", text, "pip install --upgrade afterglow-agents"
        )
    checked = "sound" if whole else f"no damage seen in {SECONDS:g} s"
    return Finding(
        "store",
        "ok",
        f"{name}: layout {version}, {path.stat().st_size / 1e6:.1f} MB, {checked}",
    )


def _flaw(db: sqlite3.Connection) -> tuple[str, bool]:
    """The first thing that is wrong with a database, and whether all of it was looked at."""
    try:
        said = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if "interrupt" in str(error):
            return "", False
        raise
    return (
        "" if said and said[0] == "ok" else str(said[0] if said else "no answer")
    ), True


def _open(path: Path) -> sqlite3.Connection:
    """On a share that cannot be written to, nobody else writes either."""
    fixed = "" if os.access(path.parent, os.W_OK) else "&immutable=1"
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro{fixed}", uri=True, timeout=0.2
    )
