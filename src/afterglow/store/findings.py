"""What miners found in each session, and the topics not yet merged into knowledge.

It lives in the catalogue: everything here can be mined again. A topic stays pending until the items made of it are
committed, so a killed harvest goes on where it ended.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from afterglow.records.knowledge import Finding
from afterglow.store.catalog import Catalog
from afterglow.store.events import hidden_in
from afterglow.store.sql_limits import pieces

# session key, check, its findings by topic, its events packed
Mined = tuple[int, bytes, Sequence[tuple[str, bytes]], bytes]

STORE = "knowledge store"
STUMBLES = "sessions not mined"

_finding = msgspec.msgpack.Decoder(Finding)
_reasons = msgspec.json.Decoder(dict[str, str])
_pack = msgspec.msgpack.Encoder().encode


def packed(finding: Finding) -> tuple[str, bytes]:
    return finding.topic, _pack(finding)


def unpacked(mined: Iterable[Mined]) -> Iterator[Finding]:
    return (
        _finding.decode(body) for _, _, findings, _ in mined for _, body in findings
    )


def _present(db: sqlite3.Connection, keys: Sequence[int]) -> set[int]:
    query = "SELECT key FROM sessions WHERE key IN ({})"
    return {
        key
        for batch in pieces(keys)
        for (key,) in db.execute(query.format(", ".join("?" * len(batch))), batch)
    }


class Findings:
    """The findings of an open catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def checks(self) -> dict[int, bytes]:
        """What each mined session looked like when it was mined."""
        return dict(self._catalog.rows('SELECT key, "check" FROM mined'))

    def counts(self) -> dict[int, int]:
        """How many findings each session has, of those that have any."""
        query = "SELECT key, count(*) FROM findings GROUP BY key"
        return dict(self._catalog.rows(query))

    def save(self, mined: Iterable[Mined]) -> None:
        """Replaces the findings and events of some sessions. Every topic they had or have is to be merged anew. A
        session that was taken out of the catalogue while it was mined is left out."""
        every = list(mined)
        with self._catalog.writing() as db:
            present = _present(db, [key for key, *_ in every])
            rows = [row for row in every if row[0] in present]
            keys = [(key,) for key, *_ in rows]
            new = [
                (key, topic, finding)
                for key, _, findings, _ in rows
                for topic, finding in findings
            ]
            db.executemany(
                "INSERT OR IGNORE INTO pending SELECT DISTINCT topic FROM findings WHERE key = ?",
                keys,
            )
            db.executemany("DELETE FROM findings WHERE key = ?", keys)
            db.executemany("INSERT INTO findings VALUES (?, ?, ?)", new)
            db.executemany(
                "INSERT OR IGNORE INTO pending VALUES (?)",
                {(topic,) for _, topic, _ in new},
            )
            db.executemany(
                "INSERT OR REPLACE INTO events VALUES (?, ?, ?)",
                [(key, events, hidden_in(events)) for key, _, _, events in rows],
            )
            db.executemany(
                "INSERT OR REPLACE INTO mined VALUES (?, ?)",
                [(key, check) for key, check, *_ in rows],
            )

    def stumbles(self) -> dict[str, str]:
        """Why sessions could not be mined when that was last tried, by their keys."""
        return _reasons.decode(self._catalog.fact(STUMBLES) or "{}")

    def note_stumbles(
        self, tried: Collection[int], stumbles: Mapping[int, str]
    ) -> None:
        """Remembers which of the sessions that were tried could not be mined, until they can."""
        before = self.stumbles()
        after = {key: why for key, why in before.items() if int(key) not in tried}
        after |= {str(key): why for key, why in stumbles.items()}
        if after == before:
            return
        with self._catalog.writing() as db:
            value = msgspec.json.encode(after).decode()
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (STUMBLES, value))

    def merged_into(self) -> str:
        """The identity of the knowledge store the findings are merged into, and how they were told there."""
        return self._catalog.fact(STORE)

    def merge_all_again(self, store: str) -> None:
        """For another knowledge store than the one the findings were merged into, or other words."""
        with self._catalog.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO pending SELECT DISTINCT topic FROM findings"
            )
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (STORE, store))

    def pending(self, limit: int) -> list[str]:
        return [
            topic
            for (topic,) in self._catalog.rows(
                "SELECT topic FROM pending ORDER BY topic LIMIT ?", [limit]
            )
        ]

    def pending_among(self, topics: Collection[str]) -> set[str]:
        """Which of these topics are not merged into knowledge yet."""
        query = "SELECT topic FROM pending WHERE topic IN ({})"
        waiting: set[str] = set()
        for piece in pieces(sorted(topics)):
            rows = self._catalog.rows(query.format(", ".join("?" * len(piece))), piece)
            waiting.update(topic for (topic,) in rows)
        return waiting

    def done(self, topics: Iterable[str]) -> None:
        with self._catalog.writing() as db:
            db.executemany(
                "DELETE FROM pending WHERE topic = ?", [(topic,) for topic in topics]
            )

    def drop(self, topics: Collection[str]) -> None:
        """What was found about topics that a person deleted: it is not to be kept either."""
        if topics:
            with self._catalog.writing() as db:
                db.executemany(
                    "DELETE FROM findings WHERE topic = ?",
                    [(topic,) for topic in topics],
                )

    def of_topics(self, topics: Iterable[str]) -> dict[str, list[Finding]]:
        """All findings of some topics, oldest session first."""
        by_topic: dict[str, list[Finding]] = defaultdict(list)
        query = (
            "SELECT f.topic, f.finding FROM findings f JOIN sessions s USING (key) WHERE f.topic IN ({}) "
            "AND NOT s.copy ORDER BY coalesce(s.start, s.end, 0), f.rowid"
        )
        for piece in pieces(sorted(set(topics))):
            for topic, body in self._catalog.rows(
                query.format(", ".join("?" * len(piece))), piece
            ):
                by_topic[topic].append(_finding.decode(body))
        return dict(by_topic)

    def of_sessions(self, keys: Collection[int]) -> list[Finding]:
        """What was found in some sessions, by their keys."""
        query = "SELECT finding FROM findings WHERE key IN ({})"
        return [
            _finding.decode(body)
            for piece in pieces(sorted(keys))
            for (body,) in self._catalog.rows(
                query.format(", ".join("?" * len(piece))), piece
            )
        ]

    def by_session(self) -> dict[int, list[Finding]]:
        """Everything that was found, by the key of the session it was found in."""
        by_key: dict[int, list[Finding]] = defaultdict(list)
        for key, body in self._catalog.rows(
            "SELECT key, finding FROM findings ORDER BY rowid"
        ):
            by_key[key].append(_finding.decode(body))
        return by_key

    def mined_among(self, sessions: Collection[str]) -> set[str]:
        """Which of these sessions the catalogue has mined."""
        query = (
            "SELECT DISTINCT id FROM sessions JOIN mined USING (key) WHERE id IN ({})"
        )
        ids: set[str] = set()
        for piece in pieces(sorted(sessions)):
            rows = self._catalog.rows(query.format(", ".join("?" * len(piece))), piece)
            ids.update(id for (id,) in rows)
        return ids

    def newest(self) -> dict[str, float]:
        """When each repository was last worked in."""
        placed = "sessions JOIN places USING (place)"
        query = f"SELECT repo, max(coalesce(end, start)) FROM {placed} WHERE NOT empty GROUP BY 1"
        return {
            repo: time for repo, time in self._catalog.rows(query) if time is not None
        }

    def sessions(self) -> dict[str, int]:
        """How many sessions each repository has had."""
        placed = "sessions JOIN places USING (place)"
        query = f"SELECT repo, count(*) FROM {placed} WHERE NOT empty AND NOT copy AND origin = 'main' GROUP BY 1"
        return dict(self._catalog.rows(query))
