"""A home as it was when it was backed up.

The new home is made beside the old one, every byte of it checked and every database opened and brought up to date there.
Only then do the two change places, in one step where the system can; the old one stays beside it. Killed at any moment, a
restore leaves one whole home in its place.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import StoreError, UsageError
from afterglow.flows.backup import archive
from afterglow.flows.backup.home_contents import OF_MACHINE
from afterglow.flows.backup.leftovers import (
    ASIDE,
    MARKER,
    drop_unfinished,
    one_at_a_time,
    real_home,
)
from afterglow.flows.backup.swap import exchange
from afterglow.flows.forget import forget_marked
from afterglow.flows.home_databases import CATALOGUE, HOME_DATABASES
from afterglow.folders import close_to_others, is_ours_alone, private, private_file
from afterglow.records.backup import BackupEntry, BackupManifest, RestoreReport
from afterglow.store.catalog import Catalog
from afterglow.store.databases import open_database

Step = Callable[[str], None]

# What holds decisions made since: a restore adds to it and takes nothing from it.
FORGOTTEN, PRIVATE = "forgotten", "private.json"


def restore(
    config: Config,
    file: Path,
    *,
    dry_run: bool = False,
    now: float | None = None,
    step: Step = lambda _: None,
) -> RestoreReport:
    """Puts the backup in the place of the home, which is set aside. `step` is told what is about to be done."""
    home = real_home(config)
    if home.exists() and not is_ours_alone(home, config.user_home):
        raise UsageError(
            f"{home} holds more than what afterglow keeps, so no other can be put in its place; set AFTERGLOW_HOME to a "
            "folder of its own"
        )
    if dry_run:
        manifest = archive.check(file)
        _check_layouts(file, manifest)
        return _report(file, home, Path(), manifest, dry_run=True)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    draft = _free_name(home.with_name(f"{home.name}{ASIDE}{stamp}"))
    with one_at_a_time(home):
        drop_unfinished(config)
        try:
            manifest = _prepare(replace(config, home=draft), file, home, step)
            had_home = home.exists()
            step("put in place")
            _put_in_place(home, draft)
            step("look")
            _look(home, draft, manifest)
        except OSError as error:
            raise StoreError(
                f"{error.filename or home}: {error.strerror or error}; the home is as it was; free some space there, or set "
                "AFTERGLOW_HOME to a folder that can be replaced"
            ) from error
        finally:
            if (draft / MARKER).exists():
                step("clean up")
                shutil.rmtree(draft, ignore_errors=True)
        step("finish")
        (home / MARKER).unlink(missing_ok=True)
    return _report(file, home, draft if had_home else Path(), manifest)


def _free_name(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _prepare(new: Config, file: Path, home: Path, step: Step) -> BackupManifest:
    """The new home, whole and checked, in a folder beside the one it is to replace."""
    draft = private(new.home)
    private_file(draft / MARKER)
    step("unpack")
    manifest = archive.unpack(file, draft)
    _check_layouts(file, manifest)
    for entry in manifest.files:
        if entry.layout is not None:
            step(f"open {entry.path}")
            _open(draft / entry.path, entry)
    step("carry over")
    _carry_over(home, draft)
    step("forget")
    forget_marked(new)
    close_to_others(draft)
    return manifest


def _put_in_place(home: Path, draft: Path) -> None:
    if home.exists():
        exchange(home, draft)
    else:
        private(home.parent)
        draft.rename(home)


def _look(home: Path, aside: Path, manifest: BackupManifest) -> None:
    """The new home opens where it is now; else the old one has its place again."""
    try:
        for entry in manifest.files:
            if entry.layout is not None:
                with closing(sqlite3.connect(home / entry.path)) as db:
                    db.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        if aside.exists():
            exchange(home, aside)
        raise StoreError(
            f"{home}: what was restored does not open there ({error}); the home from before is in its place"
        ) from error


def _check_layouts(file: Path, manifest: BackupManifest) -> None:
    for entry in manifest.files:
        database = HOME_DATABASES.get(entry.path)
        if database is not None and (entry.layout or 0) > database.layout:
            raise StoreError(
                f"{file}: {entry.path} was written by a newer afterglow ({manifest.version}: layout {entry.layout}, this "
                f"one knows {database.layout}); upgrade afterglow to restore it; nothing was changed"
            )


def _open(path: Path, entry: BackupEntry) -> None:
    """Sound, in the mode in which many may write, and in today's layout."""
    database = HOME_DATABASES.get(entry.path)
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            flaw = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if flaw != "ok":
                raise StoreError(f"{entry.path} in the backup is damaged ({flaw})")
            db.execute("PRAGMA journal_mode = WAL")
        if entry.path == CATALOGUE:
            with Catalog(path):
                pass
        elif database is not None:
            open_database(
                path, database.what, database.application, database.migrations
            ).close()
    except sqlite3.Error as error:
        raise StoreError(f"{entry.path} in the backup: {error}") from error
    for copy in path.parent.glob(f"{path.name}.backup-*"):
        copy.unlink()  # from before a migration: the backup itself is that


def _carry_over(home: Path, draft: Path) -> None:
    """What is of this machine, and what was decided since to be forgotten or to stay private."""
    for name in OF_MACHINE:
        if (home / name).is_dir():
            shutil.copytree(home / name, draft / name, symlinks=True)
        elif (home / name).exists():
            shutil.copy2(home / name, draft / name)
    if (home / PRIVATE).exists():
        shutil.copy2(home / PRIVATE, draft / PRIVATE)
    marks = _joined_marks(_lines(draft / FORGOTTEN), _lines(home / FORGOTTEN))
    if marks:
        (draft / FORGOTTEN).write_text("\n".join(marks), encoding="ascii")


def _joined_marks(stored: list[str], present: list[str]) -> list[str]:
    """Marks are only ever added, behind a line of salt. What was said last holds, so the present ones stand behind those
    of the backup, unless the backup knows them already. Under another salt marks mean nothing: then those hold that were
    set here, where the next scan will read."""
    has_salt_of_both = stored[:1] == present[:1]
    if not present or (has_salt_of_both and stored[: len(present)] == present):
        return stored
    return [*stored, *present[1:]] if has_salt_of_both else present


def _lines(path: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return path.read_text(encoding="ascii").split("\n")
    return []


def _is_older(entry: BackupEntry) -> bool:
    database = HOME_DATABASES.get(entry.path)
    has_layout = database is not None and entry.layout is not None
    return has_layout and (entry.layout or 0) < (database.layout if database else 0)


def _report(
    file: Path,
    home: Path,
    aside: Path,
    manifest: BackupManifest,
    *,
    dry_run: bool = False,
) -> RestoreReport:
    upgraded = [
        f"{entry.path} from layout {entry.layout}"
        for entry in manifest.files
        if _is_older(entry)
    ]
    return RestoreReport(
        file=str(file),
        home=str(home),
        set_aside=str(aside) if aside != Path() else "",
        version=manifest.version,
        time=manifest.time,
        files=len(manifest.files),
        kept_bytes=sum(entry.bytes for entry in manifest.files),
        upgraded=tuple(upgraded),
        dry_run=dry_run,
    )
