"""What of a home belongs into a backup.

Everything does, unless it stands here: a file that a later version adds is backed up without anybody thinking of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

# Made anew when it is needed: compiled rules, word indexes, locks, sockets, what SQLite has beside a database, copies
# that a migration made, and what was being written when a process died.
_MADE_AGAIN = re.compile(
    r"cache/"
    r"|[^/]+\.index/"
    r"|(?:.*/)?[^/]*\.lock"
    r"|(?:.*/)?\.lock"
    r"|hook-[^/]*\.sock[^/]*"
    r"|.*-(?:wal|shm|journal)"
    r"|.*\.db\.backup-[^/]*"
    r"|.*\.db\.[0-9a-f]{32}"
    r"|(?:.*/)?\.[^/]*\.[0-9a-f]{32}"
    r"|(?:.*/)?\.draft"
    r"|\.backup-[0-9a-f]{32}/"
    r"|\.unfinished"
)
# Of this machine: which settings of agents were changed here, who may ask the server here, the key of pseudonyms, what
# waits here, which hub was joined and what came from it. A restore leaves them as they are.
OF_MACHINE = (
    "connected.json",
    "backups",
    "mcp-token",
    "dataset-salt",
    "hooks.log",
    "queue",
    "last-backup.json",
    "hub.db",
    "hub-token",
    "team.db",
)
DATABASE_HEAD = b"SQLite format 3\0"


def backed_up(home: Path) -> Iterator[tuple[str, Path]]:
    """Name and place of every file that belongs into a backup, by name. A linked file is taken for what it links to; a
    linked folder is somebody else's to back up."""
    yield from sorted(_below(home, ""))


def _below(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    for entry in os.scandir(folder):
        name = f"{prefix}{entry.name}"
        if not prefix and entry.name in OF_MACHINE:
            continue
        if entry.is_dir(follow_symlinks=False):
            if not _MADE_AGAIN.fullmatch(f"{name}/"):
                yield from _below(Path(entry.path), f"{name}/")
        elif entry.is_file() and not _MADE_AGAIN.fullmatch(name):
            yield name, Path(entry.path)


def is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(DATABASE_HEAD)) == DATABASE_HEAD
