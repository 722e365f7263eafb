"""private: sessions of a folder, from now on or just the next one, are told nothing and leave nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Literal

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.connect import connected_files
from afterglow.store.private_folders import PrivateFolder, PrivateFolders

What = Literal["on", "off", "status"]


class Privacy(Struct, frozen=True):
    """Whether what is started from here is private (AFTERGLOW_PRIVATE), and the folders that are."""

    private: bool
    folders: tuple[PrivateFolder, ...]


def make_private(
    config: Config,
    what: What,
    folder: Path,
    *,
    once: bool = False,
    now: float | None = None,
) -> Privacy:
    """Begins or ends it, or only says how it is."""
    if once and what != "on":
        raise UsageError("--next goes with `on`: afterglow private on --next")
    if once and not connected_files(config.home):
        raise UsageError(
            "no agent here says when a session begins, so the next one cannot be known; `afterglow connect` changes "
            "that, and `afterglow private on`, then `off`, works without"
        )
    folders = PrivateFolders(config.home)
    path = os.path.realpath(folder)
    when = time.time() if now is None else now
    if what == "on":
        folders.begin(path, when, once=once)
    elif what == "off":
        folders.end(path, when)
    lasting = tuple(each for each in folders.listed() if each.until is None)
    return Privacy(config.private, lasting)
