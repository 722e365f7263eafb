"""A short mark of what the stores hold, from their files alone: a page made from another state is an old one."""

from __future__ import annotations

from hashlib import blake2b

from afterglow.config import Config


def stores_state(config: Config) -> str:
    stores = (
        config.catalog,
        config.knowledge_file,
        config.ledger_file,
        config.experiments_file,
        config.membership,
    )
    marks = []
    for store in stores:
        for end in ("", "-wal"):
            path = store.with_name(store.name + end)
            try:
                state = path.stat()
            except OSError:
                continue
            if state.st_size:
                marks.append(f"{path.name} {state.st_mtime_ns} {state.st_size}")
    return blake2b("\n".join(marks).encode(), digest_size=8).hexdigest()
