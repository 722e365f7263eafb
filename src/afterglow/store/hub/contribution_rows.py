"""Contributions in a hub's database: taken in for a member, read for the merger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.errors import TokenRefused
from afterglow.records.contributions import ContributedRows, Contribution
from afterglow.store.databases import Database
from afterglow.store.hub.askers import UNKNOWN
from afterglow.store.sql_limits import pieces

Key = tuple[str, str]  # kind and key

_EACH = "json_array_elements(?::json) AS r"
_CONTRIBUTIONS = (
    "INSERT INTO contributions (org, person, machine, kind, key, repo, seq, mark, withdrawn) "
    "SELECT ?, ?, ?, r->>0, r->>1, r->>2, (r->>3)::bigint, r->>4, (r->>5)::integer "
    f"FROM {_EACH} ON CONFLICT (org, person, machine, kind, key) DO UPDATE SET repo = excluded.repo, "
    "seq = excluded.seq, mark = excluded.mark, withdrawn = excluded.withdrawn, time = excluded.time"
)
_FINDINGS = (
    "INSERT INTO findings (org, person, machine, kind, key, place, topic, repo, mark, body) "
    "SELECT ?, ?, ?, r->>0, r->>1, (r->>2)::integer, r->>3, r->>4, r->>5, r->>6 "
    f"FROM {_EACH}"
)


class Whose(Struct, frozen=True):
    """Whose rows: a machine of a person of an organisation."""

    org: int
    person: int
    machine: str


class TopicRow(Struct, frozen=True):
    """What a contribution says about a topic. `mark` is of the words that a decision approved."""

    topic: str
    body: str
    mark: str = ""


class StoredRow(Struct, frozen=True):
    """The same as it is kept, with who brought it."""

    topic: str
    person: int
    machine: str
    kind: str
    key: str
    repo: str
    body: str


@contextmanager
def contributing(db: Database, machine: str) -> Iterator[Whose]:
    """One transaction of a member's machine, apart from all others of that machine."""
    db.execute("BEGIN")
    try:
        org, person = db.execute("SELECT my_org(), me()").fetchone()
        if person is None:
            raise TokenRefused(UNKNOWN)
        if machine:
            db.execute(
                "INSERT INTO machines (machine) VALUES (?) ON CONFLICT (org, person, machine) "
                "DO UPDATE SET time = excluded.time",
                [machine],
            )
        yield Whose(org, person, machine)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def may_contribute(db: Database, repos: Iterable[str]) -> set[str]:
    """Those of some repositories that the member may contribute to; the hub knows them from now on."""
    allowed = {
        repo
        for repo in sorted(set(repos))
        if db.execute("SELECT may('contribute', ?)", [repo]).fetchone()[0]
    }
    db.executemany(
        "INSERT INTO repositories (name) VALUES (?) ON CONFLICT DO NOTHING",
        [(repo,) for repo in sorted(allowed) if repo],
    )
    return allowed


def latest_seqs(db: Database, whose: Whose, keys: Collection[Key]) -> dict[Key, int]:
    """The highest that each of the machine's rows has been sent with."""
    seqs: dict[Key, int] = {}
    for kind in sorted({kind for kind, _ in keys}):
        of_kind = sorted(key for each, key in keys if each == kind)
        for batch in pieces(of_kind):
            query = (
                "SELECT key, seq FROM contributions WHERE org = ? AND person = ? AND machine = ? AND kind = ? "
                f"AND key IN ({', '.join('?' * len(batch))})"
            )
            values = [whose.org, whose.person, whose.machine, kind, *batch]
            for key, seq in db.execute(query, values):
                seqs[kind, key] = seq
    return seqs


def replace_rows(
    db: Database,
    whose: Whose,
    rows: Sequence[tuple[Contribution, Sequence[TopicRow]]],
) -> None:
    """Puts contributions in the place of what their machine sent before under the same keys. All topics they had or have
    are to be merged."""
    listed = [
        (row.kind, row.key, row.repo, row.seq, row.mark, int(row.withdrawn))
        for row, _ in rows
    ]
    _insert(db, _CONTRIBUTIONS, whose, listed)
    topics = {topic.topic for _, says in rows for topic in says}
    by_kind: dict[str, list[str]] = defaultdict(list)
    for row, _ in rows:
        by_kind[row.kind].append(row.key)
    for kind, keys in by_kind.items():
        for batch in pieces(sorted(keys)):
            query = (
                "DELETE FROM findings WHERE org = ? AND person = ? AND machine = ? AND kind = ? "
                f"AND key IN ({', '.join('?' * len(batch))}) RETURNING topic"
            )
            values = [whose.org, whose.person, whose.machine, kind, *batch]
            topics |= {topic for (topic,) in db.execute(query, values)}
    listed_topics = [
        (row.kind, row.key, place, say.topic, row.repo, say.mark, say.body)
        for row, says in rows
        for place, say in enumerate(says)
    ]
    _insert(db, _FINDINGS, whose, listed_topics)
    make_pending(db, topics)


