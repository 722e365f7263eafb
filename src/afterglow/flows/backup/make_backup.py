"""A backup of the home in one file, also while others write.

Each database is copied as it is at one moment, by SQLite itself. The file is written beside its place, read again from
beginning to end, and put there whole: a killed backup, or a full disk, leaves the earlier one.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

import afterglow
from afterglow.config import Config
from afterglow.errors import (
    AfterglowError,
    NotFound,
    StoreError,
    UnreadableSource,
    UsageError,
)
from afterglow.flows.backup import archive
from afterglow.flows.backup.home_contents import backed_up, is_database
from afterglow.flows.backup.leftovers import (
    drop_unfinished,
    note_backup,
    one_at_a_time,
    real_home,
)
from afterglow.flows.home_databases import CATALOGUE
from afterglow.folders import private
from afterglow.records.backup import BackupManifest, BackupReport, LastBackup
from afterglow.store.databases import back_up as copy_database

PATIENCE = 30.0  # seconds for a database that another process holds
_DRAFT = ".afterglow-backup-draft-"
_DRAFT_NAME = re.compile(re.escape(_DRAFT) + r"[0-9a-f]{32}")

Step = Callable[[str], None]
Progress = Callable[[int, int], None]


def dated_name(now: float) -> str:
    return f"afterglow-{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}.tar.gz"


def back_up(
    config: Config,
    to: Path,
    *,
    catalogue: bool = True,
    now: float | None = None,
    step: Step = lambda _: None,
    progress: Progress = lambda count, total: None,
) -> BackupReport:
    """Writes the backup to the file `to`; an earlier backup there is replaced, any other file is not. `step` is told
    what is about to be done, `progress` of bytes copied."""
    began = time.monotonic()
    at = time.time() if now is None else now
    home, to = real_home(config), Path(os.path.realpath(to))
    _check_places(home, to)
    with one_at_a_time(home):
        drop_unfinished(config)
        _drop_dead_drafts(to.parent)
        draft = to.with_name(f"{_DRAFT}{uuid4().hex}")
        try:
            manifest = _write(
                home, draft, catalogue=catalogue, at=at, step=step, progress=progress
            )
            step("check")
            if archive.check(draft) != manifest:
                raise StoreError(f"{to}: what was written is not what is read again")
            step("put in place")
            draft.replace(to)
            _settle(to.parent)
        except OSError as error:
            raise StoreError(
                f"{to}: {error.strerror or error}; no backup was made, an earlier one is as it was"
            ) from error
        finally:
            draft.unlink(missing_ok=True)
        step("note")
        note_backup(home, LastBackup(at, str(to)))
    return BackupReport(
        file=str(to),
        bytes=to.stat().st_size,
        files=len(manifest.files),
        kept_bytes=sum(entry.bytes for entry in manifest.files),
        seconds=time.monotonic() - began,
    )


def _check_places(home: Path, to: Path) -> None:
    if not home.is_dir():
        raise NotFound(f"{home} is not there: there is nothing to back up yet")
    if to.is_relative_to(home):
        raise UsageError(
            f"{to} is inside the home and would be lost with it; name a file elsewhere"
        )
    if not to.parent.is_dir():
        raise UsageError(f"{to.parent} is no folder; make it, or name another")
    if to.exists() and not _is_backup(to):
        raise UsageError(
            f"{to} is there and is no backup of ours; it was left alone; name another file"
        )


def _is_backup(path: Path) -> bool:
    """A damaged one too: a good one may take its place."""
    try:
        archive.check_head(path)
    except (AfterglowError, OSError):
        return False
    return True


def _write(
    home: Path,
    draft: Path,
    *,
    catalogue: bool,
    at: float,
    step: Step,
    progress: Progress,
) -> BackupManifest:
    copies = private(home / f".backup-{uuid4().hex}")
    chosen = [
        (name, path) for name, path in backed_up(home) if catalogue or name != CATALOGUE
    ]
    copied, total = 0, sum(_size(path) for _, path in chosen)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(draft, flags, 0o600), "wb") as file:
            _hold(file.fileno())
            with archive.writing(file) as writer:
                for name, path in chosen:
                    step(name)
                    _add(writer, name, path, copies / "copy.db")
                    copied += _size(path)
                    progress(min(copied, total), total)
                manifest = BackupManifest(
                    version=afterglow.__version__,
                    time=at,
                    files=tuple(writer.entries),
                )
                step("manifest")
                writer.finish(manifest)
            file.flush()
            os.fsync(file.fileno())
    finally:
        shutil.rmtree(copies, ignore_errors=True)
    return manifest


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _add(writer: archive.Writer, name: str, path: Path, copy: Path) -> None:
    with suppress(FileNotFoundError):  # taken away meanwhile
        if is_database(path):
            _add_database(writer, name, path, copy)
        else:
            writer.add(name, path)


def _add_database(writer: archive.Writer, name: str, path: Path, copy: Path) -> None:
    """As it is at one moment, whoever writes; not one that is damaged: it would take the place of a good backup."""
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as db:
            copy_database(db, copy)
        with closing(sqlite3.connect(copy)) as db:
            flaw = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            layout, application = (
                int(db.execute(f"PRAGMA {pragma}").fetchone()[0])
                for pragma in ("user_version", "application_id")
            )
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path}: {error}; no backup was made; try again") from error
    except sqlite3.DatabaseError as error:
        raise _damaged(path, str(error)) from error
    if flaw != "ok":
        raise _damaged(path, flaw)
    writer.add(name, copy, layout=layout, application=application)
    copy.unlink()


def _damaged(path: Path, flaw: str) -> UnreadableSource:
    help = (
        "delete it and scan again, or say --no-catalogue"
        if path.name == CATALOGUE
        else "restore an earlier backup, or move it away"
    )
    why = " ".join(flaw.split())
    return UnreadableSource(f"{path} is damaged ({why}); no backup was made; {help}")


def _hold(descriptor: int) -> None:
    """A draft that nobody holds was left by a killed backup."""
    with suppress(ImportError):
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _drop_dead_drafts(folder: Path) -> None:
    try:
        import fcntl

        names = [path for path in folder.iterdir() if _DRAFT_NAME.fullmatch(path.name)]
    except (ImportError, OSError):
        return
    for path in names:
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _settle(folder: Path) -> None:
    """The name in the folder is on the disk, too."""
    with suppress(OSError):  # some systems open no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
