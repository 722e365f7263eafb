"""The account of what models cost: days, many processes, a killed one, a file that is something else."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest

from afterglow.errors import StoreError
from afterglow.llm import Caps
from afterglow.records.model import TokenUsage
from afterglow.store.spending import Spending

NOON = 1_795_003_200.0  # 2026-11-18 12:00 UTC
DAY = 86400.0


def entered(
    account: Spending, tokens: int = 10, cost: float | None = 0.5, **caps
) -> int | None:
    return account.hold(tokens, cost, Caps(**caps), model="m", purpose="test")


def test_what_is_held_counts_at_its_most_until_it_is_booked(tmp_path):
    account = Spending(tmp_path / "spending.db", clock=lambda: NOON)
    ticket = entered(account, 900, max_tokens_day=1000)
    assert entered(account, 200, max_tokens_day=1000) is None
    account.book(ticket, TokenUsage(50, 20), 0.25)
    assert entered(account, 200, max_tokens_day=1000)
    (day,) = account.days()
    assert (day.day, day.requests, day.held, day.tokens, day.cost) == (
        "2026-11-18",
        2,
        1,
        270,
        0.75,
    )


def test_what_cost_nothing_leaves_no_trace(tmp_path):
    account = Spending(tmp_path / "spending.db", clock=lambda: NOON)
    account.drop(entered(account))
    assert account.days() == []


def test_a_new_day_starts_at_midnight_utc(tmp_path):
    now = [NOON + DAY / 2 - 1]
    account = Spending(tmp_path / "spending.db", clock=lambda: now[0])
    assert entered(account, cost=1.0, max_cost_day=1.0)
    assert entered(account, cost=0.1, max_cost_day=1.0) is None
    now[0] += 1
    assert entered(account, cost=0.1, max_cost_day=1.0)
    assert [day.day for day in account.days()] == ["2026-11-18", "2026-11-19"]
    assert [day.day for day in account.days("2026-11-19")] == ["2026-11-19"]


def test_what_has_no_price_is_said_to_have_none(tmp_path):
    account = Spending(tmp_path / "spending.db")
    account.book(entered(account, cost=None), TokenUsage(1, 1, estimated=True), None)
    (day,) = account.days()
    assert (day.cost, day.unpriced, day.estimated) == (0.0, 1, 1)


def test_nothing_is_made_by_looking(tmp_path):
    assert (
        Spending(tmp_path / "spending.db").days() == []
        and list(tmp_path.iterdir()) == []
    )


def test_processes_at_once_do_not_exceed_the_cap_together(tmp_path):
    script = """
import sys
from pathlib import Path
from afterglow.llm import Caps
from afterglow.store.spending import Spending

account = Spending(Path(sys.argv[1]))
held = [account.hold(10, 0.1, Caps(max_tokens_day=500), model="m", purpose="test") for _ in range(30)]
print(sum(ticket is not None for ticket in held))
"""
    path = str(tmp_path / "spending.db")
    runs = [
        subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert sum(int(run.communicate()[0]) for run in runs) == 50
    assert Spending(tmp_path / "spending.db").days()[0].tokens == 500


def test_another_database_is_not_taken_for_it(tmp_path):
    path = tmp_path / "spending.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE other (a)")
    db.close()
    with pytest.raises(StoreError, match="not an account of models"):
        entered(Spending(path))


def test_one_of_a_newer_afterglow_is_left_alone(tmp_path):
    path = tmp_path / "spending.db"
    entered(Spending(path))
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    with pytest.raises(StoreError, match="newer afterglow"):
        entered(Spending(path))
