"""Folders for what afterglow keeps: only their owner can look into what is made here."""

from __future__ import annotations

from pathlib import Path


def private(folder: Path) -> Path:
    """The folder; it and those above it are made if they are missing."""
    if not folder.exists():
        for one in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
            one.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # raises where something else is in its place
    return folder
