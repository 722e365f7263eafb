"""Who had which lines of which session shown as they stand in the file. The words are nowhere kept."""

from __future__ import annotations

import time

from afterglow.config import Config
from afterglow.records.delivery import UnredactedView
from afterglow.store.ledger import Ledger


def note_unredacted(
    config: Config, session: str, first: int, last: int, *, now: float | None = None
) -> UnredactedView:
    """Before anything is shown: raises `StoreError` where it cannot be noted, and then nothing is to be shown."""
    at = time.time() if now is None else now
    view = UnredactedView(session, at, config.person, first, last)
    with Ledger(config.ledger) as ledger:
        ledger.note_view(view)
    return view


def unredacted_views(config: Config) -> list[UnredactedView]:
    """The last ones first."""
    if not config.ledger.exists():
        return []
    with Ledger(config.ledger) as ledger:
        return ledger.views()
