"""Folders and files for what afterglow keeps: only their owner can look into folders that are made here, and a file is
put in its place whole, so that a reader or a second writer sees the old one or the new one, nothing else."""

from __future__ import annotations

import os
from pathlib import Path


def private(folder: Path) -> Path:
    """The folder; it and those above it are made if they are missing."""
    if not folder.exists():
        for one in reversed(
            [one for one in (folder, *folder.parents) if not one.exists()]
        ):
            one.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # raises where something else is in its place
    return folder


def place_file(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Written beside its place under a name of its own; nothing is left behind where that fails."""
    draft = _beside(path)
    try:
        with open(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb"
        ) as file:
            file.write(data)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def place_once(path: Path, secret: str) -> None:
    """A secret in a file that only its owner can read. Where there is one already, or two make one at once, the first
    stays."""
    private(path.parent)
    draft = _beside(path)
    try:
        with open(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600),
            "w",
            encoding="ascii",
        ) as file:
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
