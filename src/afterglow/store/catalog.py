"""The catalogue of sessions: one row per session with its profile, one per source with the stamp it was read at.

Everything in it can be made again from the sources, so a damaged one or an older layout is simply dropped. Writers
wait for each other (WAL, short transactions); two scans at once end with the same rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from afterglow.errors import StoreError
from afterglow.folders import keep_private
from afterglow.records.catalog import Entry, Source
from afterglow.records.profile import Profile
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.session import Session
from afterglow.sessions.remote_files import real_path
from afterglow.store.catalog_deletion import (
    delete_sessions,
    drop_forgotten_subagents,
    drop_unused,
    without_forgotten,
)
from afterglow.store.catalog_schema import (
    COLUMNS,
    PACKED,
    PLACE,
    SCHEMA,
    SessionRow,
    create,
    key_of,
    lay_out,
)
from afterglow.store.forgotten import Forgotten
from afterglow.store.sql_limits import pieces

Resume = tuple[Session, Profile]

_ENTRY_FIELDS = tuple(name for name in Entry.__struct_fields__ if name != "profile")
ENTRY = ", ".join(_ENTRY_FIELDS)
_SOURCE = ", ".join(f'"{name}"' for name in Source.__struct_fields__)
_SAVE_PLACE = f"INSERT OR IGNORE INTO places (place, {', '.join(PLACE)}) VALUES (?{', ?' * len(PLACE)})"
_SAVE_SESSION = f"INSERT OR REPLACE INTO sessions (key, place, {', '.join(COLUMNS)}) VALUES (?, ?{', ?' * len(COLUMNS)})"
_SAVE_PROFILE = f"INSERT OR REPLACE INTO profiles (key, {', '.join(PACKED)}) VALUES (?{', ?' * len(PACKED)})"
# The end a session had when it was first met stays: it says which of two is the copy.
_SAVE_MARKS = (
    "INSERT INTO call_marks VALUES (?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET marks = excluded.marks"
)
_SAVE_SOURCE = f"INSERT OR REPLACE INTO sources ({_SOURCE}, damage) VALUES ({'?, ' * len(Source.__struct_fields__)}?)"
_place, _columns, _packed = (
    attrgetter(*PLACE),
    attrgetter(*COLUMNS),
    attrgetter(*PACKED),
)
PLACED = "sessions JOIN places USING (place)"
USED = "NOT empty AND NOT copy AND NOT gone"
_resume = msgspec.msgpack.Decoder(Resume)
_header = msgspec.msgpack.Decoder(Session)
_profile = msgspec.msgpack.Decoder(Profile)


class Catalog:
    """An open catalogue. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.forgotten = Forgotten(path.parent)
        with self._trouble():
            if not path.exists():
                create(path)
            keep_private(path)
            self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            db.execute(
                "PRAGMA synchronous = OFF"
            )  # a power cut may cost the catalogue, never a session
            db.execute("PRAGMA wal_autocheckpoint = 16384")
            db.execute("PRAGMA cache_size = -32768")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version < SCHEMA:
                lay_out(db)
        except sqlite3.OperationalError:
            db.close()
            raise
        except sqlite3.DatabaseError:
            db.close()
            for end in ("", "-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            create(self.path)
            return sqlite3.connect(self.path, timeout=30, isolation_level=None)
        if version > SCHEMA:
            db.close()
            raise StoreError(
                f"{self.path} was written by a newer afterglow; upgrade, or delete it: a scan makes it anew"
            )
        return db

    def __enter__(self) -> Catalog:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            hint = (
                "free some space and scan again"
                if "full" in str(error)
                else "nothing that was kept is lost"
            )
            raise StoreError(f"{self.path}: {error}; {hint}") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{self.path}: {error}; delete it and scan again, nothing is lost"
            ) from error
        except OSError as error:
            hint = "set AFTERGLOW_HOME to a folder that can be written"
            raise StoreError(
                f"{self.path}: {error.strerror or error}; {hint}"
            ) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction. Summaries of what there was before it are no longer true."""
        with self._trouble():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.execute("DELETE FROM facts WHERE name LIKE 'summary of %'")
                yield self._db
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._trouble():
            return self._db.execute(query, values).fetchall()

    # What is known about sources

    def folder_digests(self) -> dict[str, bytes]:
        return dict(self.rows("SELECT path, digest FROM folders"))

    def sources(self, folder: str) -> dict[str, Source]:
        """The known sources directly in `folder`, by file name."""
        rows = self.rows(
            f"SELECT {_SOURCE} FROM sources WHERE path > ? AND path < ?",
            (folder + "/", folder + "0"),
        )
        sources = (Source(*row) for row in rows)
        return {
            name: source
            for source in sources
            if "/" not in (name := source.path[len(folder) + 1 :])
        }

    def resume(self, source: str) -> Resume | None:
        """What a grown file with one session is read on from: header and profile at its mark."""
        mine = "SELECT key FROM sessions WHERE source = ?"
        rows = self.rows(
            f"SELECT header, profile, resume FROM profiles WHERE key IN ({mine}) LIMIT 2",
            [source],
        )
        if len(rows) != 1:
            return None
        header, profile, resume = rows[0]
        return (
            _resume.decode(resume)
            if resume
            else (_header.decode(header), _profile.decode(profile))
        )

    def stamps(self, source: str) -> dict[str, str]:
        """The sessions of a database as they were when last read."""
        return dict(
            self.rows(
                "SELECT id, stamp FROM sessions WHERE source = ? AND NOT gone", [source]
            )
        )

    def fact(self, name: str) -> str:
        rows = self.rows("SELECT value FROM facts WHERE name = ?", [name])
        return rows[0][0] if rows else ""

    # What a scan writes

    def save(
        self, sources: Iterable[tuple[Source, bytes]], rows: Iterable[SessionRow]
    ) -> None:
        """Sources and the sessions read from them, together: a killed scan leaves whole files or nothing. What was
        forgotten, also while the scan went on, is not kept."""
        with self.writing() as db:
            sources, rows = without_forgotten(self.forgotten, sources, rows)
            placed = [
                (key_of(row.source, row.id), key_of(*_place(row)), row) for row in rows
            ]
            places = {place: (place, *_place(row)) for _, place, row in placed}
            sessions = [(key, place, *_columns(row)) for key, place, row in placed]
            profiles = [(key, *_packed(row)) for key, _, row in placed]
            marks = [
                (key, row.end or 0.0, row.marks) for key, _, row in placed if row.marks
            ]
            db.executemany(_SAVE_PLACE, places.values())
            db.executemany(_SAVE_SESSION, sessions)
            db.executemany(_SAVE_PROFILE, profiles)
            db.executemany(_SAVE_MARKS, marks)
            db.executemany(
                _SAVE_SOURCE,
                [
                    (*msgspec.structs.astuple(source), damage)
                    for source, damage in sources
                ],
            )

    def mark_gone(
        self, sources: Iterable[str], sessions: Iterable[tuple[str, str]] = ()
    ) -> None:
        """What is no longer there; the rows stay."""
        paths = [(path,) for path in sources]
        with self.writing() as db:
            db.executemany("UPDATE sources SET state = 'gone' WHERE path = ?", paths)
            db.executemany(
                "DELETE FROM folders WHERE path = ?",
                {(path.rpartition("/")[0],) for (path,) in paths},
            )
            db.executemany("UPDATE sessions SET gone = 1 WHERE source = ?", paths)
            db.executemany(
                "UPDATE sessions SET gone = 1 WHERE key = ?",
                [(key_of(*session),) for session in sessions],
            )

    def drop_others(self, source: str, ids: Iterable[str]) -> None:
        """A file that was read anew holds just these sessions; what it was once taken for goes."""
        current = {key_of(source, id) for id in ids}
        stored = {
            key
            for (key,) in self.rows(
                "SELECT key FROM sessions WHERE source = ?", [source]
            )
        }
        stale = [(key,) for key in stored - current]
        if stale:
            with self.writing() as db:
                delete_sessions(db, stale)

    def mark_copies(self) -> None:
        """The same session found twice counts once: the fullest is kept, the rest are copies."""
        twice = "SELECT id, agent FROM sessions GROUP BY id, agent HAVING count(*) > 1"
        same = "agent, id, start, title"  # an id alone may be just the name of a file
        ranked = (
            f"SELECT key, row_number() OVER (PARTITION BY {same} ORDER BY gone, messages DESC, source) > 1 AS again "
            f"FROM sessions WHERE (id, agent) IN ({twice})"
        )
        with self.writing() as db:
            db.execute(
                f"UPDATE sessions SET copy = 0 WHERE copy AND (id, agent) NOT IN ({twice})"
            )
            db.execute(
                f"UPDATE sessions SET copy = r.again FROM ({ranked}) r WHERE r.key = sessions.key AND copy <> r.again"
            )

    def finish(self, digests: Mapping[str, bytes], facts: Mapping[str, str]) -> None:
        """The end of a scan: which folders need no second look, and what it was done with."""
        with self.writing() as db:
            db.executemany(
                "INSERT OR REPLACE INTO folders VALUES (?, ?)", digests.items()
            )
            db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
            if self.forgotten.refresh():
                drop_forgotten_subagents(db, self.forgotten)
                drop_unused(db)

    # What others read

    def entries(
        self,
        selection: Selection = EVERYTHING,
        *,
        profiles: bool = False,
        all: bool = False,
        newest: int | None = None,
    ) -> list[Entry]:
        """Sessions in time order (or just the `newest`, newest first). Without `all`, only those that were used, are no
        copies, and are still there."""
        where, values = chosen(selection, everything=all)
        order = (
            "start, id, source"
            if newest is None
            else f"coalesce(end, start, 0) DESC, id, source LIMIT {int(newest)}"
        )
        extra, table = (
            (", profile", f"{PLACED} JOIN profiles USING (key)")
            if profiles
            else ("", PLACED)
        )
        return [
            entry_of(row)
            for row in self.rows(
                f"SELECT {ENTRY}{extra} FROM {table} WHERE {where} ORDER BY {order}",
                values,
            )
        ]

    def find(self, name: str) -> list[Entry]:
        """Sessions whose id or file is `name`, or whose id starts with it; with profiles."""
        if "\0" in name:  # no file and no session is called so
            return []
        query = f"SELECT {ENTRY}, profile FROM {PLACED} JOIN profiles USING (key) WHERE NOT copy AND "
        pattern = (
            name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        )
        rows = self.rows(query + "(id = ? OR source = ?)", [name, real_path(name)])
        rows = rows or self.rows(query + "id LIKE ? ESCAPE '\\' LIMIT 20", [pattern])
        return [entry_of(row) for row in rows]

    def outcomes(self, sessions: Iterable[str]) -> dict[str, tuple[str, str]]:
        """How sessions ended, and what that was read from."""
        query = (
            "SELECT id, outcome, outcome_by FROM sessions WHERE NOT copy AND id IN ({})"
        )
        return {
            id: (outcome, by)
            for batch in pieces(list(sessions))
            for id, outcome, by in self.rows(
                query.format(", ".join("?" * len(batch))), batch
            )
        }

    def firsts(self) -> list[int]:
        """The key of each repo's first session."""
        condition = f"repo <> '' AND {USED} AND origin = 'main'"
        query = f"SELECT key, min(coalesce(start, end, 9e99)) FROM {PLACED} WHERE {condition} GROUP BY repo"
        return [key for key, _ in self.rows(query)]


