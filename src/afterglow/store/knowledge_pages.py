"""The knowledge store as a person looks through it: a page of items in some order, and how many there are of each kind.

Counts are kept in the process until the store changes: a page that is looked at again, or turned, counts nothing.
"""

from __future__ import annotations

from typing import Literal, Unpack, cast

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import FIELDS, item_of
from afterglow.store.search import Wanted, conditions

ItemOrder = Literal["strongest", "latest", "changed", "sessions"]
# Each ends with the id, so that a page shows what the one before it did not.
ORDERS: dict[ItemOrder, str] = {
    "strongest": "confidence DESC, source_count DESC, id",
    "latest": "last_confirmed DESC, id",
    "changed": "change DESC, id",
    "sessions": "source_count DESC, confidence DESC, id",
}
# What items are told apart by, and how SQL says it. `risky` is a yes or a no: what exactly is risky is a sentence.
FACETS = {
    "status": "status",
    "category": "category",
    "repo": "repo",
    "agent": "agent",
    "trust": "trust",
    "miner": "miner",
    "risky": "risk <> ''",
}
MAX_CACHED_COUNTS = 200  # filters of a few readers; each is a few hundred numbers

_cached_counts: dict[tuple[object, ...], FacetCounts] = {}


class FacetCounts(Struct, frozen=True):
    """How many items fit, and by facet how many there would be of each value were that facet left open."""

    total: int
    by_facet: dict[str, dict[str, int]]


class KnowledgePages(Knowledge):
    """An open store, to be looked through."""

    def __enter__(self) -> KnowledgePages:
        return self

    def page(
        self,
        *,
        order: ItemOrder,
        limit: int,
        offset: int = 0,
        **filters: Unpack[Wanted],
    ) -> list[KnowledgeItem]:
        where, values = conditions(filters)
        columns = ", ".join(f'"{name}"' for name in FIELDS)
        query = (
            f"SELECT {columns} FROM (SELECT n AS chosen FROM items WHERE {where} "
            f"ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?) JOIN items ON n = chosen "
            f"ORDER BY {ORDERS[order]}"
        )
        return list(map(item_of, self.rows(query, [*values, limit, offset])))

    def facets(self, **filters: Unpack[Wanted]) -> FacetCounts:
        pairs = tuple(sorted((name, _key(value)) for name, value in filters.items()))
        key = (self.identity, self.fact("change"), pairs)
        if key not in _cached_counts:
            if len(_cached_counts) >= MAX_CACHED_COUNTS:
                _cached_counts.clear()
            _cached_counts[key] = self._facets(filters)
        return _cached_counts[key]

    def _facets(self, filters: Wanted) -> FacetCounts:
        by_facet = {name: self._counted(name, filters) for name in FACETS}
        where, values = conditions(filters)
        total = self.rows(f"SELECT count(*) FROM items WHERE {where}", values)[0][0]
        return FacetCounts(total, by_facet)

    def _counted(self, facet: str, filters: Wanted) -> dict[str, int]:
        open_filters = {name: filters[name] for name in filters if name != facet}  # type: ignore[literal-required]
        where, values = conditions(cast(Wanted, open_filters))
        query = (
            f"SELECT {FACETS[facet]}, count(*) FROM items WHERE {where} "
            "GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        return {_value(value): times for value, times in self.rows(query, values)}


def _key(value: object) -> object:
    return tuple(sorted(value)) if isinstance(value, tuple | list | set) else value


def _value(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, int) else str(value)
