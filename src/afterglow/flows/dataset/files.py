"""Files of a dataset: the salt of a home, and a folder that appears whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from afterglow.dataset.card import CARD, MANIFEST, Manifest
from afterglow.dataset.pseudonyms import KEY
from afterglow.errors import StoreError, UsageError
from afterglow.folders import place_once

SALT = "dataset-salt"


def salt(home: Path, *, make: bool) -> bytes:
    """The salt of a home, made once and kept where only its owner can read it. Not to be made: one for now."""
    path = home / SALT
    with _disk(path, "nothing was written"):
        if not path.exists():
            if not make:
                return secrets.token_bytes(KEY)
            place_once(path, secrets.token_hex(KEY))
        text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY:
        raise StoreError(
            f"{path} is damaged; delete it and a new one is made (later exports cannot be joined with earlier)"
        )
    return key


def check_free(folder: Path, *, force: bool) -> None:
    """Raises where a dataset must not be put: what is there and is not a dataset is never replaced."""
    if not os.path.lexists(folder):
        if not folder.absolute().parent.is_dir():
            raise UsageError(f"there is no folder {folder.parent} to put it in")
        return
    if folder.is_symlink() or not folder.is_dir():
        raise UsageError(
            f"{folder} is there and is no folder; name another with --output"
        )
    with _disk(folder, "nothing was written"):
        names = {path.name for path in folder.iterdir()}
    if not names:
        return
    if not names <= _own(folder):
        raise UsageError(
            f"{folder} holds other things than a dataset; name another folder with --output"
        )
    if not force:
        raise UsageError(f"{folder} holds a dataset already; --force replaces it")


def _own(folder: Path) -> set[str]:
    """The names that the manifest of a folder tells."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return set()
    return {MANIFEST, CARD, *(file.name for file in manifest.files)}


def put_folder(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Writes a folder beside its place and puts it there whole. Whatever goes wrong, nothing is left behind."""
    check_free(folder, force=force)
    place = Path(os.path.realpath(folder))
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    old = draft.with_name(f"{draft.name}.old")
    with _disk(folder, "nothing was written"):
        try:
            draft.mkdir()
            for name, content in files.items():
                _write(draft / name, content)
            check_free(folder, force=force)  # something may have come in the meantime
            if force and place.exists():
                place.rename(old)
            draft.rename(place)
        finally:
            if old.exists() and not place.exists():
                old.rename(place)
            for leftover in (draft, old):
                shutil.rmtree(leftover, ignore_errors=True)


def _write(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _disk(path: Path, hint: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; {hint}") from error
