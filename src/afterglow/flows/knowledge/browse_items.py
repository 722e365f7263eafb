"""browse: what is kept, a page at a time: by words or in some order, narrowed by what items are told apart by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict

from afterglow.config import Config
from afterglow.flows.told_knowledge import told_place
from afterglow.records.knowledge import STATUSES, KnowledgeItem
from afterglow.store.knowledge_pages import (
    FACETS,
    FacetCounts,
    ItemOrder,
    KnowledgePages,
)
from afterglow.store.search import Wanted

PAGE_ITEMS = 40  # two screens: more is what filters are for
MAX_MATCHES = 200  # of a search, the best: who needs more adds a word
MAX_PAGES = (
    250  # 10,000 items: nobody turns so many, and further ones take long to reach
)


class ItemFilter(Struct, frozen=True, kw_only=True):
    """Which items; None is any, an empty `repo` or `agent` is what holds everywhere."""

    words: str = ""
    status: str | None = None
    category: str | None = None
    repo: str | None = None
    agent: str | None = None
    trust: str | None = None
    miner: str | None = None
    risky: bool | None = None


ANY_ITEM = ItemFilter()


class ItemsPage(Struct, frozen=True, kw_only=True):
    """A page of items, how many fit in all, and how many there would be of each value of each facet. Of a search the
    best matches are looked at, `is_cut` where there are more."""

    items: tuple[KnowledgeItem, ...] = ()
    total: int = 0
    facets: dict[str, dict[str, int]] = {}
    page: int = 1
    pages: int = 1
    is_cut: bool = False


def browse(
    config: Config,
    chosen: ItemFilter = ANY_ITEM,
    *,
    order: ItemOrder = "strongest",
    page: int = 1,
    size: int = PAGE_ITEMS,
) -> ItemsPage:
    """Nothing is made where there is nothing yet."""
    if not config.knowledge.exists():
        return ItemsPage()
    page = max(1, min(page, MAX_PAGES))
    with KnowledgePages(told_place(config)) as knowledge:
        if chosen.words.strip():
            return _matches(knowledge, chosen, page, size)
        filters = _filters(chosen)
        counts = knowledge.facets(**{name: getattr(chosen, name) for name in FACETS})
        items = knowledge.page(
            order=order, limit=size, offset=(page - 1) * size, **filters
        )
    return _page(items, counts, page, size)


def _matches(
    knowledge: KnowledgePages, chosen: ItemFilter, page: int, size: int
) -> ItemsPage:
    """The best matches, counted and turned here: an index of words knows no totals."""
    any_status = Wanted(status=STATUSES)
    hits = knowledge.search(chosen.words, limit=MAX_MATCHES, **any_status)
    matches = [hit.item for hit in hits]
    fitting = [item for item in matches if _fits(item, chosen)]
    if len(matches) == MAX_MATCHES:
        # Many speak of it: those that fit are asked for, so that none is missed behind better matches of other kinds.
        filters = any_status | _filters(chosen)
        hits = knowledge.search(chosen.words, limit=MAX_MATCHES, **filters)
        fitting = [hit.item for hit in hits]
    counts = FacetCounts(len(fitting), _facets_of(matches, chosen))
    first = (page - 1) * size
    listed = _page(fitting[first : first + size], counts, page, size)
    is_cut = len(matches) == MAX_MATCHES
    return ItemsPage(**{**asdict(listed), "is_cut": is_cut})


def _page(
    items: Sequence[KnowledgeItem], counts: FacetCounts, page: int, size: int
) -> ItemsPage:
    return ItemsPage(
        items=tuple(items),
        total=counts.total,
        facets=counts.by_facet,
        page=page,
        pages=min(max(1, -(-counts.total // size)), MAX_PAGES),
    )


def _filters(chosen: ItemFilter) -> Wanted:
    values = asdict(chosen) | {"words": None}
    values["status"] = (chosen.status,) if chosen.status else None
    filters = Wanted()
    for name, value in values.items():
        if value is not None:
            filters[name] = value  # type: ignore[literal-required]
    return filters


def _fits(item: KnowledgeItem, chosen: ItemFilter, without: str = "") -> bool:
    wishes = {name: getattr(chosen, name) for name in FACETS if name != without}
    return all(
        wish is None or _value(item, name) == _text(wish)
        for name, wish in wishes.items()
    )


def _facets_of(
    items: Sequence[KnowledgeItem], chosen: ItemFilter
) -> dict[str, dict[str, int]]:
    counts = {}
    for name in FACETS:
        fitting = [item for item in items if _fits(item, chosen, without=name)]
        counts[name] = dict(
            Counter(_value(item, name) for item in fitting).most_common()
        )
    return counts


def _value(item: KnowledgeItem, facet: str) -> str:
    return _text(bool(item.risk)) if facet == "risky" else str(getattr(item, facet))


def _text(wish: str | bool) -> str:
    return ("no", "yes")[wish] if isinstance(wish, bool) else wish
