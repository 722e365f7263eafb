"""Which folders sessions worked in and what they were named, read at the start of a session: quickly, or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from afterglow.store.databases import open_read_only

_FOLDERS = (
    "SELECT DISTINCT CASE git_root WHEN '' THEN cwd ELSE git_root END, repo, repo_by "
    "FROM places ORDER BY 2, 1"
)


def known_checkouts(catalog: Path) -> list[tuple[str, str, str]]:
    """Folder, repository and by what it was named; nothing where there is no catalogue that can be read."""
    if not catalog.exists():
        return []
    try:
        with closing(open_read_only(catalog)) as db:
            return [(folder, repo, by) for folder, repo, by in db.execute(_FOLDERS)]
    except sqlite3.Error:
        return []
