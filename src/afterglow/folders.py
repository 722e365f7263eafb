"""Folders and files for what afterglow keeps: only their owner can look into what is made here, and a file is put in
its place whole, so that a reader or a second writer sees the old one or the new one, nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077  # the permissions of all but the owner


def private(folder: Path) -> Path:
    """The folder; it and those above it are made if they are missing."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # raises where something else is in its place
    return folder


def private_file(path: Path) -> None:
    """A new empty file for its owner alone, to be filled. What SQLite puts beside a database is like the database."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def keep_private(path: Path) -> None:
    """A file in a folder that is its owner's alone is so too. Files of a folder that others may enter stay as they
    are: somebody may want to share them. Of the home itself, each command takes care (`close_to_others`)."""
    with suppress(OSError):  # not ours, or not there
        shared_folder = path.parent.stat().st_mode & OTHERS
        if not shared_folder and path.stat().st_mode & OTHERS:
            path.chmod(0o600)


def is_ours_alone(home: Path, user_home: Path) -> bool:
    """Whether a home holds nothing but what we keep. A folder that is more than that (where the user lives, a checkout)
    is not ours to close to others, nor to put another in its place."""
    home, user_home = home.resolve(), user_home.resolve()
    is_around = home == user_home or home in user_home.parents
    return not is_around and not (home / ".git").exists()


def open_to_others(folder: Path) -> Iterator[Path]:
    """The folder and all below it that others may look into. Links are left alone, as is what belongs to somebody else:
    what is not ours to close is not ours to judge."""
    try:
        status = folder.stat()
    except OSError:
        return
    if _is_open(status):
        yield folder
    yield from _open_below(folder)


def _open_below(folder: Path) -> Iterator[Path]:
    try:
        entries = list(os.scandir(folder))
    except OSError:  # not ours to read, or gone meanwhile
        return
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISLNK(status.st_mode):
            continue
        if _is_open(status):
            yield Path(entry.path)
        if stat.S_ISDIR(status.st_mode):
            yield from _open_below(Path(entry.path))


def _is_open(status: os.stat_result) -> bool:
    is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return is_ours and bool(status.st_mode & OTHERS)


def close_to_others(folder: Path) -> int:
    """Takes from the folder and all below it what others may do; what its owner may stays. How many were open."""
    closed = 0
    for path in open_to_others(folder):
        with suppress(OSError):  # gone meanwhile, or a disk without permissions
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
            closed += 1
    return closed


def place_file(
    path: Path, content: bytes, *, mode: int = 0o600, lasting: bool = False
) -> None:
    """Written beside its place under a name of its own; nothing is left behind where that fails. What is `lasting` is
    on the disk before it takes its place: a power cut leaves the old content or the new one."""
    draft = _beside(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(draft, flags, mode), "wb") as file:
            file.write(content)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def place_once(path: Path, secret: str) -> None:
    """A secret in a file that only its owner can read. Where there is one already, or two make one at once, the first
    stays."""
    private(path.parent)
    draft = _beside(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(draft, flags, 0o600), "w", encoding="ascii") as file:
            file.write(f"{secret}\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(16).hex()}")
