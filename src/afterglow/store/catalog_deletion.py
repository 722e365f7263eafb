"""Taking sessions out of the catalogue with everything that came of them, inside a transaction of its owner."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from afterglow.records.catalog import Source
from afterglow.store.catalog_schema import SessionRow
from afterglow.store.forgotten import Forgotten
from afterglow.store.problem_rows import drop_problems_of

# Where a session has rows, by its key.
TABLES = ("findings", "events", "mined", "profiles", "call_marks", "sessions")


def delete_sessions(db: sqlite3.Connection, keys: Sequence[tuple[int]]) -> None:
    """What others taught about the same topics is to be merged anew, and so are the problems they met together."""
    db.executemany(
        "INSERT OR IGNORE INTO pending SELECT DISTINCT topic FROM findings WHERE key = ?",
        keys,
    )
    drop_problems_of(db, keys)
    for table in TABLES:
        db.executemany(f"DELETE FROM {table} WHERE key = ?", keys)


def forget_sessions(
    db: sqlite3.Connection, keys: Sequence[tuple[int]], topics: Iterable[str]
) -> None:
    """The same, and no topic is named any more that only they had. `topics` of others are to be merged anew too."""
    query = "SELECT DISTINCT topic FROM findings WHERE key = ?"
    theirs = [row for key in keys for row in db.execute(query, key)]
    delete_sessions(db, keys)
    reopened = [(topic,) for topic in topics]
    db.executemany("INSERT OR IGNORE INTO pending VALUES (?)", reopened)
    db.executemany(
        "DELETE FROM pending WHERE topic = ? AND topic NOT IN (SELECT topic FROM findings)",
        [*theirs, *reopened],
    )


def drop_unused(db: sqlite3.Connection) -> None:
    """Places where no session worked any more, and folders in which no source is known."""
    db.execute("DELETE FROM places WHERE place NOT IN (SELECT place FROM sessions)")
    inside = "path > folders.path || '/' AND path < folders.path || '0'"
    db.execute(
        f"DELETE FROM folders WHERE NOT EXISTS (SELECT 1 FROM sources WHERE {inside})"
    )


def drop_sources(db: sqlite3.Connection, paths: Sequence[str]) -> None:
    """Those of these sources that hold no session any more; their folders are looked at again."""
    db.executemany(
        "DELETE FROM folders WHERE path = ?",
        {(path.rpartition("/")[0],) for path in paths},
    )
    db.executemany(
        "DELETE FROM sources WHERE path = ? AND path NOT IN (SELECT source FROM sessions)",
        [(path,) for path in paths],
    )


def drop_forgotten_subagents(db: sqlite3.Connection, forgotten: Forgotten) -> None:
    """A sub-agent's file may be read before the one that says that its session is private."""
    query = "SELECT DISTINCT agent, parent FROM sessions WHERE parent <> ''"
    parents = [row for row in db.execute(query) if forgotten.has_session(*row)]
    for agent, parent in parents:
        rows = db.execute(
            "SELECT key, source FROM sessions WHERE agent = ? AND parent = ?",
            (agent, parent),
        ).fetchall()
        delete_sessions(db, [(key,) for key, _ in rows])
        drop_sources(db, [source for _, source in rows])


def without_forgotten(
    forgotten: Forgotten,
    sources: Iterable[tuple[Source, bytes]],
    rows: Iterable[SessionRow],
) -> tuple[list[tuple[Source, bytes]], list[SessionRow]]:
    """What of a scan may be kept. A file that holds nothing else gets a mark of its own, and is not read again."""
    sources, rows = list(sources), list(rows)
    if not forgotten.refresh():
        return sources, rows
    remaining = forgotten.remaining(rows)
    dropped = {row.source for row in rows} - {row.source for row in remaining}
    files = [source for source, _ in sources if source.path in dropped]
    forgotten.add(sources=[(file.path, file.inode) for file in files])
    kept_sources = [pair for pair in sources if pair[0].path not in dropped]
    return kept_sources, remaining
