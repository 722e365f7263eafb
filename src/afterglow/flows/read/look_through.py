"""The list of sessions, narrowed and page by page, with what each was given, met and taught.

Counting is the dearest part of it, so counts are kept as long as the stores they were made from stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from afterglow.config import Config
from afterglow.records.catalog import Entry
from afterglow.records.session_list import (
    ListedSession,
    SessionFacets,
    SessionFilter,
    SessionList,
)
from afterglow.store.catalog import Catalog
from afterglow.store.file_stamps import Stamp, file_stamp
from afterglow.store.session_links import (
    deliveries_by_session,
    deliveries_to_sessions,
    items_by_session,
    teaching_sessions,
)
from afterglow.store.session_list import SessionIds, session_facets, sessions_page

PAGE_SIZE = 50  # sessions: two screens, far below what a page may weigh
KEPT_COUNTS = 32  # filters: what a person tries one after another
KEPT_STORES = 4  # homes that one process looks at
NO_FILTER = SessionFilter()


def session_list(
    config: Config,
    filter: SessionFilter = NO_FILTER,
    *,
    page: int = 1,
    size: int = PAGE_SIZE,
) -> SessionList:
    """One page; a page behind the last is the last."""
    facets, total = _counts(
        config.catalog, file_stamp(config.catalog), filter, *_links(config)
    )
    pages = max(-(-total // size), 1)
    page = min(max(page, 1), pages)
    with Catalog(config.catalog) as catalog:
        offset = (page - 1) * size
        ids = _session_ids(*_links(config))
        rows = sessions_page(catalog, filter, ids, limit=size, offset=offset)
    deliveries = _deliveries(config.ledger_file, file_stamp(config.ledger_file))
    items = items_by_session(config.knowledge_file, [entry.id for entry, _ in rows])
    return SessionList(
        sessions=_listed(rows, deliveries, items),
        total=total,
        page=page,
        pages=pages,
        facets=facets,
    )


def latest_sessions(config: Config, limit: int) -> tuple[ListedSession, ...]:
    """The last sessions, without counting what else there is."""
    with Catalog(config.catalog) as catalog:
        rows = sessions_page(catalog, NO_FILTER, SessionIds(), limit=limit, offset=0)
    ids = [entry.id for entry, _ in rows]
    deliveries = deliveries_to_sessions(config.ledger_file, ids)
    return _listed(rows, deliveries, items_by_session(config.knowledge_file, ids))


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


def _links(config: Config) -> tuple[Path, Stamp, Path, Stamp]:
    """The stores that know of sessions by their ids, as they are now."""
    ledger, knowledge = config.ledger_file, config.knowledge_file
    return ledger, file_stamp(ledger), knowledge, file_stamp(knowledge)


@lru_cache(maxsize=KEPT_COUNTS)
def _counts(
    path: Path,
    stamp: Stamp,
    filter: SessionFilter,
    ledger: Path,
    ledger_stamp: Stamp,
    knowledge: Path,
    knowledge_stamp: Stamp,
) -> tuple[SessionFacets, int]:
    ids = _session_ids(ledger, ledger_stamp, knowledge, knowledge_stamp)
    with Catalog(path) as catalog:
        return session_facets(catalog, filter, ids)


@lru_cache(maxsize=KEPT_STORES)
def _session_ids(
    ledger: Path, ledger_stamp: Stamp, knowledge: Path, knowledge_stamp: Stamp
) -> SessionIds:
    receiving = tuple(_deliveries(ledger, ledger_stamp))
    return SessionIds(receiving, tuple(teaching_sessions(knowledge)))


@lru_cache(maxsize=KEPT_STORES)
def _deliveries(ledger: Path, stamp: Stamp) -> dict[str, int]:
    return deliveries_by_session(ledger)
