"""preview_places: where a preview can be made: repositories that something is known of, and their checkouts."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.store.knowledge import SESSIONS, Knowledge
from afterglow.store.known_checkouts import known_checkouts

MAX_FOLDERS = 200  # offered to choose from; others can be typed


class PreviewPlaces(Struct, frozen=True):
    """Repositories, those of most sessions first, and folders in which sessions worked and that are there."""

    repos: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def preview_places(config: Config) -> PreviewPlaces:
    """At a hub: the repositories that who asks may read; it has no checkouts."""
    if config.hub is not None:
        from afterglow.flows.hub import readable_repos

        return PreviewPlaces(readable_repos(config.hub))
    if not config.knowledge.exists():
        return PreviewPlaces()
    with Knowledge(config.knowledge) as knowledge:
        noted = knowledge.fact(SESSIONS)
    sessions = msgspec.json.decode(noted, type=dict[str, int]) if noted else {}
    repos = sorted(sessions, key=lambda repo: (-sessions[repo], repo))
    checkouts = known_checkouts(config.catalog)
    folders = dict.fromkeys(folder for folder, _, _ in checkouts if folder)
    present = [folder for folder in folders if Path(folder).is_dir()]
    return PreviewPlaces(tuple(repos), tuple(present[:MAX_FOLDERS]))