def chosen(selection: Selection, *, everything: bool = False) -> tuple[str, list[Any]]:
    """The condition that chooses such sessions, and its values."""
    clauses, values = ["TRUE"] if everything else [USED], list[Any]()
    for clause, value in (
        ("agent = ?", selection.agent),
        ("coalesce(end, start) >= ?", selection.since),
        ("coalesce(end, start) < ?", selection.until),
        ("? IN (repo, substr(repo, instr(repo, '/') + 1))", selection.repo),
    ):
        if value is not None:
            clauses.append(clause)
            values.append(value)
    if selection.paths:
        clause, roots = below([real_path(path) for path in selection.paths])
        clauses.append(clause)
        values += roots
    return " AND ".join(clauses), values


def below(roots: Sequence[str], column: str = "source") -> tuple[str, list[str]]:
    """Paths that are, or lie under, one of `roots`: `0` is the character behind `/`."""
    roots = [root.rstrip("/") for root in roots]
    clauses = [f"{column} = ? OR ({column} > ? AND {column} < ?)" for _ in roots]
    return f"({' OR '.join(clauses) or 'FALSE'})", [
        word for root in roots for word in (root, root + "/", root + "0")
    ]


def entry_of(row: tuple[Any, ...]) -> Entry:
    """The columns of `ENTRY`, and behind them perhaps the packed profile."""
    fields = dict(zip(_ENTRY_FIELDS, row, strict=False))
    for flag in ("empty", "copy", "gone"):
        fields[flag] = bool(fields[flag])
    if len(row) > len(_ENTRY_FIELDS):
        fields["profile"] = _profile.decode(row[-1])
    return Entry(**fields)
