"""The folder of templates: `ID.json` is a template as it is now, `versions/ID.N.json` as it was, `trash/` what a person
deleted.

A file is written beside its place and put there whole, under a lock that the system lets go of when a process dies: of
two writers one waits, and a killed one leaves the old file or the new one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import NotFound, StoreError, UnreadableSource
from afterglow.folders import private
from afterglow.records.template import WarmTemplate
from afterglow.store.templates.entries import (
    ID,
    LARGEST,
    Glance,
    decode,
    encode,
    flaw,
    glance,
)

if sys.platform == "win32":
    import msvcrt

    def _hold(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _hold(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


def _private_opener(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


T = TypeVar("T", Glance, WarmTemplate)


class Trouble(Struct, frozen=True):
    """A file that cannot be read, and why."""

    file: str
    why: str


class Templates:
    """The templates below a folder. Reading makes nothing; the first write makes the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.old, self.trash = folder / "versions", folder / "trash"

    def ids(self) -> list[str]:
        try:
            names = [path.name for path in self.folder.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"{self.folder}: {error.strerror}") from error
        return sorted(
            name[:-5]
            for name in names
            if name.endswith(".json") and ID.fullmatch(name[:-5])
        )

    def glances(self) -> tuple[list[Glance], list[Trouble]]:
        """All templates in the order they were made, narrowly read; and the files that cannot be."""
        glances_, troubles = [], []
        for id in self.ids():
            path = self._path(id)
            try:
                glances_.append(_named(glance(_read(path), path.name), id))
            except UnreadableSource as error:
                troubles.append(Trouble(path.name, str(error)))
        return glances_, troubles

    def find(self, name: str) -> str:
        """The id that is `name` or starts or ends with it, or the id of the one template of that name."""
        ids = self.ids()
        if name in ids:
            return name
        short_name = name.removeprefix("warm_")
        fitting = [
            id
            for id in ids
            if name
            and (id.startswith(name) or (short_name and id.endswith(f"_{short_name}")))
        ]
        if not fitting:
            folded_name = name.strip().casefold()
            fitting = [
                glance.id
                for glance in self.glances()[0]
                if glance.name.strip().casefold() == folded_name
            ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise NotFound(
                f"{name!r} fits {len(fitting)} templates: {', '.join(fitting[:5])}; say more of the id"
            )
        raise NotFound(
            f"no template {name!r}; `afterglow warm list` shows what there is"
        )

    def get(self, id: str, version: int | None = None) -> WarmTemplate:
        """A template, whole and checked; as it is, or as it was."""
        path = self._path(id)
        if version is not None:
            older = self._version(id, version)
            if older.exists():
                return _named(decode(_read(older), older.name), id)
        if not path.exists():
            raise NotFound(
                f"no template {id!r}; `afterglow warm list` shows what there is"
            )
        try:
            now = _named(decode(_read(path), path.name), id)
        except UnreadableSource as error:
            whole = [
                number
                for number in self.versions(id)
                if self._version(id, number).exists()
            ]
            hint = (
                f"; `afterglow warm show {id} --version {whole[-1]}` shows the last one that was kept"
                if whole
                else ""
            )
            raise UnreadableSource(f"{error}{hint}") from error
        if version is not None and version != now.version:
            versions = ", ".join(map(str, self.versions(id)))
            raise NotFound(f"{id} has no version {version}; there are {versions}")
        return now

    def approved(self, id: str) -> WarmTemplate | None:
        """The newest version that a person approved: what sessions may start from."""
        current = self.get(id)
        if current.approved:
            return current
        return next(
            (older for older in self._read_back(id, decode) if older.approved), None
        )

    def approved_glance(self, latest: Glance) -> Glance:
        """The same, narrowly read; the latest where no version is approved."""
        if latest.approved or latest.version == 1:
            return latest
        older_glances = self._read_back(latest.id, glance)
        return next((older for older in older_glances if older.approved), latest)

    def _read_back(self, id: str, read: Callable[[bytes, str], T]) -> Iterator[T]:
        """The versions before the last, newest first; those that can be read."""
        for path in sorted(self._older(id), key=_number, reverse=True):
            with suppress(UnreadableSource):
                yield _named(read(_read(path), path.name), id)

    def versions(self, id: str) -> list[int]:
        """The numbers that can be asked for, oldest first."""
        numbers = set(map(_number, self._older(id)))
        with suppress(UnreadableSource):  # the older ones are still there
            numbers.add(glance(_read(self._path(id)), id).version)
        return sorted(numbers)

    def add(self, template: WarmTemplate, now: float) -> WarmTemplate:
        """Keeps a new template: under its id if that is free, else under one of this second."""
        with self.writing():
            free = bool(ID.fullmatch(template.id)) and not self._taken(template.id)
            id = template.id if free else self._free_id(now)
            new = replace(
                template,
                id=id,
                created=template.created or now,
                updated=template.updated or now,
            )
            self._write(self._path(id), new)
        return new

    def save(self, template: WarmTemplate, now: float) -> WarmTemplate:
        """Keeps the next version of a template. The one it was made from must still be the last."""
        with self.writing():
            before = self._unchanged(template)
            self._write(self._version(before.id, before.version), before)
            new = replace(
                template,
                version=before.version + 1,
                updated=now,
                created=before.created,
            )
            self._write(self._path(new.id), new)
        return new

    def amend(self, template: WarmTemplate) -> WarmTemplate:
        """Writes a template again without making a version of it: what it gives to sessions is the same."""
        with self.writing():
            self._unchanged(template)
            self._write(self._path(template.id), template)
        return template

    def delete(self, id: str) -> Path:
        """Moves a template and its versions to the trash; a damaged one too. Where it is now."""
        with self.writing():
            path = self._path(id)
            if not path.exists():
                raise NotFound(
                    f"no template {id!r}; `afterglow warm list` shows what there is"
                )
            with _disk(self.trash):
                private(self.trash)
                for older in self._older(id):
                    older.replace(self.trash / older.name)
                path.replace(self.trash / path.name)
        return self.trash / path.name

    def put(self, template: WarmTemplate) -> None:
        """Writes a template as it is; for who holds `writing`."""
        self._write(self._path(template.id), template)

    def _unchanged(self, template: WarmTemplate) -> WarmTemplate:
        before = self.get(template.id)
        if before.version != template.version:
            raise StoreError(
                f"{template.id} was changed meanwhile (version {before.version} now, {template.version} when it was "
                "read); nothing was written; run it again"
            )
        return before

    def _write(self, path: Path, template: WarmTemplate) -> None:
        wrong = flaw(template)
        if wrong:
            raise StoreError(f"{template.id} is not kept: {wrong}")
        draft = (
            self.folder / ".draft"
        )  # one writer at a time: what a killed one left is written over
        with _disk(path):
            private(path.parent)
            try:
                with open(draft, "wb", opener=_private_opener) as file:
                    file.write(encode(template))
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(path)
            except OSError:
                draft.unlink(missing_ok=True)
                raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One writer at a time; the others wait."""
        with ExitStack() as held:
            with _disk(self.folder):
                private(self.folder)
                _hold(
                    held.enter_context(
                        open(self.folder / ".lock", "ab", opener=_private_opener)
                    )
                )
            yield

    def _free_id(self, now: float) -> str:
        stamp = f"warm_{datetime.fromtimestamp(now, UTC):%Y%m%d_%H%M%S}"
        number, id = 1, stamp
        while self._taken(id):
            number += 1
            id = f"{stamp}_{number}"
        return id

    def _taken(self, id: str) -> bool:
        return self._path(id).exists() or (self.trash / f"{id}.json").exists()

    def _path(self, id: str) -> Path:
        if not ID.fullmatch(id):
            raise NotFound(
                f"{id!r} is no id of a template; `afterglow warm list` shows what there is"
            )
        return self.folder / f"{id}.json"

    def _version(self, id: str, number: int) -> Path:
        return self.old / f"{id}.{number}.json"

    def _older(self, id: str) -> list[Path]:
        return [
            path
            for path in self.old.glob(f"{id}.*.json")
            if path.name.split(".")[1].isdecimal()
        ]


def _number(path: Path) -> int:
    return int(path.name.split(".")[1])


def _named(matches: T, id: str) -> T:
    if matches.id != id:
        raise UnreadableSource(
            f"{id}.json holds {matches.id[:80]!r}: it was renamed; give it its name back"
        )
    return matches


def _read(path: Path) -> bytes:
    if path.is_fifo():  # opening it would wait for somebody to write
        raise UnreadableSource(f"{path.name}: not a file")
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise UnreadableSource(f"{path.name}: {error.strerror}") from error
    if len(content) > LARGEST:
        raise UnreadableSource(
            f"{path.name} is larger than {LARGEST >> 20} MB: not a template"
        )
    return content


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{path}: {error.strerror or error}; nothing that was kept is lost"
        ) from error
