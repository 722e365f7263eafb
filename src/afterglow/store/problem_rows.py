"""The rows of a problem in the catalogue: how one is written, and how it goes with the sessions that met it."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.problems import Problem

NAME, FINGERPRINT = "name", "fingerprint"  # kinds of labels
# What lessons there are about it: none, one that waits for a person or for more sessions, one that is told; and one
# that rules wrote: where it is enough, no writer is asked.
UNTAUGHT, WAITING, TAUGHT, BY_RULES = 0, 1, 2, 3
TABLES = ("problem_labels", "problem_sessions", "problem_events")
COMPRESSION = 1  # of events: three times smaller, and quick

_pack = msgspec.msgpack.Encoder().encode


class KnownBy(Struct, frozen=True):
    """By what items find a problem: its repository, the key that makes it one, its names and fingerprints."""

    repo: str
    key: str
    names: tuple[str, ...]
    fingerprints: tuple[str, ...]

    @property
    def rule(self) -> str:
        """Of a linter's rule its name, which an item about it must say."""
        kind, _, name = self.key.partition(" ")
        return name if kind == "rule" else ""


class ReadyProblem(Struct, frozen=True, kw_only=True):
    """A problem as it is kept: `kind` of most of its events, whether a writer could say something about it, by what
    items find it and what lessons it has, and the keys of its sessions."""

    problem: Problem
    kind: str
    is_writable: bool
    known_by: KnownBy
    taught: int = UNTAUGHT
    keys: tuple[int, ...] = ()


def drop_problems_of(db: sqlite3.Connection, keys: Iterable[tuple[int]]) -> None:
    """The problems that these sessions met, and what would keep the others from being made anew."""
    numbers = {
        number
        for key in keys
        for (number,) in db.execute(
            "SELECT problem FROM problem_sessions WHERE key = ?", key
        )
    }
    rows = [(number,) for number in numbers]
    db.executemany(
        "DELETE FROM problem_repos WHERE repo IN (SELECT repo FROM problems WHERE n = ?)",
        rows,
    )
    _delete(db, rows)


def drop_repositories(db: sqlite3.Connection, repos: Iterable[str]) -> None:
    for repo in repos:
        numbers = db.execute("SELECT n FROM problems WHERE repo = ?", [repo]).fetchall()
        _delete(db, numbers)
        db.execute("DELETE FROM problem_repos WHERE repo = ?", [repo])


def _delete(db: sqlite3.Connection, numbers: Sequence[tuple[int]]) -> None:
    for table in TABLES:
        db.executemany(f"DELETE FROM {table} WHERE problem = ?", numbers)
    db.executemany("DELETE FROM problems WHERE n = ?", numbers)


def insert_problem(db: sqlite3.Connection, each: ReadyProblem) -> None:
    problem = each.problem
    head = replace(problem, events=(), lessons=(), answers=())
    row = (
        problem.id,
        problem.repo,
        problem.key,
        each.kind,
        problem.cost,
        len(problem.sessions),
        problem.last,
        each.is_writable,
        each.taught,
        _pack(head),
    )
    number = db.execute(
        "INSERT INTO problems (id, repo, key, kind, cost, sessions, last, is_writable, taught, problem) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    ).lastrowid
    labels = [(NAME, name, number) for name in each.known_by.names]
    labels += [(FINGERPRINT, text, number) for text in each.known_by.fingerprints]
    db.executemany("INSERT OR IGNORE INTO problem_labels VALUES (?, ?, ?)", labels)
    db.executemany(
        "INSERT OR IGNORE INTO problem_sessions VALUES (?, ?)",
        [(key, number) for key in each.keys],
    )
    packed = zlib.compress(_pack(problem.events), COMPRESSION)
    db.execute("INSERT INTO problem_events VALUES (?, ?)", [number, packed])
