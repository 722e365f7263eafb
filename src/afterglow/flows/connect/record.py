"""What connecting did to which file, kept so that it can be undone: `connected.json`, and a copy of each file.

It is written before a file is changed, so a killed connect leaves enough to tell from: a file is as it was (`before`),
as we left it (`after`), or was changed by someone else since. Copies may hold what settings hold, keys too: only their
owner can read them, and disconnecting removes them.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.errors import StoreError
from afterglow.folders import keep_private, private

VERSION = 1
LOCK_SECONDS = 10.0  # that a connect waits for another: one that runs Hermes takes two


class ConnectedFile(Struct, frozen=True, kw_only=True):
    """A file that holds something of ours. `before` is empty if it did not exist; `folders` were made for it."""

    agent: str
    path: str
    before: str
    after: str
    backup: str = ""
    time: float = 0.0
    folders: tuple[str, ...] = ()


class _Manifest(Struct, frozen=True):
    version: int = VERSION
    files: tuple[ConnectedFile, ...] = ()


def connected_files(home: Path) -> tuple[ConnectedFile, ...]:
    """Every file that is connected. Raises `StoreError` where that cannot be told."""
    path = home / "connected.json"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    try:
        manifest = msgspec.json.decode(content, type=_Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{path} is damaged ({error}); move it away, then connect again"
        ) from error
    if manifest.version > VERSION:
        raise StoreError(
            f"{path} was written by a newer afterglow; upgrade to use it; nothing was changed"
        )
    return manifest.files


def write_record(home: Path, files: Sequence[ConnectedFile]) -> None:
    put_file(
        home / "connected.json",
        msgspec.json.format(msgspec.json.encode(_Manifest(VERSION, tuple(files))))
        + b"\n",
        secret=True,
    )


@contextmanager
def connect_lock(home: Path) -> Iterator[None]:
    """One connect at a time. SQLite's lock works everywhere, and goes with the process that holds it."""
    try:
        private(home)
    except OSError as error:
        raise StoreError(
            f"{home}: {error.strerror or error}; nothing was changed; AFTERGLOW_HOME names another"
        ) from error
    try:
        with closing(
            sqlite3.connect(
                home / "connected.lock", timeout=LOCK_SECONDS, isolation_level=None
            )
        ) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            keep_private(home / "connected.lock")
            yield
    except sqlite3.Error as error:
        locked = "locked" in str(error)
        why = "is another connect running?" if locked else "nothing was changed"
        raise StoreError(f"{home / 'connected.lock'}: {error}; {why}") from error


def digest(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()


def save_copy(home: Path, path: Path, content: bytes | None) -> str:
    """A copy of a file before it is changed; its name."""
    if content is None:
        return ""
    name = f"{digest(content)[:16]}-{path.name}"
    put_file(home / "backups" / name, content, secret=True)
    return name


def saved_copy(home: Path, file: ConnectedFile) -> bytes | None:
    """The copy, if it is still what it was."""
    content = read_file(home / "backups" / file.backup) if file.backup else None
    return content if content is not None and digest(content) == file.before else None


def read_file(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; nothing was changed") from error


def check_writable(path: Path) -> None:
    """Raises `StoreError` where a person has said that a file is not to be changed."""
    real = Path(os.path.realpath(path))
    if real.exists():
        has_write_bit = real.stat().st_mode & 0o222
        if not has_write_bit or not os.access(real, os.W_OK):
            raise StoreError(
                f"{real} is read-only; nothing was changed; make it writable (`chmod u+w`) and try again"
            )
    parent = next(folder for folder in real.parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise StoreError(f"{parent} cannot be written to; nothing was changed")


def put_file(path: Path, content: bytes, *, secret: bool = False) -> None:
    """The whole file or the old one, also after a power cut. Links are followed; mode and owner stay. A `secret` one,
    and the folder made for it, only its owner can read."""
    real = Path(os.path.realpath(path))
    draft = real.with_name(f".{real.name}.{os.getpid()}")
    try:
        real.parent.mkdir(mode=0o700 if secret else 0o777, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open(draft, flags, 0o600 if secret else 0o666)
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not secret and real.exists():
            _like(draft, real)
        draft.replace(real)
    except OSError as error:
        with suppress(OSError):  # there may be no draft, nor a place for one
            draft.unlink()
        raise StoreError(
            f"{real}: {error.strerror or error}; it was not changed"
        ) from error


def _like(draft: Path, real: Path) -> None:
    """The draft gets the mode and owner of the file that it replaces."""
    status = real.stat()
    if hasattr(os, "chown"):
        owner = (status.st_uid, status.st_gid)
        if owner != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):  # not everyone may give files away
                os.chown(draft, *owner)
    shutil.copystat(real, draft)
    os.utime(draft)
