"""The ledger: every context that was given out, whether a transcript proves it arrived, and what became of its items;
and how sessions went that got one, where somebody said so.

It is precious: a transcript may be gone tomorrow, and what it proved stands in no other place. Many processes may write
(hooks of sessions that start at once, a scan that settles); each write is one short transaction, and what was committed
survives a crash. What items said is kept once, however often they are given out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from afterglow.errors import NotFound
from afterglow.records.delivery import (
    Delivery,
    Followed,
    Given,
    Reported,
    UnredactedView,
    Verdict,
)
from afterglow.store.databases import Database, Migration, decision, transaction
from afterglow.store.erasing import overwrite_deleted
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.ledger_schema import APPLICATION, MIGRATIONS
from afterglow.store.open_store import Place, open_store, store_trouble
from afterglow.store.sql_limits import pieces

DELIVERY_COLUMNS = tuple(Delivery.__struct_fields__)
_QUOTED = ", ".join(f'"{name}"' for name in DELIVERY_COLUMNS)  # `when` is a word of SQL
_SELECT = f"SELECT {_QUOTED} FROM deliveries"
_INSERT = (
    f"INSERT INTO deliveries ({_QUOTED}) VALUES ({', '.join('?' * len(DELIVERY_COLUMNS))}) "
    "ON CONFLICT DO NOTHING"
)
_REPORT = Reported.__struct_fields__
_Words = tuple[str, str, tuple[str, ...]]  # situation, remedy, fingerprints
_Row = tuple[
    str, float, bool | None, bool | None, bool | None, bool | None, str
]  # Given, with the mark of its words
_rows = msgspec.json.Decoder(tuple[_Row, ...])
_words = msgspec.json.Decoder(_Words)
_topics = msgspec.json.Decoder(tuple[str, ...])
_followed = msgspec.json.Decoder(Followed | None)


class Ledger:
    """An open ledger. Use as a context manager. `patience` is how many seconds a write waits for another's."""

    def __init__(
        self,
        place: Place,
        migrations: Sequence[Migration] = MIGRATIONS,
        *,
        patience: float = 30.0,
    ) -> None:
        self.place = place
        self._known: dict[str, _Words] = {}
        with self._trouble():
            self._db = open_store(
                place, "a ledger", APPLICATION, migrations, patience=patience
            )

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def _trouble(self) -> AbstractContextManager[None]:
        return store_trouble(self.place)

    @contextmanager
    def _writing(self) -> Iterator[Database]:
        """One transaction: all of it or nothing."""
        with self._trouble(), transaction(self._db):
            yield self._db

    def add(self, delivery: Delivery) -> bool:
        """Keeps a delivery; one that is kept already stays as it is. Whether it was new."""
        texts = {_mark(item): _said(item) for item in delivery.items}
        with self._writing() as db:
            new = db.execute(_INSERT, delivery_row(delivery)).rowcount
            if new:
                db.executemany(
                    "INSERT INTO said (mark, words) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    texts.items(),
                )
        return bool(new)

    def deliveries(
        self, since: float | None = None, repo: str | None = None
    ) -> list[Delivery]:
        """In time order."""
        conditions = [("time >= ?", since), ("repo = ?", repo)]
        clauses = [clause for clause, value in conditions if value is not None] or [
            "TRUE"
        ]
        return self._read(
            " AND ".join(clauses),
            [value for _, value in conditions if value is not None],
        )

    def led_by(self, prefix: str) -> list[Delivery]:
        """Those whose first item has an id that starts with `prefix`, in time order."""
        start = f'[["{prefix}'
        after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        return self._read(
            "id IN (SELECT delivery FROM delivered_items WHERE item >= ? AND item < ?) "
            "AND substr(items, 1, ?) = ?",
            [prefix, after, len(start), start],
        )

    def handed_to(self, session: str, since: float) -> list[Delivery]:
        """Those that went to a session, as its agent told or its transcript proves, in time order."""
        return self._read(
            "session = ? AND session <> '' AND time >= ?",
            [storable_text(session), since],
        )

    def open_deliveries(self) -> list[Delivery]:
        """Those that no transcript has shown yet, and that are not given up."""
        return self._read("state = 'waiting'")

    def judge(
        self,
        delivery: str,
        session: str,
        verdicts: Iterable[Verdict],
        *,
        started: float | None = None,
        turn: int | None = None,
        followed: Followed | None = None,
    ) -> bool:
        """A session's transcript holds the context. One session proves a delivery: the first to start, for a fork has
        its text too; that one may be judged again when it went on. Whether the verdicts were taken."""
        judged = {verdict.item: verdict for verdict in verdicts}
        with self._writing() as db:
            stored = self._read("id = ?", [delivery])
            if not stored:
                raise NotFound(f"no delivery {delivery!r} in {self.place}")
            (before,) = stored
            if (
                before.state == "delivered"
                and session != before.session
                and not _earlier(started, before.started)
            ):
                return False
            items = [
                _judged(item, judged.get(item.item, Verdict(item.item)))
                for item in before.items
            ]
            values = {
                "session": session,
                "started": started,
                "turn": turn,
                "followed": followed,
                "items": items,
            }
            changes = ", ".join(f"{column} = ?" for column in values)
            row = [_storable(column, value) for column, value in values.items()]
            db.execute(
                f"UPDATE deliveries SET state = 'delivered', {changes} WHERE id = ?",
                [*row, delivery],
            )
        return True

    def report(self, report: Reported) -> bool:
        """Keeps how a session went; a second report takes the place of the first. Whether it was the first."""
        values = [getattr(report, name) for name in _REPORT]
        row = [
            storable_text(value) if isinstance(value, str) else value
            for value in values
        ]
        with self._trouble(), decision(self._db):
            db = self._db
            if not db.execute(
                "SELECT 1 FROM deliveries WHERE id = ?", [row[0]]
            ).fetchone():
                raise NotFound(f"no delivery {report.delivery!r} in {self.place}")
            first = not db.execute(
                "SELECT 1 FROM reports WHERE delivery = ?", [row[0]]
            ).fetchone()
            db.execute("DELETE FROM reports WHERE delivery = ?", [row[0]])
            columns = ", ".join(_REPORT)
            db.execute(
                f"INSERT INTO reports ({columns}) VALUES ({', '.join('?' * len(row))})",
                row,
            )
        return first

    def reports(self, since: float | None = None) -> list[Reported]:
        """How sessions went, in time order."""
        query = f"SELECT {', '.join(_REPORT)} FROM reports WHERE time >= ? ORDER BY time, delivery"
        with self._trouble():
            rows = self._db.execute(
                query, [since if since is not None else float("-inf")]
            ).fetchall()
        return [Reported(**dict(zip(_REPORT, row, strict=True))) for row in rows]

    def note_view(self, view: UnredactedView) -> None:
        """Somebody is shown lines of a session as they stand. Raises `StoreError` where that cannot be kept."""
        row = (storable_text(view.session), view.time, storable_text(view.by))
        with self._trouble(), decision(self._db):
            self._db.execute(
                'INSERT INTO unredacted_views (session, time, "by", first, last) '
                "VALUES (?, ?, ?, ?, ?)",
                (*row, view.first, view.last),
            )

    def views(self, session: str = "", *, limit: int = 100) -> list[UnredactedView]:
        """What somebody was shown as it stands, of one session or of all, the last first."""
        query = (
            'SELECT session, time, "by", first, last FROM unredacted_views '
            "WHERE ? IN ('', session) ORDER BY time DESC LIMIT ?"
        )
        with self._trouble():
            rows = self._db.execute(query, [storable_text(session), limit]).fetchall()
        return [UnredactedView(*row) for row in rows]

    def give_up(self, before: float) -> int:
        """What is still waiting since then is no data; how many."""
        with self._writing() as db:
            query = "UPDATE deliveries SET state = 'no data' WHERE state = 'waiting' AND time < ?"
            return db.execute(query, [before]).rowcount

    def looked(self) -> dict[int, bytes]:
        """The sessions that were read, and what each looked like."""
        with self._trouble():
            return dict(self._db.execute('SELECT key, "check" FROM looked'))

    def look(self, sessions: Mapping[int, tuple[bytes, float]], forget: float) -> None:
        """These sessions were read: what they look like, and when they ended. Those that ended before `forget` are of
        no interest any more."""
        with self._writing() as db:
            db.executemany(
                "DELETE FROM looked WHERE key = ?", [(key,) for key in sessions]
            )
            db.executemany(
                'INSERT INTO looked (key, "check", "end") VALUES (?, ?, ?)',
                [(key, *session) for key, session in sessions.items()],
            )
            db.execute('DELETE FROM looked WHERE "end" < ?', [forget])

    def forget_sessions(self, sessions: Collection[str], keys: Iterable[int]) -> int:
        """Takes out what was given to sessions, and that they were looked at; how many contexts and hints."""
        with self._writing() as db:
            overwrite_deleted(db)
            db.executemany("DELETE FROM looked WHERE key = ?", [(key,) for key in keys])
            removed = 0
            for batch in pieces(sorted(map(storable_text, sessions))):
                chosen = f"session <> '' AND session IN ({', '.join('?' * len(batch))})"
                ids = f"SELECT id FROM deliveries WHERE {chosen}"
                db.execute(f"DELETE FROM reports WHERE delivery IN ({ids})", batch)
                query = f"DELETE FROM deliveries WHERE {chosen}"
                removed += db.execute(query, batch).rowcount
                query = f"DELETE FROM unredacted_views WHERE {chosen}"
                db.execute(query, batch)
        return removed

    def forget_words(self, items: Mapping[str, tuple[str, str] | None]) -> int:
        """Takes out what these items said, unless it is what they say now (situation and remedy), and words of no
        delivery any more; how many. Deliveries stay, without those words."""
        with self._writing() as db:
            overwrite_deleted(db)
            used: dict[str, set[str]] = {}
            for (packed,) in db.execute("SELECT items FROM deliveries"):
                for row in _rows.decode(packed):
                    used.setdefault(row[-1], set()).add(row[0])
            outdated = [
                (mark,)
                for mark, words in db.execute("SELECT mark, words FROM said")
                if _is_outdated(_words.decode(words), used.get(mark, set()), items)
            ]
            db.executemany("DELETE FROM said WHERE mark = ?", outdated)
        self._known.clear()
        return len(outdated)

    def _read(self, where: str, values: Sequence[Any] = ()) -> list[Delivery]:
        with self._trouble():
            rows = self._db.execute(
                f"{_SELECT} WHERE {where} ORDER BY time, id", values
            ).fetchall()
            return [self._delivery(row) for row in rows]

    def _delivery(self, row: Sequence[Any]) -> Delivery:
        values = dict(zip(DELIVERY_COLUMNS, row, strict=True))
        values["placebo"] = bool(values["placebo"])
        values["topics"] = _topics.decode(values["topics"])
        values["followed"] = _followed.decode(values["followed"])
        values["items"] = self._given(values["items"])
        return Delivery(**values)

    def _given(self, packed: str) -> tuple[Given, ...]:
        return tuple(
            [
                Given(item, confidence, used, met, mattered, failed, *self._words(mark))
                for item, confidence, used, met, mattered, failed, mark in _rows.decode(
                    packed
                )
            ]
        )

    def _words(self, mark: str) -> _Words:
        words = self._known.get(mark)
        if words is None:
            row = self._db.execute(
                "SELECT words FROM said WHERE mark = ?", [mark]
            ).fetchone()
            words = self._known[mark] = _words.decode(row[0]) if row else ("", "", ())
        return words


