"""The knowledge store as a person looks through it: a page of items in some order, and how many there are of each kind.

One index (`items_facets`) has all that items are told apart and ordered by, so neither reads the items themselves. Counts
are kept in the process until the store changes: a page that is looked at again, or turned, counts nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Unpack

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
# What items are told apart by. `risky` is a yes or a no: what exactly is risky is a sentence.
COLUMNS = ("status", "category", "repo", "agent", "trust", "miner")
RISKY = "risky"
FACETS = (*COLUMNS, RISKY)
INDEX = "items_facets"
MAX_CACHED_COUNTS = 200  # filters of a few readers; each is a few hundred numbers

_cached_counts: dict[tuple[object, ...], FacetCounts] = {}
_cached_kinds: dict[tuple[str, str], tuple[str, list[Kind]]] = {}


class Kind(NamedTuple):
    """Items that are alike in all columns: how many there are, and how many of them are risky."""

    values: tuple[str, ...]
    items: int
    risky: int


class FacetCounts(Struct, frozen=True):
    """How many items fit, and by facet how many there would be of each value were that facet left open."""

    total: int
    by_facet: dict[str, dict[str, int]]


class KnowledgePages(Knowledge):
    """An open store, to be looked through."""

    def __enter__(self) -> KnowledgePages:
        return self

    @property
    def _facets(self) -> str:
        """The items, by the index. SQLite has to be told; a hub's database knows by itself."""
        is_file = isinstance(self.place, Path)
        return f"items INDEXED BY {INDEX}" if is_file else "items"

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
            f"SELECT {columns} FROM (SELECT n AS chosen FROM {self._facets} WHERE {where} "
            f"ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?) AS page JOIN items ON n = chosen "
            f"ORDER BY {ORDERS[order]}"
        )
        return list(map(item_of, self.rows(query, [*values, limit, offset])))

    def facets(self, **filters: str | bool | None) -> FacetCounts:
        """Filters by facet; None is any."""
        chosen = {name: value for name, value in filters.items() if value is not None}
        key = (*self._state(), *sorted(chosen.items()))
        if key not in _cached_counts:
            if len(_cached_counts) >= MAX_CACHED_COUNTS:
                _cached_counts.clear()
            _cached_counts[key] = counted(self._kinds(), chosen)
        return _cached_counts[key]

    def _kinds(self) -> list[Kind]:
        identity, view, change = self._state()
        counted_at, kinds = _cached_kinds.get((identity, view), ("", []))
        if counted_at == change:
            return kinds
        columns = ", ".join(COLUMNS)
        query = (
            f"SELECT {columns}, count(*), sum(CASE WHEN risk <> '' THEN 1 ELSE 0 END) "
            f"FROM {self._facets} GROUP BY {columns}"
        )
        kinds = [Kind(row[:-2], row[-2], row[-1]) for row in self.rows(query)]
        if len(_cached_kinds) >= MAX_CACHED_COUNTS:
            _cached_kinds.clear()
        _cached_kinds[identity, view] = (change, kinds)
        return kinds

    def _state(self) -> tuple[str, str, str]:
        """What counts depend on: the store, what of it whoever asks may see, and its last change."""
        return self.identity, self.view(), self.fact("change")


def counted(kinds: Iterable[Kind], chosen: Mapping[str, str | bool]) -> FacetCounts:
    """For each facet how many there are of its values, were it left open; and how many fit in all."""
    by_facet: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    total = 0
    is_risky = chosen.get(RISKY)
    for kind in kinds:
        differing = [
            name
            for name, value in zip(COLUMNS, kind.values, strict=True)
            if chosen.get(name, value) != value
        ]
        if len(differing) > 1:
            continue
        fitting = _of_risk(kind, is_risky)
        for name, value in zip(COLUMNS, kind.values, strict=True):
            if fitting and differing in ([], [name]):
                by_facet[name][value] += fitting
        if not differing:
            total += fitting
            by_facet[RISKY]["yes"] += kind.risky
            by_facet[RISKY]["no"] += kind.items - kind.risky
    return FacetCounts(total, {name: _listed(by_facet[name]) for name in FACETS})


def _of_risk(kind: Kind, is_risky: str | bool | None) -> int:
    if is_risky is None:
        return kind.items
    return kind.risky if is_risky else kind.items - kind.risky


def _listed(counts: Counter[str]) -> dict[str, int]:
    """Most first."""
    pairs = [(value, times) for value, times in counts.items() if times]
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))
