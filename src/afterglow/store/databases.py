"""How the databases that must not be lost are made, opened, backed up, brought up to date, and written to.

Nothing here ever deletes one. A layout is changed by a list of functions, in order, in one transaction, after a backup
beside the file; `user_version` counts how many of them a file has seen. A number in the head of the file says what it
is, so that no other database is taken for it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import strftime
from typing import Any, Protocol
from uuid import uuid4

from afterglow.errors import StoreError
from afterglow.folders import keep_private, private_file
from afterglow.store.atomic_create import drop_database, place_database

Migration = Callable[[sqlite3.Connection], None]


class Answer(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int: ...

    def fetchall(self) -> list[Any]: ...

    def fetchone(self) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """What the stores use of a connection: that of SQLite, or that of a hub (`postgres/connection`)."""

    @property
    def in_transaction(self) -> bool: ...

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Answer: ...

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> object: ...

    def close(self) -> None: ...


def move_away(path: Path) -> str:
    """What to do about a file that is of no use, or gone, if nothing better is known."""
    return "move it away" if path.exists() else "put it back, or move both away"


def open_database(
    path: Path,
    what: str,
    application: int,
    migrations: Sequence[Migration],
    *,
    patience: float = 30.0,
    decides: bool = False,
    connect: Callable[[Path, float], sqlite3.Connection] | None = None,
    way_back: Callable[[Path], str] = move_away,
) -> sqlite3.Connection:
    """The database; made, or brought up to date, where needed. `what` names it ("a ledger"); `patience` is how many
    seconds a write waits for another's. What `decides`, because people decide what stands in it, is on the disk when a
    write returns; of all else a power cut may cost the last moments, which can be made again."""
    orphan = Path(f"{path}-wal")
    if orphan.exists() and not path.exists():
        raise StoreError(
            f"{path} is gone but {orphan.name} is still there; {way_back(path)}"
        )
    if not path.exists():
        make(path, migrations)
    keep_private(path)
    db = (connect or _connect)(path, patience)
    try:
        if db.execute("PRAGMA application_id").fetchone()[0] != application:
            raise StoreError(
                f"{path} is not {what}, or is damaged; nothing was changed; {way_back(path)}"
            )
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(migrations):
            raise StoreError(
                f"{path} was written by a newer afterglow (layout {version}, this one knows {len(migrations)}); "
                "upgrade afterglow to use it; nothing was changed"
            )
        db.execute("PRAGMA synchronous = " + ("FULL" if decides else "NORMAL"))
        if version < len(migrations):
            bring_up_to_date(db, path, migrations)
    except (sqlite3.Error, StoreError):
        db.close()
        raise
    return db


def open_read_only(path: Path, patience: float = 5.0) -> sqlite3.Connection:
    """To look only: nothing is made, changed or repaired. On a share that cannot be written to, nobody else writes
    either."""
    fixed = "" if os.access(path.parent, os.W_OK) else "&immutable=1"
    address = f"{path.absolute().as_uri()}?mode=ro{fixed}"
    return sqlite3.connect(address, uri=True, timeout=patience)


def facts_of(path: Path, names: Sequence[str]) -> dict[str, str]:
    """Small named values that a store notes, without opening it as one; nothing of one that cannot be read."""
    marks = ", ".join("?" * len(names))
    try:
        with closing(open_read_only(path)) as db:
            query = f"SELECT name, value FROM facts WHERE name IN ({marks})"
            return dict(db.execute(query, names).fetchall())
    except sqlite3.Error:
        return {}


def _connect(path: Path, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=patience, isolation_level=None)


@contextmanager
def trouble(path: Path, way_back: Callable[[Path], str] = move_away) -> Iterator[None]:
    """What SQLite and the system say, in words that help."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise StoreError(
            f"{path} does not take this: {error}; nothing was changed"
        ) from error
    except sqlite3.OperationalError as error:
        problem = str(error)
        hint = (
            "free some space and try again"
            if "full" in problem
            else "another program is writing; try again"
            if "locked" in problem
            else "see that its folder can be written, or set AFTERGLOW_HOME to one that can"
        )
        raise StoreError(
            f"{path}: {problem}; {hint}; nothing that was kept is lost"
        ) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path} is damaged ({error}); it was left as it is; {way_back(path)}"
        ) from error
    except OSError as error:
        hint = "set AFTERGLOW_HOME to a folder that can be written"
        raise StoreError(f"{path}: {error.strerror or error}; {hint}") from error


@contextmanager
def transaction(db: Database) -> Iterator[None]:
    """All of it or nothing, and nobody else writes meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def decision(db: Database) -> Iterator[None]:
    """A transaction for what somebody decided, in a database of what can be made again: a power cut does not undo it.
    That of a hub is always so."""
    if not isinstance(db, sqlite3.Connection):
        with transaction(db):
            yield
        return
    db.execute("PRAGMA synchronous = FULL")
    try:
        with transaction(db):
            yield
    finally:
        db.execute("PRAGMA synchronous = NORMAL")


def back_up(db: sqlite3.Connection, to: Path) -> None:
    """A whole copy, also while others write; put in its place only when it is finished."""
    draft = to.with_name(f"{to.name}.{uuid4().hex}")
    try:
        private_file(draft)
        with closing(sqlite3.connect(draft)) as copy:
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
        draft.replace(to)
    finally:
        drop_database(draft)


def make(path: Path, migrations: Sequence[Migration]) -> None:
    place_database(path, lambda db: _apply(db, migrations))


def bring_up_to_date(
    db: sqlite3.Connection, path: Path, migrations: Sequence[Migration]
) -> None:
    """Nobody else writes between the backup and the end of the migration."""

    def keep(version: int) -> None:
        with closing(sqlite3.connect(path, timeout=30)) as reader:
            back_up(
                reader,
                path.with_name(
                    f"{path.name}.backup-{strftime('%Y%m%d-%H%M%S')}-layout{version}"
                ),
            )

    _apply(db, migrations, before=keep)


def _apply(
    db: sqlite3.Connection,
    migrations: Sequence[Migration],
    before: Callable[[int], None] | None = None,
) -> None:
    """All that are missing or none."""
    with transaction(db):
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if before and version < len(migrations):
            before(version)
        for migrate in migrations[version:]:
            migrate(db)
        db.execute(f"PRAGMA user_version = {max(version, len(migrations))}")
