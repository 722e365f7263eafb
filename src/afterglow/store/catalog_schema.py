"""How `catalog.db` is laid out, and how an empty one is made.

What lists and ranks need is in narrow rows of `sessions`; profiles stand apart in `profiles`, read only when asked for.
Which calls a session holds stands in `call_marks`, hashed, to tell a session that another one copied from.
What miners found in a session stands in `findings`, with the topics not yet merged into knowledge in `pending`; what
went wrong in it stands in `events`, packed, a row a session, with the number of failures no exit code shows, and what
that adds up to, ready to be listed, in `problems` and the tables beside it.
What a session can be searched by (title, first request, id) stands in its `words`, masked and in small letters; the
names of its `tools` stand each between two line ends.
Many sessions share a place (folder, branch, remote), so a repo is given its name once, in `places`.
"""

from __future__ import annotations

import sqlite3
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from afterglow.store.atomic_create import place_database

SCHEMA = 5
TABLES = """
CREATE TABLE sources (
  path TEXT PRIMARY KEY, format TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  offset INTEGER NOT NULL, line INTEGER NOT NULL, "check" TEXT NOT NULL, message TEXT NOT NULL,
  state TEXT NOT NULL, reason TEXT NOT NULL,
  damaged INTEGER NOT NULL, damage BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX sources_other ON sources (path) WHERE state = 'other';
CREATE INDEX sources_troubled ON sources (path) WHERE state IN ('unreadable', 'busy') OR damaged > 0;
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY, place INTEGER NOT NULL, source TEXT NOT NULL, id TEXT NOT NULL, stamp TEXT NOT NULL,
  agent TEXT NOT NULL, format TEXT NOT NULL, model TEXT NOT NULL, title TEXT NOT NULL, start REAL, end REAL,
  messages INTEGER NOT NULL, calls INTEGER NOT NULL, failed INTEGER NOT NULL, outcome TEXT NOT NULL,
  outcome_by TEXT NOT NULL, ending TEXT NOT NULL, origin TEXT NOT NULL, parent TEXT NOT NULL, parent_by TEXT NOT NULL,
  task TEXT NOT NULL, score REAL, damaged INTEGER NOT NULL, empty INTEGER NOT NULL, copied INTEGER NOT NULL,
  masked INTEGER NOT NULL, words TEXT NOT NULL, tools TEXT NOT NULL,
  copy INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_source ON sessions (source);
CREATE INDEX sessions_id ON sessions (id, agent);
CREATE INDEX sessions_parent ON sessions (parent) WHERE parent <> '';
CREATE INDEX sessions_recent ON sessions (coalesce(end, start, 0) DESC);
CREATE INDEX sessions_listed ON sessions (coalesce(end, start, 0) DESC, id, source) WHERE NOT empty AND NOT copy AND NOT gone;
CREATE INDEX sessions_facets ON sessions (place, agent, outcome, failed, masked, id)
  WHERE NOT empty AND NOT copy AND NOT gone;
CREATE TABLE places (
  place INTEGER PRIMARY KEY, remote TEXT NOT NULL, git_root TEXT NOT NULL, cwd TEXT NOT NULL, branch TEXT NOT NULL,
  repo TEXT NOT NULL DEFAULT '', repo_by TEXT NOT NULL DEFAULT ''
);
CREATE TABLE profiles (key INTEGER PRIMARY KEY, header BLOB NOT NULL, profile BLOB NOT NULL, resume BLOB);
CREATE TABLE call_marks (key INTEGER PRIMARY KEY, first_end REAL NOT NULL, marks BLOB NOT NULL);
CREATE TABLE mined (key INTEGER PRIMARY KEY, "check" BLOB NOT NULL);
CREATE TABLE findings (key INTEGER NOT NULL, topic TEXT NOT NULL, finding BLOB NOT NULL);
CREATE INDEX findings_key ON findings (key);
CREATE INDEX findings_topic ON findings (topic);
CREATE TABLE events (key INTEGER PRIMARY KEY, events BLOB NOT NULL, hidden INTEGER NOT NULL);
CREATE INDEX events_hidden ON events (key) WHERE hidden > 0;
CREATE TABLE pending (topic TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE problems (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, repo TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
  cost INTEGER NOT NULL, sessions INTEGER NOT NULL, last REAL, is_writable INTEGER NOT NULL, taught INTEGER NOT NULL,
  problem BLOB NOT NULL
);
CREATE INDEX problems_dearest ON problems (cost DESC, sessions DESC, id);
CREATE INDEX problems_place ON problems (repo, cost DESC, sessions DESC, id);
CREATE INDEX problems_taught ON problems (taught) WHERE taught > 0;
CREATE TABLE problem_events (problem INTEGER PRIMARY KEY, events BLOB NOT NULL);
CREATE TABLE problem_labels (
  kind TEXT NOT NULL, word TEXT NOT NULL, problem INTEGER NOT NULL, PRIMARY KEY (kind, word, problem)
) WITHOUT ROWID;
CREATE INDEX problem_labels_of ON problem_labels (problem);
CREATE TABLE problem_sessions (key INTEGER NOT NULL, problem INTEGER NOT NULL, PRIMARY KEY (key, problem)) WITHOUT ROWID;
CREATE INDEX problem_sessions_of ON problem_sessions (problem);
CREATE TABLE problem_repos (repo TEXT PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE folders (path TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
PLACE = ("remote", "git_root", "cwd", "branch")
PACKED = ("header", "profile", "resume")


class SessionRow(Struct, frozen=True, kw_only=True):
    """What a scan gives of a session: the columns of its place (PLACE), those of `sessions`, and what stands packed in
    `profiles` (PACKED); `resume` are header and profile at the mark where reading may go on. `marks` are its calls,
    packed by `call_marks`; up to the line `copied` they count elsewhere."""

    remote: str
    git_root: str
    cwd: str
    branch: str

    source: str
    id: str
    stamp: str
    agent: str
    format: str
    model: str
    title: str
    start: float | None
    end: float | None
    messages: int
    calls: int
    failed: int
    outcome: str
    outcome_by: str
    ending: str
    origin: str
    parent: str
    parent_by: str
    task: str
    score: float | None
    damaged: int
    empty: bool
    copied: int = 0
    masked: int = 0
    words: str = ""
    tools: str = ""

    header: bytes
    profile: bytes
    resume: bytes | None
    marks: bytes = b""


COLUMNS = tuple(
    name
    for name in SessionRow.__struct_fields__
    if name not in PLACE and name not in PACKED and name != "marks"
)


def key_of(*words: str) -> int:
    """The same words (a source and a session's id, the columns of a place) always have the same key."""
    joined = "\0".join(words).encode("utf-8", "surrogatepass")
    digest = blake2b(joined, digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1  # SQLite's integers have a sign


def create(path: Path) -> None:
    place_database(path, lay_out)


def lay_out(db: sqlite3.Connection) -> None:
    """Empty tables of the present layout, whatever was there before."""
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
        names = db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        for (name,) in names:
            db.execute(f'DROP TABLE "{name}"')
        for statement in filter(str.strip, TABLES.split(";\n")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {SCHEMA}")
    db.execute("COMMIT")
