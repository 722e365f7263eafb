"""PostgreSQL as the stores use a database: the same statements, the same calls as of `sqlite3.Connection`.

Who asks is told to the database at the start of every transaction and forgotten by it at the end, so no connection
remembers anybody: row-level security decides by that what the statements see. A statement outside a transaction is one
of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from afterglow.errors import StoreError, Unreachable, Unsupported
from afterglow.records.hub import HubPlace

if TYPE_CHECKING:
    import psycopg
    from psycopg_pool import ConnectionPool

SCHEMA = "afterglow"
# A server that does not answer is away after that many seconds. A question is planned for its values each time: a plan
# for any repository would read a whole one where a few rows are asked for. Only what is run for many rows is prepared.
OPTIONS: dict[str, Any] = {
    "autocommit": True,
    "connect_timeout": 10,
    "prepare_threshold": None,
}
# One writer at a time in an organisation: numbers of changes then grow in the order of commits. A row, since everybody
# may take every advisory lock, also that of another organisation.
TURN = "SELECT org FROM afterglow.turns WHERE org = afterglow.my_org() FOR UPDATE"
IDENTITY = (
    "SELECT set_config('afterglow.token', %s, true), set_config('afterglow.org', %s, true), "
    f"set_config('lock_timeout', %s, true), set_config('search_path', '{SCHEMA}', true), "
    "set_config('jit', 'off', true)"  # it pays for questions that take seconds
)

_MARKS = re.compile(r"('(?:[^']|'')*')|\?|%")
_pools: dict[str, ConnectionPool[Any]] = {}


class Rows:
    """What a statement gave; nothing for one that gives nothing."""

    def __init__(self, rows: list[Any], rowcount: int) -> None:
        self._rows = iter(rows)
        self.rowcount = rowcount

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


class PostgresConnection:
    """An open connection on somebody's behalf. `patience` is how many seconds a write waits for another's."""

    def __init__(self, place: HubPlace, *, patience: float = 30.0) -> None:
        self._place = place
        self.patience = patience
        self._pool = _pools.get(place.url)
        self._db = _lent(self._pool, place.url) if self._pool else connected(place.url)

    @property
    def in_transaction(self) -> bool:
        return self._db.info.transaction_status.name != "IDLE"

    def close(self) -> None:
        """What is open is not kept."""
        if not self._db.closed and self.in_transaction:
            self._db.rollback()
        if self._pool:
            self._pool.putconn(self._db)
        else:
            self._db.close()

    def execute(self, query: str, values: Sequence[Any] = ()) -> Rows:
        if query.startswith("BEGIN"):
            self._begin(alone=query == "BEGIN IMMEDIATE")
            return Rows([], 0)
        if self.in_transaction:
            return self._run(query, values)
        with self._step():
            return self._run(query, values)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        values = [_values(row) for row in rows]
        if not values:
            return
        with self._step():
            self._db.prepare_threshold = 0
            try:
                self._db.cursor().executemany(translated(query), values)
            finally:
                self._db.prepare_threshold = None

    def _run(self, query: str, values: Sequence[Any]) -> Rows:
        # Without values psycopg does not look for marks, so nothing is translated for it.
        if values:
            cursor = self._db.execute(translated(query), _values(values))
        else:
            cursor = self._db.execute(query)
        rows = cursor.fetchall() if cursor.description else []
        return Rows(rows, cursor.rowcount)

    def _begin(self, alone: bool) -> None:
        place, began = self._place, False
        self._db.execute("BEGIN")
        try:
            wait = f"{max(int(self.patience * 1000), 1)}ms"  # 0 would wait for ever
            self._db.execute(IDENTITY, [place.token, str(place.org), wait])
            if alone:
                self._db.execute(TURN)
            began = True
        finally:
            if not began:
                self._db.rollback()

    @contextmanager
    def _step(self) -> Iterator[None]:
        """A transaction where there is none."""
        if self.in_transaction:
            yield
            return
        self._begin(alone=False)
        try:
            yield
            self._db.execute("COMMIT")
        finally:
            if self.in_transaction:
                self._db.execute("ROLLBACK")


@lru_cache(maxsize=1000)
def translated(query: str) -> str:
    """With the marks that psycopg knows; texts in quotes stay as they are, but for the percent sign."""
    return _MARKS.sub(_mark, query)


def _mark(match: re.Match[str]) -> str:
    text = match.group()
    return "%s" if text == "?" else text.replace("%", "%%")


def _values(row: Sequence[Any]) -> list[Any]:
    """Yes and no are numbers, as in SQLite."""
    return [int(value) if isinstance(value, bool) else value for value in row]


@contextmanager
def pooled(url: str, most: int) -> Iterator[None]:
    """Connections to that database are kept and shared meanwhile, `most` at once."""
    require_library()
    from psycopg_pool import ConnectionPool

    pool = ConnectionPool(
        url,
        min_size=1,
        max_size=most,
        kwargs=OPTIONS,
        open=False,
        timeout=OPTIONS["connect_timeout"],
        check=ConnectionPool.check_connection,  # one that a restart broke is not handed out
    )
    with _in_words(url):
        pool.open(wait=True, timeout=OPTIONS["connect_timeout"])
    _pools[url] = pool
    try:
        yield
    finally:
        del _pools[url]
        pool.close()


def _lent(pool: ConnectionPool[Any], url: str) -> psycopg.Connection[Any]:
    with _in_words(url):
        connection: psycopg.Connection[Any] = pool.getconn()
        return connection


def pool_numbers(url: str) -> dict[str, int]:
    """Connections of a pool, those that nobody uses, and requests that wait for one. Empty where there is none."""
    pool = _pools.get(url)
    if pool is None:
        return {}
    stats = pool.get_stats()
    names = ("pool_size", "pool_available", "requests_waiting")
    return {name: stats.get(name, 0) for name in names}


def connected(url: str) -> psycopg.Connection[Any]:
    """As the address says, on nobody's behalf."""
    require_library()
    import psycopg

    with _in_words(url):
        return psycopg.connect(url, **OPTIONS)


def require_library() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise Unsupported(
            "a hub needs psycopg: pip install 'afterglow-agents[postgres]'"
        ) from error


@contextmanager
def _in_words(url: str) -> Iterator[None]:
    """Opening a database. What the server says may repeat the address, so it is not passed on."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise Unreachable(
            f"the hub's database {HubPlace(url)} cannot be reached ({type(error).__name__}); "
            "see that it runs and that user and password are right"
        ) from error


@contextmanager
def postgres_trouble(place: HubPlace) -> Iterator[None]:
    """What PostgreSQL says, in words that help."""
    import psycopg

    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{place} does not allow this: {_message(error)}; nothing was changed"
        ) from error
    except psycopg.errors.LockNotAvailable as error:
        raise StoreError(
            f"{place}: another program is writing; try again; nothing was changed"
        ) from error
    except (psycopg.IntegrityError, psycopg.errors.RaiseException) as error:
        raise StoreError(
            f"{place} does not take this: {_message(error)}; nothing was changed"
        ) from error
    except psycopg.OperationalError as error:
        raise Unreachable(
            f"{place} is away ({type(error).__name__}); try again; nothing that was kept is lost"
        ) from error
    except psycopg.Error as error:
        raise StoreError(f"{place}: {_message(error)}; nothing was changed") from error


def _message(error: psycopg.Error) -> str:
    """The first line alone: the others quote values."""
    return error.diag.message_primary or type(error).__name__
