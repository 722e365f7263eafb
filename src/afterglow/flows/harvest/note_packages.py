"""Which packages each repository names: noted by a harvest before anything is judged, asked at the store's door.

From the checkout, where there still is one, and from the manifests that sessions read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.harvest.manifests import (
    MAX_CHARACTERS,
    is_manifest,
    packages_in,
)
from afterglow.records.catalog import Entry
from afterglow.store.catalog import Catalog
from afterglow.store.events import packages_of
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_risk import PACKAGES

MAX_CHECKOUTS = 3  # of one repository that are looked into: worktrees say the same
MAX_FOLDERS = 200  # of a checkout, the topmost: packages of a workspace have manifests of their own
MAX_DEPTH = 3


def note_packages(config: Config, catalog: Catalog, repos: Collection[str]) -> None:
    """Of the repositories that have new sessions."""
    sessions: dict[str, list[Entry]] = defaultdict(list)
    for entry in catalog.entries() if repos else ():
        if entry.repo in repos and entry.repo:
            sessions[entry.repo].append(entry)
    if not sessions:
        return
    with Knowledge(config.knowledge) as knowledge:
        for repo, entries in sessions.items():
            names = packages_of(catalog, [entry.key for entry in entries])
            names |= _named_in_checkouts(entries)
            noted = msgspec.json.encode(sorted(names)).decode() if names else ""
            if knowledge.fact(PACKAGES + repo) != noted:
                knowledge.set_fact(PACKAGES + repo, noted)


def _named_in_checkouts(entries: Iterable[Entry]) -> set[str]:
    folders = dict.fromkeys(entry.cwd for entry in entries)
    roots = dict.fromkeys(root for folder in folders for root in _root(folder))
    names: set[str] = set()
    for root in list(roots)[:MAX_CHECKOUTS]:
        for path in _manifests(root):
            names |= packages_in(path.name, _text(path))
    return names


def _root(cwd: str) -> Iterator[Path]:
    """The checkout a session worked in, if it is still there."""
    folder = Path(cwd) if cwd else None
    if folder is None or not folder.is_absolute():
        return
    checkouts = (each for each in (folder, *folder.parents) if (each / ".git").exists())
    yield from islice(checkouts, 1)


def _manifests(root: Path) -> Iterator[Path]:
    waiting = [(root, 0)]
    for _ in range(MAX_FOLDERS):
        if not waiting:
            return
        folder, depth = waiting.pop(0)
        for path in _listed(folder):
            relative = str(path.relative_to(root))
            if path.is_symlink() or path.name == ".git":
                continue
            if path.is_dir() and depth < MAX_DEPTH and not path.name.startswith("."):
                waiting.append((path, depth + 1))
            elif is_manifest(relative) and path.is_file():
                yield path


def _listed(folder: Path) -> list[Path]:
    """What cannot be read says nothing."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(MAX_CHARACTERS)
    except OSError:
        return ""
