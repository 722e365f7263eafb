"""sample: which sessions are worth learning from first."""

from __future__ import annotations

import os
import time
from pathlib import Path

from afterglow.config import Config
from afterglow.records.sample import Sample
from afterglow.sample import choose
from afterglow.store.catalog import Catalog


def sample(
    config: Config,
    *,
    count: int | None = 20,
    repo: str | None = None,
    agent: str | None = None,
    since: float | None = None,
    min_score: int = 0,
    top_percent: float | None = None,
    sessions_dir: Path | None = None,
    now: float | None = None,
) -> Sample:
    """Ranks what the catalogue holds. A `sessions_dir` is scanned first and the choice is made from it alone."""
    below = None
    if sessions_dir is not None:
        from afterglow.flows.read.scan_sources import scan

        scan(config, [sessions_dir], jobs=config.cores)
        below = os.path.realpath(sessions_dir)
    with Catalog(config.catalog) as catalog:
        entries = [
            entry
            for entry in catalog.entries(
                repo=repo, agent=agent, since=since, below=below
            )
            if entry.origin == "main"
        ]
        return choose(
            entries,
            now=time.time() if now is None else now,
            firsts=catalog.firsts(),
            count=count,
            min_score=min_score,
            top_percent=top_percent,
        )
