"""The list of sessions, narrowed and page by page, with what each was given, met and taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from afterglow.config import Config
from afterglow.records.catalog import Entry
from afterglow.records.session_list import ListedSession, SessionFilter, SessionList
from afterglow.store.catalog import Catalog
from afterglow.store.session_links import (
    deliveries_by_session,
    deliveries_to_sessions,
    items_by_session,
    teaching_sessions,
)
from afterglow.store.session_list import SessionIds, session_facets, sessions_page

PAGE_SIZE = 50  # sessions: two screens, far below what a page may weigh
NO_FILTER = SessionFilter()


def latest_sessions(config: Config, limit: int) -> tuple[ListedSession, ...]:
    """The last sessions, without counting what else there is."""
    with Catalog(config.catalog) as catalog:
        rows = sessions_page(catalog, NO_FILTER, SessionIds(), limit=limit, offset=0)
    ids = [entry.id for entry, _ in rows]
    deliveries = deliveries_to_sessions(config.ledger, ids)
    return _listed(rows, deliveries, items_by_session(config.knowledge, ids))


def _listed(
    rows: Sequence[tuple[Entry, int]],
    deliveries: Mapping[str, int],
    items: Mapping[str, int],
) -> tuple[ListedSession, ...]:
    return tuple(
        ListedSession(
            entry, hidden, deliveries.get(entry.id, 0), items.get(entry.id, 0)
        )
        for entry, hidden in rows
    )


def session_list(
    config: Config,
    filter: SessionFilter = NO_FILTER,
    *,
    page: int = 1,
    size: int = PAGE_SIZE,
) -> SessionList:
    """One page; a page behind the last is the last."""
    deliveries = deliveries_by_session(config.ledger)
    ids = SessionIds(list(deliveries), teaching_sessions(config.knowledge))
    with Catalog(config.catalog) as catalog:
        facets, total = session_facets(catalog, filter, ids)
        pages = max(-(-total // size), 1)
        page = min(max(page, 1), pages)
        offset = (page - 1) * size
        rows = sessions_page(catalog, filter, ids, limit=size, offset=offset)
    items = items_by_session(config.knowledge, [entry.id for entry, _ in rows])
    return SessionList(
        sessions=_listed(rows, deliveries, items),
        total=total,
        page=page,
        pages=pages,
        facets=facets,
    )
