"""The catalogue of sessions: one row per session with its profile, one per source file with the stamp it was read at.

Everything in it can be made again from the sources, so an older layout is simply dropped. Writers take turns (WAL, short
transactions); two scans at once end with the same rows.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from afterglow.errors import StoreError
from afterglow.records.catalog import Entry, Source, Trouble
from afterglow.records.profile import Profile
from afterglow.records.session import Damage, Repo, Session
from afterglow.sessions.repos import Place

SCHEMA = 1
TABLES = """
CREATE TABLE sources (
  path TEXT PRIMARY KEY, format TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  offset INTEGER NOT NULL, line INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
  damaged INTEGER NOT NULL, damage BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY, source TEXT NOT NULL, id TEXT NOT NULL, stamp TEXT NOT NULL, agent TEXT NOT NULL,
  format TEXT NOT NULL, model TEXT NOT NULL, remote TEXT NOT NULL, git_root TEXT NOT NULL, cwd TEXT NOT NULL,
  branch TEXT NOT NULL, title TEXT NOT NULL, start REAL, end REAL, messages INTEGER NOT NULL, calls INTEGER NOT NULL,
  failed INTEGER NOT NULL, outcome TEXT NOT NULL, outcome_by TEXT NOT NULL, ending TEXT NOT NULL, origin TEXT NOT NULL,
  parent TEXT NOT NULL, parent_by TEXT NOT NULL, task TEXT NOT NULL, score REAL, damaged INTEGER NOT NULL,
  empty INTEGER NOT NULL, header BLOB NOT NULL, profile BLOB NOT NULL, resume BLOB,
  repo TEXT NOT NULL DEFAULT '', repo_by TEXT NOT NULL DEFAULT 'none', copy INTEGER NOT NULL DEFAULT 0,
  gone INTEGER NOT NULL DEFAULT 0,
  UNIQUE (source, id)
);
CREATE INDEX sessions_id ON sessions (id);
CREATE TABLE folders (path TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
# The columns a scan fills, in the order of a `Row`.
COLUMNS = (
    "source", "id", "stamp", "agent", "format", "model", "remote", "git_root", "cwd", "branch", "title", "start", "end",
    "messages", "calls", "failed", "outcome", "outcome_by", "ending", "origin", "parent", "parent_by", "task", "score",
    "damaged", "empty", "header", "profile", "resume",
)  # fmt: skip
Row = tuple[Any, ...]
_ENTRY = tuple(name for name in Entry.__struct_fields__ if name != "profile")
_UPSERT = (
    f"INSERT INTO sessions ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) ON CONFLICT (source, id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[2:])
    + ", gone = 0"
)
Resume = tuple[Session, Profile]
_resume = msgspec.msgpack.Decoder(Resume)
_damage = msgspec.json.Decoder(tuple[Damage, ...])
_header = msgspec.msgpack.Decoder(Session)
_profile = msgspec.msgpack.Decoder(Profile)


class Catalog:
    """An open catalogue. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._trouble():
            if not path.exists():
                _create(path)
            self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        """A damaged catalogue is thrown away, not repaired, and one of an older layout emptied: all is in the sources."""
        db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            db.execute("PRAGMA synchronous = NORMAL")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version < SCHEMA:
                _lay_out(db)
        except sqlite3.OperationalError:
            db.close()
            raise
        except sqlite3.DatabaseError:
            db.close()
            for end in ("", "-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            _create(self.path)
            return sqlite3.connect(self.path, timeout=30, isolation_level=None)
        if version > SCHEMA:
            db.close()
            raise StoreError(f"{self.path} was written by a newer afterglow; upgrade, or delete it: a scan makes it anew")
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
            hint = "free some space and scan again" if "full" in str(error) else "nothing that was kept is lost"
            raise StoreError(f"{self.path}: {error}; {hint}") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: {error}; delete it and scan again, nothing is lost") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}; set AFTERGLOW_HOME to a folder that can be written") from error

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._trouble():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._trouble():
            return self._db.execute(query, values).fetchall()

    # What is known about sources

    def folder_digests(self) -> dict[str, bytes]:
        return dict(self._rows("SELECT path, digest FROM folders"))

    def sources(self, folder: str) -> dict[str, Source]:
        """The known sources directly in `folder`, by file name."""
        query = "SELECT path, format, size, mtime_ns, inode, offset, line, state, reason, damaged FROM sources WHERE path > ? AND path < ?"
        found = (Source(*row) for row in self._rows(query, (folder + "/", folder + "0")))
        return {name: source for source in found if "/" not in (name := source.path[len(folder) + 1 :])}

    def resume(self, source: str) -> Resume | None:
        """What a grown file with one session is read on from: header and profile at its mark."""
        rows = self._rows("SELECT header, profile, resume FROM sessions WHERE source = ? LIMIT 2", [source])
        if len(rows) != 1:
            return None
        header, profile, resume = rows[0]
        return _resume.decode(resume) if resume else (_header.decode(header), _profile.decode(profile))

    def stamps(self, source: str) -> dict[str, str]:
        return dict(self._rows("SELECT id, stamp FROM sessions WHERE source = ? AND NOT gone", [source]))

    def troubles(self, below: Sequence[str], limit: int = 200) -> list[Trouble]:
        """Sources under some roots with something to report, unreadable ones first."""
        query = "SELECT path, state, reason, damaged, damage FROM sources WHERE state = 'unreadable' OR (damaged > 0 AND state = 'ok') ORDER BY state = 'ok', path"
        found = [Trouble(path, state, reason, count, _damage.decode(blob)) for path, state, reason, count, blob in self._rows(query)]
        return [t for t in found if any(t.path == root or t.path.startswith(root + "/") for root in below)][:limit]

    def not_sessions(self, below: Sequence[str]) -> int:
        """How many files under some roots hold no sessions."""
        found = self._rows("SELECT path FROM sources WHERE state = 'other'")
        return sum(any(path.startswith(root + "/") or path == root for root in below) for (path,) in found)

    def fact(self, name: str) -> str:
        rows = self._rows("SELECT value FROM facts WHERE name = ?", [name])
        return rows[0][0] if rows else ""

    # What a scan writes

    def save(self, sources: Iterable[tuple[Source, bytes]], rows: Iterable[Row]) -> None:
        """Files and the sessions read from them, together: a killed scan leaves whole files or nothing."""
        with self._write() as db:
            db.executemany(_UPSERT, rows)
            db.executemany(
                "INSERT OR REPLACE INTO sources VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                [(*msgspec.structs.astuple(source), damage) for source, damage in sources],
            )

    def finish(self, digests: Mapping[str, bytes], facts: Mapping[str, str]) -> None:
        """The end of a whole scan: which folders need no second look, and what it was done with."""
        with self._write() as db:
            db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?)", digests.items())
            db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    def forget(self, sources: Iterable[str], sessions: Iterable[tuple[str, str]] = ()) -> None:
        """Marks what is no longer there as gone; the rows stay."""
        sources = [(path,) for path in sources]
        with self._write() as db:
            db.executemany("UPDATE sources SET state = 'gone' WHERE path = ?", sources)
            db.executemany("UPDATE sessions SET gone = 1 WHERE source = ?", sources)
            db.executemany("UPDATE sessions SET gone = 1 WHERE source = ? AND id = ?", sessions)

    def places(self) -> list[Place]:
        return [Place(*row) for row in self._rows("SELECT DISTINCT remote, git_root, cwd, branch FROM sessions")]

    def name_repos(self, repos: Mapping[Place, Repo]) -> None:
        with self._write() as db:
            db.execute("CREATE TEMP TABLE IF NOT EXISTS named (remote, git_root, cwd, branch, repo, by, PRIMARY KEY (remote, git_root, cwd, branch))")
            db.execute("DELETE FROM named")
            db.executemany("INSERT INTO named VALUES (?,?,?,?,?,?)", [(*msgspec.structs.astuple(p), r.name, r.by) for p, r in repos.items()])
            db.execute(
                "UPDATE sessions SET repo = n.repo, repo_by = n.by FROM named n WHERE n.remote = sessions.remote AND n.git_root = "
                "sessions.git_root AND n.cwd = sessions.cwd AND n.branch = sessions.branch AND (n.repo, n.by) <> (sessions.repo, sessions.repo_by)"
            )

    def mark_copies(self) -> None:
        """The same session found twice counts once: the fullest is kept, the rest are copies."""
        ranked = (
            "SELECT key, row_number() OVER (PARTITION BY agent, id ORDER BY gone, messages DESC, key) > 1 AS again FROM sessions "
            "WHERE (agent, id) IN (SELECT agent, id FROM sessions GROUP BY agent, id HAVING count(*) > 1)"
        )
        with self._write() as db:
            db.execute("UPDATE sessions SET copy = 0 WHERE copy AND (agent, id) NOT IN (SELECT agent, id FROM sessions GROUP BY 1, 2 HAVING count(*) > 1)")
            db.execute(f"UPDATE sessions SET copy = r.again FROM ({ranked}) r WHERE r.key = sessions.key AND copy <> r.again")

    # What others read

    def entries(
        self,
        *,
        repo: str | None = None,
        agent: str | None = None,
        since: float | None = None,
        below: str | None = None,
        profiles: bool = False,
        all: bool = False,
        newest: int | None = None,
    ) -> list[Entry]:
        """Sessions in time order (or just the `newest`, newest first). Without `all`, only those that were used, are no
        copies, and are still there."""
        wanted = [] if all else ["NOT empty", "NOT copy", "NOT gone"]
        values: list[Any] = []
        for clause, value in (("agent = ?", agent), ("end >= ?", since)):
            if value is not None:
                wanted.append(clause)
                values.append(value)
        if repo is not None:
            wanted.append("(repo = ? OR repo LIKE '%/' || ?)")
            values += [repo, repo]
        if below is not None:
            wanted.append("(source = ? OR substr(source, 1, ?) = ?)")
            values += [below.rstrip("/"), len(below.rstrip("/")) + 1, below.rstrip("/") + "/"]
        where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
        columns = ", ".join([*_ENTRY, *(["profile"] if profiles else [])])
        order = "start, id, source" if newest is None else f"coalesce(end, start, 0) DESC, id, source LIMIT {int(newest)}"
        return [_entry(row) for row in self._rows(f"SELECT {columns} FROM sessions {where} ORDER BY {order}", values)]

    def with_profiles(self, entries: Iterable[Entry]) -> list[Entry]:
        query = "SELECT profile FROM sessions WHERE key = ?"
        return [msgspec.structs.replace(e, profile=_profile.decode(self._rows(query, [e.key])[0][0])) for e in entries]

    def firsts(self) -> list[int]:
        """The key of each repo's first used session."""
        query = "SELECT key, min(coalesce(start, end, 9e99)) FROM sessions WHERE repo <> '' AND NOT empty AND NOT copy AND origin = 'main' GROUP BY repo"
        return [key for key, _ in self._rows(query)]

    def find(self, name: str) -> list[Entry]:
        """Sessions whose id is, or starts with, `name`; an exact match alone when there is one."""
        columns = ", ".join(_ENTRY)
        exact = self._rows(f"SELECT {columns} FROM sessions WHERE id = ? AND NOT copy", [name])
        pattern = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        rows = exact or self._rows(f"SELECT {columns} FROM sessions WHERE id LIKE ? ESCAPE '\\' AND NOT copy LIMIT 20", [pattern])
        return [_entry(row) for row in rows]


def _create(path: Path) -> None:
    """Made beside its place and put there whole, so that two first scans at once cannot trip over each other."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{uuid4().hex}")
    db = sqlite3.connect(draft, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    _lay_out(db)
    db.close()
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _lay_out(db: sqlite3.Connection) -> None:
    """Empty tables of the present layout, whatever was there before."""
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
        for table in ("sources", "sessions", "folders", "facts"):
            db.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in filter(str.strip, TABLES.split(";\n")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {SCHEMA}")
    db.execute("COMMIT")


def _entry(row: tuple[Any, ...]) -> Entry:
    fields = dict(zip(_ENTRY, row, strict=False))
    for flag in ("empty", "copy", "gone"):
        fields[flag] = bool(fields[flag])
    profile = _profile.decode(row[-1]) if len(row) > len(_ENTRY) else None
    return Entry(**fields, profile=profile)
