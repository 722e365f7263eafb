"""The file of a backup: a compressed tar that begins with a word about what it is and ends with its manifest.

Whatever is wrong with it (cut, changed, somebody else's, newer) shows before anything else is touched: every byte is
read and held against the manifest, and a file that holds more or less than that is refused.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

import msgspec

from afterglow.errors import StoreError, UnreadableSource
from afterglow.records.backup import FORMAT, BackupEntry, BackupManifest

FIRST, LAST = "afterglow-backup", "afterglow-manifest.json"
CHUNK = 1 << 20  # bytes held at a time
MAX_MANIFEST = 64 << 20  # bytes: a hundred thousand files
COMPRESSION = (
    6  # a database shrinks to a quarter; more takes twice as long for a hundredth
)


@contextmanager
def writing(file: BinaryIO) -> Iterator[Writer]:
    with tarfile.open(
        fileobj=file,
        mode="w:gz",
        compresslevel=COMPRESSION,
        format=tarfile.PAX_FORMAT,
    ) as tar:
        yield Writer(tar)


class Writer:
    """An archive that is being written. `entries` are those it holds so far."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self.entries: list[BackupEntry] = []
        self._tar = tar
        self._add(FIRST, f"{FORMAT}\n".encode())

    def add(
        self, name: str, path: Path, *, layout: int | None = None, application: int = 0
    ) -> None:
        """A file as it is now; it is put in its place whole by whoever writes it, so it is read from one opening."""
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            runs = bool(status.st_mode & 0o100)
            reading = _Hashing(file)
            member = _member(name, status.st_size, 0o700 if runs else 0o600)
            self._tar.addfile(member, reading)
        digest = reading.digest.hexdigest()
        entry = BackupEntry(name, status.st_size, digest, runs, layout, application)
        self.entries.append(entry)

    def finish(self, manifest: BackupManifest) -> None:
        self._add(LAST, msgspec.json.encode(manifest))

    def _add(self, name: str, content: bytes) -> None:
        self._tar.addfile(_member(name, len(content), 0o600), io.BytesIO(content))


def _member(name: str, size: int, mode: int) -> tarfile.TarInfo:
    """Nothing of the owner, the machine or the time."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, mode
    return member


class _Hashing:
    """A file that is read once, and its digest."""

    def __init__(self, file: IO[bytes]) -> None:
        self.digest = hashlib.sha256()
        self._file = file

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self.digest.update(piece)
        return piece


def check(path: Path) -> BackupManifest:
    """What a backup holds. Raises `UnreadableSource` where it is not whole, or not one."""
    return _read(path, None)


def check_head(path: Path) -> None:
    """Raises where a file does not even begin as a backup does."""
    with _reading(path, whole=False) as tar:
        _check_first(path, tar, tar.next())


def unpack(path: Path, folder: Path) -> BackupManifest:
    """Puts the files below `folder`, which is empty; raises as `check` does."""
    return _read(path, folder)


def _read(path: Path, folder: Path | None) -> BackupManifest:
    entries: dict[str, BackupEntry] = {}
    manifest: BackupManifest | None = None
    with _reading(path) as tar:
        members = iter(tar)
        _check_first(path, tar, next(members, None))
        for member in members:
            if manifest is not None:
                raise UnreadableSource(f"{path}: something stands behind its end")
            if member.name == LAST:
                manifest = _manifest(path, tar, member)
                continue
            entry = _taken(path, tar, member, folder)
            if entries.setdefault(entry.path, entry) is not entry:
                raise UnreadableSource(f"{path} holds {entry.path} twice")
    if manifest is None:
        raise UnreadableSource(f"{path} ends too early: {_whole_one()}")
    for entry in manifest.files:
        present = entries.pop(entry.path, None)
        if present is None or (present.bytes, present.sha256) != (
            entry.bytes,
            entry.sha256,
        ):
            raise UnreadableSource(
                f"{path}: {entry.path} is not what was backed up; {_whole_one()}"
            )
    if entries:
        raise UnreadableSource(f"{path} holds {min(entries)}, which was not backed up")
    return manifest


def _check_first(
    path: Path, tar: tarfile.TarFile, member: tarfile.TarInfo | None
) -> None:
    if member is None or member.name != FIRST:
        raise UnreadableSource(f"{path} is not a backup that `afterglow backup` made")
    text = _content(tar, member, limit=CHUNK).decode("ascii", "replace").strip()
    if not text.isdecimal():
        raise UnreadableSource(f"{path} is damaged; {_whole_one()}")
    if int(text) > FORMAT:
        raise StoreError(
            f"{path} was made by a newer afterglow (format {text}, this one knows {FORMAT}); upgrade afterglow "
            "to restore it; nothing was changed"
        )


def _manifest(
    path: Path, tar: tarfile.TarFile, member: tarfile.TarInfo
) -> BackupManifest:
    content = _content(tar, member, limit=MAX_MANIFEST)
    try:
        return msgspec.json.decode(content, type=BackupManifest)
    except msgspec.MsgspecError as error:
        raise UnreadableSource(
            f"{path} is damaged ({error}); {_whole_one()}"
        ) from error


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo, limit: int) -> bytes:
    file = tar.extractfile(member)
    return b"" if file is None else file.read(limit)


def _taken(
    path: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path | None
) -> BackupEntry:
    """One file, read to its end and, with a folder, written there."""
    name = PurePosixPath(member.name)
    file = tar.extractfile(member) if member.isreg() else None
    if file is None or name.is_absolute() or {"..", ""} & {*name.parts}:
        raise UnreadableSource(
            f"{path} holds {member.name!r}, which is no file of a home"
        )
    runs = bool(member.mode & 0o100)
    digest, size = hashlib.sha256(), 0
    with _place(folder, name, runs=runs) as output:
        while piece := file.read(CHUNK):
            digest.update(piece)
            size += len(piece)
            if output is not None:
                output.write(piece)
    return BackupEntry(str(name), size, digest.hexdigest(), runs)


@contextmanager
def _place(
    folder: Path | None, name: PurePosixPath, *, runs: bool
) -> Iterator[BinaryIO | None]:
    if folder is None:
        yield None
        return
    place = folder / name
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(place, flags, 0o700 if runs else 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _whole_one() -> str:
    return "nothing was changed; restore another backup"


@contextmanager
def _reading(path: Path, *, whole: bool = True) -> Iterator[tarfile.TarFile]:
    """The archive, read to its last byte: what compresses it has a sum of its own at the end."""
    with _named_trouble(path), gzip.open(path) as stream:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            yield tar
        while whole and stream.read(CHUNK):
            pass


@contextmanager
def _named_trouble(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise UnreadableSource(f"{path} holds {error.filename} twice") from error
    except (tarfile.TarError, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise UnreadableSource(
            f"{path} is no whole backup ({error}); {_whole_one()}"
        ) from error
    except OSError as error:
        if error.errno is None:  # what gzip says of a damaged stream
            raise UnreadableSource(
                f"{path} is damaged ({error}); {_whole_one()}"
            ) from error
        raise
