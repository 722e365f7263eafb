"""PostgreSQL behind the calls that the stores use: marks, steps, who asks, words for what goes wrong."""

from __future__ import annotations

import pytest

from afterglow.errors import StoreError, Unreachable
from afterglow.records.hub import HubPlace
from afterglow.store.postgres.connection import (
    PostgresConnection,
    pooled,
    postgres_trouble,
    translated,
)

pytestmark = pytest.mark.slow
ASKS = "SELECT current_setting('afterglow.token', true), current_setting('afterglow.org', true)"


@pytest.fixture
def place(postgres_url: str) -> HubPlace:
    return HubPlace(postgres_url, token="t1", org=7)


def test_marks_are_those_of_psycopg():
    query = "SELECT '?' || ? WHERE a LIKE '5%' AND b % 2 = ?"
    assert translated(query) == "SELECT '?' || %s WHERE a LIKE '5%%' AND b %% 2 = %s"


def test_every_statement_says_who_asks_and_no_connection_remembers(place):
    with pooled(place.url, 1):
        first = PostgresConnection(place)
        assert first.execute(ASKS).fetchone() == ("t1", "7")
        first.execute("BEGIN")
        assert first.execute(ASKS).fetchone() == ("t1", "7")
        first.close()
        second = PostgresConnection(HubPlace(place.url))
        assert second.execute(ASKS).fetchone() == ("", "0")
        second.close()


def test_all_of_a_transaction_or_nothing(place):
    db = PostgresConnection(place)
    db.execute("CREATE TABLE public.t (n int, yes int)")
    db.execute("BEGIN")
    db.executemany("INSERT INTO public.t VALUES (?, ?)", [(1, True), (2, False)])
    assert db.in_transaction
    db.execute("ROLLBACK")
    assert db.execute("SELECT count(*) FROM public.t").fetchone() == (0,)
    db.executemany("INSERT INTO public.t VALUES (?, ?)", [(1, True)])
    rows = db.execute("SELECT * FROM public.t WHERE n = ?", [1])
    assert rows.fetchall() == [(1, 1)]
    assert db.execute("DELETE FROM public.t").rowcount == 1
    db.close()


def test_what_goes_wrong_is_said_without_values_or_passwords(place):
    db = PostgresConnection(place)
    with (
        pytest.raises(StoreError, match="nothing was changed"),
        postgres_trouble(place),
    ):
        db.execute("SELECT * FROM nowhere")
    db.close()
    with pytest.raises(Unreachable) as away:
        PostgresConnection(HubPlace("postgresql://ada:hush@127.0.0.1:1/team"))
    assert "hush" not in str(away.value)
    assert "127.0.0.1/team" in str(away.value)
    assert "hush" not in repr(HubPlace("host=x password=hush"))
