"""Taking deleted words out of database files: freed pages, the write-ahead log, the copies migrations left beside them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from afterglow.errors import StoreError
from afterglow.store.databases import Database, trouble

PATIENCE = 30.0  # seconds that readers and writers have to let go
# What a killed writer leaves beside the file it was to replace: see `folders.place_file`, `databases.back_up`.
_DRAFT = re.compile(r"\.?.+\.[0-9a-f]{32}(?:-wal|-shm|-journal)?")


def overwrite_deleted(db: Database) -> None:
    """From now on what this connection deletes is overwritten with zeros. PostgreSQL does so when it vacuums."""
    if not isinstance(db, sqlite3.Connection):
        return
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA temp_store = MEMORY")  # no words in a file of the system's


def scrub(path: Path, patience: float = PATIENCE) -> None:
    """Writes a database anew without what was deleted from it, and empties its log. Raises `StoreError` where another
    program keeps that from being done."""
    if not path.exists():
        return
    with (
        trouble(path),
        closing(sqlite3.connect(path, timeout=patience, isolation_level=None)) as db,
    ):
        overwrite_deleted(db)
        if _has_words_index(db):
            db.execute("INSERT INTO texts (texts) VALUES ('rebuild')")
        db.execute("VACUUM")
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise StoreError(
            f"{path}: another program is reading it, so its log still holds what was deleted; end that program and "
            "run the same command again"
        )


def _has_words_index(db: sqlite3.Connection) -> bool:
    """FTS5 keeps the words of deleted rows until it merges its segments."""
    query = "SELECT 1 FROM sqlite_master WHERE name = 'texts' AND sql LIKE '%fts5%'"
    return db.execute(query).fetchone() is not None


def migration_copies(path: Path, since: float | None = None) -> list[Path]:
    """The copies beside a database that were made since then, so that they may hold what came by then."""
    copies = sorted(path.parent.glob(f"{path.name}.backup-*"))
    return [copy for copy in copies if since is None or _changed(copy) >= since]


def drafts(folder: Path, before: float) -> Iterator[Path]:
    """What writers that were killed before then left in a folder."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        is_draft = path.is_file() and _DRAFT.fullmatch(path.name)
        if is_draft and _changed(path) < before:
            yield path


def _changed(path: Path) -> float:
    return path.stat().st_mtime
