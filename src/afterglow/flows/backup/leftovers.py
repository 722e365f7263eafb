"""What backups and restores leave: a note of the last backup, the home from before a restore, and what a killed one was
writing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.folders import place_file
from afterglow.records.backup import LastBackup

NOTE = "last-backup.json"
ASIDE = ".before-restore-"
MARKER = (
    ".unfinished"  # stands in a home that is being restored until it is in its place
)
_COPIES = re.compile(r"\.backup-[0-9a-f]{32}")


@contextmanager
def one_at_a_time(home: Path) -> Iterator[None]:
    """One backup or restore of a home at a time; the lock goes with the process that holds it."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    if not home.is_dir():
        yield
        return
    descriptor = os.open(home / "backup.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StoreError(
            f"{home} is being backed up or restored already; try again when that has ended"
        ) from error
    finally:
        os.close(descriptor)


def real_home(config: Config) -> Path:
    """Where the home is, behind any links."""
    return Path(os.path.realpath(config.home))


def note_backup(home: Path, backup: LastBackup) -> None:
    with suppress(OSError):  # the backup is made; only doctor will not know
        place_file(home / NOTE, msgspec.json.encode(backup))


def last_backup(config: Config) -> LastBackup | None:
    try:
        content = (config.home / NOTE).read_bytes()
        return msgspec.json.decode(content, type=LastBackup)
    except (OSError, msgspec.MsgspecError):
        return None


def set_aside_homes(config: Config) -> list[Path]:
    """Homes from before a restore, oldest first: whole, and nobody's but the person's to delete."""
    return [path for path in _beside(config) if not (path / MARKER).exists()]


def unfinished(config: Config) -> list[Path]:
    """What a killed backup or restore was writing."""
    home = real_home(config)
    drafts = [path for path in _beside(config) if (path / MARKER).exists()]
    with suppress(OSError):
        drafts += [path for path in home.iterdir() if _COPIES.fullmatch(path.name)]
    return sorted(drafts)


def _beside(config: Config) -> list[Path]:
    home = real_home(config)
    try:
        names = [path.name for path in home.parent.iterdir()]
    except OSError:
        return []
    mine = sorted(name for name in names if name.startswith(f"{home.name}{ASIDE}"))
    return [home.with_name(name) for name in mine]


def remove_leftovers(config: Config) -> list[Path]:
    """Removes what killed ones left, unless one is at work. What was removed."""
    home = real_home(config)
    with one_at_a_time(home):
        return drop_unfinished(config)


def drop_unfinished(config: Config) -> list[Path]:
    """For whoever holds the lock."""
    paths = unfinished(config)
    for path in paths:
        _drop(path)
    with suppress(OSError):
        (real_home(config) / MARKER).unlink(missing_ok=True)
    return paths


def _drop(folder: Path) -> None:
    """The marker goes last: as long as something is there it says what that is."""
    for entry in list(folder.iterdir()):
        if entry.name == MARKER:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
    (folder / MARKER).unlink(missing_ok=True)
    folder.rmdir()
