"""Folders of which a person said that they are theirs: checkouts in them are what they say they are."""

from __future__ import annotations

from pathlib import Path

import msgspec

from afterglow.errors import StoreError
from afterglow.folders import place_file, private

NAME = "trusted-folders.json"


def trusted_folders(home: Path) -> list[str]:
    """In order; none where nobody has said anything."""
    path = home / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[str])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as error:
        raise StoreError(
            f"{path} cannot be read ({error}); a JSON list of folders would work, or remove it"
        ) from error


def trust_folder(home: Path, folder: str) -> bool:
    """Notes a folder; whether that is new."""
    folders = trusted_folders(home)
    if folder in folders:
        return False
    _write(home, sorted([*folders, folder]))
    return True


def distrust_folder(home: Path, folder: str) -> bool:
    """Takes it back; whether it was noted."""
    folders = trusted_folders(home)
    if folder not in folders:
        return False
    _write(home, [name for name in folders if name != folder])
    return True


def _write(home: Path, folders: list[str]) -> None:
    private(home)
    place_file(home / NAME, msgspec.json.encode(folders), lasting=True)
