"""What a knowledge store answers with, besides items: how well an item fits a question, and how much there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge_rows import item_of

GROUPS = (
    "status",
    "category",
    "repo",
    "miner",
    "trust",
)  # columns items are counted by


class Hit(Struct, frozen=True):
    """An item that was found; a higher score is a better match, between answers to one question only."""

    item: KnowledgeItem
    score: float


class Counts(Struct, frozen=True):
    """How much there is, and of what."""

    items: int
    evidence: int
    buried: int
    status: dict[str, int]
    category: dict[str, int]
    repo: dict[str, int]
    miner: dict[str, int]
    trust: dict[str, int]


def hits_of(rows: Iterable[tuple[Any, ...]]) -> list[Hit]:
    return [Hit(item_of(row), row[-1]) for row in rows]


def counts_of(rows: Callable[[str], list[Any]]) -> Counts:
    """`rows` answers a query of the store, which looks through the items once."""
    columns = ", ".join(GROUPS)
    kinds = rows(f"SELECT {columns}, count(*) FROM items GROUP BY {columns}")

    def by(place: int) -> dict[str, int]:
        counter: Counter[str] = Counter()
        for kind in kinds:
            counter[kind[place]] += kind[-1]
        return dict(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))

    def total(table: str) -> int:
        return int(rows(f"SELECT count(*) FROM {table}")[0][0])

    return Counts(
        sum(kind[-1] for kind in kinds),
        total("evidence"),
        total("tombstones"),
        *map(by, range(len(GROUPS))),
    )
