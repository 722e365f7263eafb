"""sample: which sessions are worth learning from first."""

from __future__ import annotations

import time

from afterglow.config import Config
from afterglow.records.sample import Sample
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.sample import choose
from afterglow.store.catalog import Catalog


def sample(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    count: int | None = 20,
    min_score: int = 0,
    top_percent: float | None = None,
    now: float | None = None,
) -> Sample:
    """Ranks what the catalogue holds. Paths are scanned first and the choice is made from them alone."""
    if selection.paths:
        from afterglow.flows.read.scan_sources import scan

        scan(config, selection.paths, jobs=config.cores)
    with Catalog(config.catalog) as catalog:
        entries = [
            entry for entry in catalog.entries(selection) if entry.origin == "main"
        ]
        return choose(
            entries,
            now=time.time() if now is None else now,
            firsts=catalog.firsts(),
            count=count,
            min_score=min_score,
            top_percent=top_percent,
        )
