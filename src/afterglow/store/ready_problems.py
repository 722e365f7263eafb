"""Problems kept ready in the catalogue, so that listing them reads no session: a row a problem, its events packed beside.

They are made of what went wrong in the sessions of a repository, and made anew when those look otherwise: `made_from`
says what they looked like. All of it can be made again; what is taken out with a session takes its problems along.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from afterglow.records.problems import Event, Problem, ProblemFilter
from afterglow.store.catalog import PLACED, USED, Catalog
from afterglow.store.problem_rows import (
    FINGERPRINT,
    NAME,
    TAUGHT,
    UNTAUGHT,
    WAITING,
    KnownBy,
    ReadyProblem,
    drop_repositories,
    insert_problem,
)
from afterglow.store.sql_limits import pieces

_problem = msgspec.msgpack.Decoder(Problem)
_events = msgspec.msgpack.Decoder(tuple[Event, ...])
_DEAREST = "cost DESC, problems.sessions DESC, problems.id"
# By its whole name, or the name without its owner.
_IN_REPOSITORY = "? IN (repo, substr(repo, instr(repo, '/') + 1))"
_LESSON = {
    "with": f"taught >= {TAUGHT}",
    "waiting": f"taught = {WAITING}",
    "without": f"taught < {TAUGHT}",
}


class ReadyProblems:
    """The problems of an open catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    # What they are made of

    def repositories(self, version: str) -> dict[str, bytes]:
        """What the mined sessions of each repository look like now."""
        query = (
            f'SELECT repo, key, "check" FROM {PLACED} JOIN mined USING (key) '
            f"WHERE {USED} AND origin = 'main' ORDER BY key"
        )
        marks: dict[str, Any] = {}
        for repo, key, check in self._catalog.rows(query):
            mark = marks.get(repo)
            if mark is None:
                mark = marks[repo] = blake2b(version.encode(), digest_size=16)
            mark.update(key.to_bytes(8, "big") + check)
        return {repo: mark.digest() for repo, mark in marks.items()}

    def made_from(self) -> dict[str, bytes]:
        """What they looked like when their problems were made."""
        return dict(self._catalog.rows("SELECT repo, state FROM problem_repos"))

    def save(self, repo: str, state: bytes, problems: Sequence[ReadyProblem]) -> None:
        """All problems of a repository; those it had go."""
        with self._catalog.writing() as db:
            drop_repositories(db, [repo])
            for each in problems:
                insert_problem(db, each)
            db.execute("INSERT INTO problem_repos VALUES (?, ?)", [repo, state])

    def drop(self, repos: Collection[str]) -> None:
        """Of repositories that have no session any more."""
        if repos:
            with self._catalog.writing() as db:
                drop_repositories(db, repos)

    # Reading

    def listed(
        self, chosen: ProblemFilter, *, limit: int, offset: int = 0
    ) -> list[Problem]:
        """The dearest first, without their events."""
        where, values = _conditions(chosen)
        query = f"SELECT problem FROM problems WHERE {where} ORDER BY {_DEAREST} LIMIT ? OFFSET ?"
        rows = self._catalog.rows(query, [*values, limit, offset])
        return [_problem.decode(body) for (body,) in rows]

    def count(self, chosen: ProblemFilter) -> dict[int, int]:
        """How many there are, by whether there is a lesson."""
        where, values = _conditions(chosen)
        query = f"SELECT taught, count(*) FROM problems WHERE {where} GROUP BY 1"
        return dict(self._catalog.rows(query, values))

    def by_repository(self, chosen: ProblemFilter) -> dict[str, int]:
        """How many of them each repository has, most first."""
        where, values = _conditions(chosen)
        query = f"SELECT repo, count(*) FROM problems WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"
        return dict(self._catalog.rows(query, values))

    def by_kind(self, chosen: ProblemFilter) -> dict[str, int]:
        where, values = _conditions(chosen)
        query = f"SELECT kind, count(*) FROM problems WHERE {where} GROUP BY 1"
        return dict(self._catalog.rows(query, values))

    def writable(self, chosen: ProblemFilter) -> dict[str, tuple[int, list[str]]]:
        """Those a writer could say something about, the dearest first: how many sessions met each, and its names."""
        where, values = _conditions(chosen)
        query = (
            "SELECT id, sessions, word FROM problems JOIN problem_labels ON problem_labels.problem = n "
            f"WHERE problem_labels.kind = '{NAME}' AND is_writable AND {where} ORDER BY {_DEAREST}"
        )
        chosen_problems: dict[str, tuple[int, list[str]]] = {}
        for id, sessions, word in self._catalog.rows(query, values):
            chosen_problems.setdefault(id, (sessions, []))[1].append(word)
        return chosen_problems

    def unread(self, repo: str | None, before: float) -> int:
        """How many sessions are over, having been quiet since `before`, and were not harvested yet."""
        clauses = [
            USED,
            "origin = 'main'",
            "(ending = 'closed' OR end IS NULL OR end <= ?)",
            "key NOT IN (SELECT key FROM mined)",
        ]
        values: list[Any] = [before]
        if repo is not None:
            clauses.append(_IN_REPOSITORY)
            values.append(repo)
        query = f"SELECT count(*) FROM {PLACED} WHERE {' AND '.join(clauses)}"
        return int(self._catalog.rows(query, values)[0][0])

    def named(self, name: str) -> list[Problem]:
        """Those that are called so, or were before they grew together with others; else those whose names begin so."""
        query = (
            "SELECT DISTINCT problems.id, problems.problem FROM problem_labels JOIN problems ON n = problem_labels.problem "
            f"WHERE problem_labels.kind = '{NAME}' AND word {{}} ORDER BY {_DEAREST} LIMIT 6"
        )
        if not name or "\0" in name:
            return []
        rows = self._catalog.rows(query.format("= ?"), [name])
        rows = rows or self._catalog.rows(
            query.format(">= ? AND word < ?"), [name, name + "\U0010ffff"]
        )
        return [_problem.decode(body) for _, body in rows]

    def of_ids(self, ids: Sequence[str]) -> list[Problem]:
        """In the order of the ids."""
        query = "SELECT id, problem FROM problems WHERE id IN ({})"
        bodies: dict[str, bytes] = {}
        for piece in pieces(ids):
            marks = ", ".join("?" * len(piece))
            bodies |= dict(self._catalog.rows(query.format(marks), piece))
        return [_problem.decode(bodies[id]) for id in ids if id in bodies]

    def of_session(self, session: str) -> list[Problem]:
        """Those that a session met, by its id, the dearest first."""
        query = (
            "SELECT DISTINCT problems.id, problems.problem FROM sessions s JOIN problem_sessions USING (key) "
            f"JOIN problems ON n = problem_sessions.problem WHERE s.id = ? ORDER BY {_DEAREST}"
        )
        return [
            _problem.decode(body) for _, body in self._catalog.rows(query, [session])
        ]

    def with_events(self, problems: Sequence[Problem]) -> list[Problem]:
        query = "SELECT id, events FROM problems JOIN problem_events e ON e.problem = n WHERE id IN ({})"
        events: dict[str, tuple[Event, ...]] = {}
        for piece in pieces([each.id for each in problems]):
            marks = ", ".join("?" * len(piece))
            for id, body in self._catalog.rows(query.format(marks), piece):
                events[id] = _events.decode(zlib.decompress(body))
        return [replace(each, events=events.get(each.id, ())) for each in problems]

    # Lessons about them

    def known_by(self, ids: Collection[str]) -> dict[str, KnownBy]:
        """By what items find these problems."""
        query = (
            "SELECT id, repo, key, problem_labels.kind, word FROM problems "
            "JOIN problem_labels ON problem_labels.problem = n WHERE id IN ({})"
        )
        heads: dict[str, tuple[str, str]] = {}
        labels: dict[tuple[str, str], list[str]] = defaultdict(list)
        for piece in pieces(sorted(ids)):
            marks = ", ".join("?" * len(piece))
            for id, repo, key, kind, word in self._catalog.rows(
                query.format(marks), piece
            ):
                heads[id] = (repo, key)
                labels[id, kind].append(word)
        return {
            id: KnownBy(*head, tuple(labels[id, NAME]), tuple(labels[id, FINGERPRINT]))
            for id, head in heads.items()
        }

    def labelled(self, words: Mapping[str, Iterable[str]]) -> set[str]:
        """The ids of problems that have one of these labels, by kind."""
        query = "SELECT id FROM problem_labels l JOIN problems ON n = l.problem WHERE l.kind = ? AND word IN ({})"
        ids: set[str] = set()
        for kind, texts in words.items():
            for piece in pieces(sorted(set(texts))):
                marks = ", ".join("?" * len(piece))
                rows = self._catalog.rows(query.format(marks), [kind, *piece])
                ids.update(id for (id,) in rows)
        return ids

    def taught(self) -> dict[str, int]:
        """The problems that have a lesson, and which kind."""
        query = f"SELECT id, taught FROM problems WHERE taught > {UNTAUGHT}"
        return dict(self._catalog.rows(query))

    def note_lessons(self, taught: Mapping[str, int], made_anew: Iterable[str]) -> None:
        """What lessons there are now; repositories of the second are made anew, since it matters to whom they offer
        their problems."""
        with self._catalog.writing() as db:
            db.executemany(
                "UPDATE problems SET taught = ? WHERE id = ?",
                [(state, id) for id, state in taught.items()],
            )
            db.executemany(
                "DELETE FROM problem_repos WHERE repo IN (SELECT repo FROM problems WHERE id = ?)",
                [(id,) for id in made_anew],
            )


def _conditions(chosen: ProblemFilter) -> tuple[str, list[Any]]:
    clauses: list[str] = ["problems.sessions >= ?"]
    values: list[Any] = [chosen.least]
    if chosen.repo is not None:
        clauses.append(_IN_REPOSITORY)
        values.append(chosen.repo)
    if chosen.since is not None:
        clauses.append("last >= ?")
        values.append(chosen.since)
    if chosen.kind:
        clauses.append("problems.kind = ?")
        values.append(chosen.kind)
    if chosen.lesson:
        clauses.append(_LESSON[chosen.lesson])
    return " AND ".join(clauses), values
