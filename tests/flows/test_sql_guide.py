"""The queries of docs/sql.md run on the stores as they are."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from afterglow.store.ledger import Ledger
from web.desk import small_home

GUIDE = Path(__file__).parents[2] / "docs" / "sql.md"
QUERIES = re.findall(r"```sql\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_the_guide_runs(tmp_path, query):
    config = small_home(tmp_path)
    with Ledger(config.ledger):
        pass
    address = f"file:{config.knowledge}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as db:
        for name, path in (("catalog", config.catalog), ("ledger", config.ledger)):
            db.execute(f"ATTACH 'file:{path}?mode=ro' AS {name}")
        rows = db.execute(query).fetchall()
    no_decision = "history" in query or "evidence" in query
    assert rows or no_decision
