"""Whether what is kept is sound: each database is opened read-only, so that looking repairs, creates and deletes
nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.backup import last_backup
from afterglow.flows.home_databases import CATALOGUE, HOME_DATABASES, HomeDatabase
from afterglow.records.doctor import CheckupLine
from afterglow.store.databases import open_read_only

CHECK_SECONDS = 0.1  # for one database: there are six, and a person waits for doctor
PATIENCE = 0.2  # seconds for a database in use: a person waits
MIN_FREE_BYTES = 200 << 20  # a harvest of a large fleet writes about as much


def read_only_rows(
    path: Path, query: str, values: Sequence[Any] = ()
) -> list[Any] | None:
    """What a query finds; None if the database is not there or cannot be read."""
    if not path.exists():
        return None
    try:
        with closing(open_read_only(path, PATIENCE)) as db:
            return db.execute(query, values).fetchall()
    except sqlite3.Error:
        return None


def home(config: Config) -> Iterator[CheckupLine]:
    if not config.home.exists():
        yield CheckupLine(
            "home",
            "attention",
            f"{config.home} is not there: nothing has been scanned yet",
            "afterglow scan",
        )
        return
    if not config.home.is_dir() or not os.access(config.home, os.W_OK):
        why = "cannot be written to" if config.home.is_dir() else "is no folder"
        text = f"{config.home} {why}: nothing can be kept; mend that, or set AFTERGLOW_HOME to a folder of yours"
        yield CheckupLine("home", "attention", text)
        return
    try:
        free = shutil.disk_usage(config.home).free
    except OSError as error:
        yield CheckupLine("home", "attention", f"{config.home}: {error.strerror}")
        return
    text = f"{config.home}, {free / 1e9:.1f} GB free"
    if free > MIN_FREE_BYTES:
        yield CheckupLine("home", "ok", text)
    else:
        yield CheckupLine("home", "attention", text, "free some disk space")


def stores(config: Config) -> Iterator[CheckupLine]:
    last = last_backup(config)
    backup = last.file if last is not None and Path(last.file).exists() else ""
    for name, store in HOME_DATABASES.items():
        path = config.home / name
        if not path.exists():
            if Path(f"{path}-wal").exists():
                yield CheckupLine(
                    "store",
                    "attention",
                    f"{name} is gone but {name}-wal is there; put it back",
                )
            continue
        yield _look(path, store, backup)


def _look(path: Path, store: HomeDatabase, backup: str) -> CheckupLine:
    """`backup` is the last one of the home, where it is still there."""
    name = f"{path.name} ({store.what})"
    try:
        head = _head(path)
    except sqlite3.OperationalError as error:
        return CheckupLine("store", "attention", f"{name} cannot be read: {error}")
    except sqlite3.DatabaseError as error:
        return _damaged(path, name, str(error), backup)
    if head.flaw or head.application != store.application:
        why = head.flaw or "not a file of afterglow"
        return _damaged(path, name, why, backup)
    if head.layout > store.layout:
        text = f"{name} was written by a newer afterglow: layout {head.layout}, this one knows {store.layout}"
        help = "pip install --upgrade afterglow-agents"
        return CheckupLine("store", "attention", text, help)
    checked = "sound" if head.whole else f"no damage seen in {CHECK_SECONDS:g} s"
    size = f"{path.stat().st_size / 1e6:.1f} MB"
    text = f"{name}: layout {head.layout}, {size}, {checked}"
    return CheckupLine("store", "ok", text)


def _damaged(path: Path, name: str, why: str, backup: str) -> CheckupLine:
    if path.name == CATALOGUE:
        text = f"{name} is damaged: {why}; delete it, a scan makes it anew"
        return CheckupLine("store", "attention", text, "afterglow scan")
    text = f"{name} is damaged: {why}; move it away, or put a copy back"
    help = f"afterglow restore {shlex.quote(backup)}" if backup else ""
    return CheckupLine("store", "attention", text, help)


class Head(Struct, frozen=True):
    """What a database says of itself; the first thing that is wrong with it, and whether all of it was looked at."""

    layout: int
    application: int
    flaw: str
    whole: bool


def _head(path: Path) -> Head:
    with closing(open_read_only(path, PATIENCE)) as db:
        layout, application = (
            int(db.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("user_version", "application_id")
        )
        until = time.monotonic() + CHECK_SECONDS
        db.set_progress_handler(lambda: time.monotonic() > until, 1000)
        try:
            row = db.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError as error:
            if "interrupt" in str(error):
                return Head(layout, application, flaw="", whole=False)
            raise
    answer = str(row[0]) if row else "no answer"
    return Head(layout, application, "" if answer == "ok" else answer, whole=True)
