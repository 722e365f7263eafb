"""What waits for a person, worth most first: SQL orders by a column with an index, so that a page reads only its rows."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem, Status
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import FIELDS, item_of, storable_text

_ITEM = ", ".join(f'"{name}"' for name in FIELDS)


class WaitingFilter(Struct, frozen=True):
    """Which of them; what is empty does not matter. `session` is one they have evidence in."""

    status: Status = "candidate"
    repo: str = ""
    agent: str = ""
    miner: str = ""
    session: str = ""


def waiting_items(
    knowledge: Knowledge,
    chosen: WaitingFilter,
    *,
    after: tuple[float, str] | None = None,
    limit: int,
) -> list[tuple[float, KnowledgeItem]]:
    """With what they are worth; those behind `after`, the worth and id of the last one of a page."""
    where, values = _conditions(chosen)
    if after is not None:
        where += " AND (worth < ? OR (worth = ? AND id > ?))"
        values += [after[0], after[0], after[1]]
    query = f"SELECT worth, {_ITEM} FROM items WHERE {where} ORDER BY worth DESC, id LIMIT ?"
    rows = knowledge.rows(query, [*values, limit])
    return [(worth, item_of(row)) for worth, *row in rows]


def count_waiting(knowledge: Knowledge, chosen: WaitingFilter) -> int:
    where, values = _conditions(chosen)
    rows = knowledge.rows(f"SELECT count(*) FROM items WHERE {where}", values)
    return int(rows[0][0])


def waiting_by(
    knowledge: Knowledge, column: str, chosen: WaitingFilter
) -> dict[str, int]:
    """How many wait, by `repo` or `miner`, most first."""
    where, values = _conditions(chosen)
    query = f"SELECT {column}, count(*) FROM items WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"
    return dict(knowledge.rows(query, values))


def _conditions(chosen: WaitingFilter) -> tuple[str, list[Any]]:
    clauses = ["status = ?"]
    values: list[Any] = [chosen.status]
    for name in ("repo", "agent", "miner"):
        if value := getattr(chosen, name):
            clauses.append(f"{name} = ?")
            values.append(storable_text(value))
    if chosen.session:
        clauses.append("n IN (SELECT item FROM evidence WHERE session = ?)")
        values.append(storable_text(chosen.session))
    return " AND ".join(clauses), values
