"""Folders and files for what afterglow keeps: only their owner can look into what is made here, and a file is put in
its place whole, so that a reader or a second writer sees the old one or the new one, nothing else."""

from __future__ import annotations

import os
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
    are: somebody may want to share them."""
    with suppress(OSError):  # not ours, or not there
        shared_folder = path.parent.stat().st_mode & OTHERS
        if not shared_folder and path.stat().st_mode & OTHERS:
            path.chmod(0o600)


def place_file(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Written beside its place under a name of its own; nothing is left behind where that fails."""
    draft = _beside(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(draft, flags, mode), "wb") as file:
            file.write(content)
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