def _is_outdated(
    words: _Words, items: Collection[str], now: Mapping[str, tuple[str, str] | None]
) -> bool:
    """Whether no item that said so says it still."""
    return not any(id not in now or now[id] == words[:2] for id in items)


def _judged(item: Given, verdict: Verdict) -> Given:
    return replace(
        item,
        used=verdict.used,
        met=verdict.met,
        mattered=verdict.mattered,
        failed=verdict.failed,
    )


def delivery_row(delivery: Delivery) -> list[Any]:
    """In the order of `DELIVERY_COLUMNS`."""
    return [_storable(name, getattr(delivery, name)) for name in DELIVERY_COLUMNS]


def _storable(column: str, value: Any) -> Any:
    if column == "items":
        return _packed(value)
    if column in {"topics", "followed"}:
        return storable_text(msgspec.json.encode(value).decode())
    return storable_text(value) if isinstance(value, str) else value


def _earlier(first: float | None, second: float | None) -> bool:
    return first is not None and (second is None or first < second)


def _said(item: Given) -> str:
    return msgspec.json.encode(
        (item.situation, item.remedy, item.fingerprints)
    ).decode()


def _mark(item: Given) -> str:
    return blake2b(_said(item).encode(), digest_size=8).hexdigest()


def _packed(items: Iterable[Given]) -> str:
    rows = [
        (
            item.item,
            item.confidence,
            item.used,
            item.met,
            item.mattered,
            item.failed,
            _mark(item),
        )
        for item in items
    ]
    return msgspec.json.encode(rows).decode()