def _insert(
    db: Database, statement: str, whose: Whose, rows: Sequence[Sequence[Any]]
) -> None:
    """Many rows by one statement: who may write them is then asked once."""
    if rows:
        values = [whose.org, whose.person, whose.machine]
        db.execute(statement, [*values, msgspec.json.encode(rows).decode()])


def make_pending(db: Database, topics: Iterable[str]) -> None:
    """In the order of topics, so that no two requests wait for one another; a topic that the merger is at waits for it,
    and is looked at again."""
    listed = sorted(topics)
    if listed:
        encoded = msgspec.json.encode(listed).decode()
        db.execute("SELECT make_pending(?::json)", [encoded])


def standing_rows(
    db: Database, whose: Whose, kinds: Collection[str]
) -> list[Contribution]:
    """Those of some kinds that were not taken back, as they are to be."""
    where, values = _rows_of(whose)
    marks = ", ".join("?" * len(kinds))
    query = (
        f"SELECT kind, key, repo, seq FROM contributions WHERE {where} AND withdrawn = 0 "
        f"AND kind IN ({marks}) ORDER BY kind, key"
    )
    return [
        Contribution(kind, key, repo, seq, withdrawn=True)
        for kind, key, repo, seq in db.execute(query, [*values, *kinds])
    ]


def withdraw_rows(db: Database, whose: Whose) -> int:
    """All that a machine contributed, or every machine of a person where none is named; how many rows there were."""
    where, values = _rows_of(whose)
    query = f"DELETE FROM findings WHERE {where} RETURNING topic"
    topics = {topic for (topic,) in db.execute(query, values)}
    make_pending(db, topics)
    emptied = f"UPDATE contributions SET withdrawn = 1, mark = '' WHERE {where} AND withdrawn = 0"
    return int(db.execute(emptied, values).rowcount)


def _rows_of(whose: Whose) -> tuple[str, list[Any]]:
    where = "org = ? AND person = ?"
    if not whose.machine:
        return where, [whose.org, whose.person]
    return f"{where} AND machine = ?", [whose.org, whose.person, whose.machine]


def contributed_rows(db: Database) -> list[tuple[int, ContributedRows]]:
    """Of who asks, or of everybody for an admin: person and rows."""
    query = (
        'SELECT person, machine, kind, repo, "rows", withdrawn, last FROM contributed() '
        "ORDER BY person, last DESC, machine, kind, repo"
    )
    return [(row[0], ContributedRows(*row[1:])) for row in db.execute(query)]


def note_in_audit(db: Database, what: str, about: str) -> None:
    db.execute("INSERT INTO audit (what, about) VALUES (?, ?)", [what, about])


# The merger's side: `rows` answers a query of its open store.


def claim_topics(rows: Any, most: int) -> list[str]:
    """Topics to merge, taken from the list in the merger's own transaction: they are back in it if that fails. One that
    somebody is sending about is left for later."""
    query = (
        "DELETE FROM pending WHERE (org, topic) IN (SELECT org, topic FROM pending WHERE org = my_org() "
        "ORDER BY topic LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING topic"
    )
    return [topic for (topic,) in rows(query, [most])]


def rows_of_topics(rows: Any, topics: Iterable[str]) -> Iterator[StoredRow]:
    """All that was contributed about topics. Of a session that several machines of a person sent, one is taken."""
    machines: dict[tuple[str, int, str, str], str] = {}
    for batch in pieces(sorted(set(topics))):
        query = (
            "SELECT topic, person, machine, kind, key, repo, body FROM findings WHERE org = my_org() "
            f"AND topic IN ({', '.join('?' * len(batch))}) ORDER BY topic, person, kind, key, machine, place"
        )
        for values in rows(query, batch):
            row = StoredRow(*values)
            same = (row.topic, row.person, row.kind, row.key)
            if machines.setdefault(same, row.machine) == row.machine:
                yield row


def names_of_people(rows: Any, people: Collection[int]) -> dict[int, str]:
    if not people:
        return {}
    marks = ", ".join("?" * len(people))
    query = f"SELECT id, name FROM people WHERE org = my_org() AND id IN ({marks})"
    return dict(rows(query, sorted(people)))


def person_reviews(rows: Any, person: int, repo: str) -> bool:
    return bool(rows("SELECT person_may(?, 'review', ?)", [person, repo])[0][0])
