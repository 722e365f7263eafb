"""A backup of the home: what is in the file, and what making or restoring one came to."""

from __future__ import annotations

from msgspec import Struct

FORMAT = 1  # of the file; a reader refuses a higher one


class BackupEntry(Struct, frozen=True):
    """One file of the home. A database has the layout it was written in, and the mark of what it is (0: none)."""

    path: str
    bytes: int
    sha256: str
    runs: bool = False
    layout: int | None = None
    application: int = 0


class BackupManifest(Struct, frozen=True, kw_only=True):
    """What stands in a backup: the last thing written, so that half a file has none."""

    format: int = FORMAT
    version: str
    time: float
    files: tuple[BackupEntry, ...]


class BackupReport(Struct, frozen=True, kw_only=True):
    """A backup that was made and read again."""

    file: str
    bytes: int
    files: int
    kept_bytes: int
    seconds: float


class RestoreReport(Struct, frozen=True, kw_only=True):
    """What a backup holds, and where it was put. `set_aside` is where the home from before is; empty where there was
    none. With `dry_run` nothing was changed."""

    file: str
    home: str
    set_aside: str
    version: str
    time: float
    files: int
    kept_bytes: int
    upgraded: tuple[str, ...] = ()
    dry_run: bool = False


class LastBackup(Struct, frozen=True):
    """When the home was last backed up, and to which file."""

    time: float
    file: str
