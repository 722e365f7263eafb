"""What a scan leaves out: files and sessions of excluded places, private sessions, and what a person had forgotten.

A file that lies in an excluded place is not opened. Where only its session says where it worked, it is read once and
then known by a hash, so that it is not opened again while the same places are excluded.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from afterglow.config import Config
from afterglow.flows.read.scan_worker import Survey
from afterglow.sessions.agent_homes import File
from afterglow.sessions.exclusions import Exclusions
from afterglow.sessions.repos import Place
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_schema import SessionRow
from afterglow.store.private_folders import PrivateFolders

FACT = "excluded files"  # under which the catalogue keeps their hashes

_Excluded = tuple[str, list[str]]  # the mark of what is excluded, hashes of files


class KeptOut:
    """Of one scan. `count` is of files that were not opened, and of sessions that were not kept."""

    def __init__(self, config: Config, catalog: Catalog) -> None:
        self._catalog = catalog
        self._forgotten = catalog.forgotten.refresh()
        self._exclusions = Exclusions(config.privacy.exclude, config.aliases)
        listed = PrivateFolders(config.home).listed()
        self._private_folders = [folder for folder in listed if not folder.once]
        self._hashes = self._excluded_before()
        self._new_hashes: set[str] = set()
        self.count = 0

    def _excluded_before(self) -> set[str]:
        noted = self._catalog.fact(FACT)
        mark, hashes = msgspec.json.decode(noted, type=_Excluded) if noted else ("", [])
        return set(hashes) if mark == self._exclusions.mark else set()

    def remaining_files(self, folder: str, files: tuple[File, ...]) -> tuple[File, ...]:
        """Those of a folder that may be opened."""
        if not self._forgotten and not self._exclusions:
            return files
        remaining = tuple(
            file for file in files if self._may_open(f"{folder}/{file[0]}", file[3])
        )
        self.count += len(files) - len(remaining)
        return remaining

    def _may_open(self, path: str, inode: int) -> bool:
        if self._forgotten.has_source(path, inode) or self._exclusions.has_path(path):
            return False
        return not self._hashes or _hash(path, str(inode)) not in self._hashes

    def remaining_stamps(self, source: str, stamps: dict[str, str]) -> dict[str, str]:
        """Those sessions of a database that may be read."""
        if not self._forgotten and not self._hashes:
            return stamps
        return {
            id: stamp
            for id, stamp in stamps.items()
            if not self._forgotten.has_entry(source, id)
            and _hash(source, id) not in self._hashes
        }

    def remaining(self, surveyed: Survey) -> tuple[SessionRow, ...]:
        """The sessions of a source that are not excluded. Private ones get a mark, by which every store knows them: it
        is the catalogue that leaves them out."""
        rows = surveyed.rows
        private = [row for row in rows if self._is_private(row, surveyed)]
        if private:
            self.count += len(private)
            self._forgotten.add(private)
        if not self._exclusions:
            return rows
        excluded = [row for row in rows if self._exclusions.has_place(_place(row))]
        self.count += len(excluded)
        self._new_hashes.update(_hash(row.source, row.id) for row in excluded)
        if rows and len(excluded) == len(rows):
            source = surveyed.source
            self._new_hashes.add(_hash(source.path, str(source.inode)))
        return tuple(row for row in rows if row not in excluded)

    def _is_private(self, row: SessionRow, surveyed: Survey) -> bool:
        if row.id in surveyed.private:
            return True
        folder, start = row.cwd or row.git_root, row.start
        return start is not None and any(
            private.holds(folder, start) for private in self._private_folders
        )

    def finish(self) -> None:
        """Notes which files need not be opened again."""
        if not self._exclusions and not self._catalog.fact(FACT):
            return
        if not self._new_hashes and self._hashes:
            return
        noted: _Excluded = (
            self._exclusions.mark,
            sorted(self._hashes | self._new_hashes),
        )
        value = msgspec.json.encode(noted).decode()
        if value != self._catalog.fact(FACT):
            self._catalog.finish({}, {FACT: value})


def _place(row: SessionRow) -> Place:
    return Place(row.remote, row.git_root, row.cwd, row.branch)


def _hash(path: str, part: str) -> str:
    """Of a file with its number, or of a session in a source."""
    words = f"{path}\0{part}".encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=8).hexdigest()
