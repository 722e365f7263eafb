"""Whether what is kept would survive this disk, and what killed backups and restores left behind."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from afterglow.config import Config
from afterglow.flows.backup import (
    last_backup,
    remove_leftovers,
    set_aside_homes,
    unfinished,
)
from afterglow.records.doctor import CheckupLine
from afterglow.text.numbers import count
from afterglow.text.times import ago

OLD_SECONDS = 30 * 86400.0  # a month of decisions is a lot to make again
BACK_UP = "afterglow backup --to FOLDER"
FIX = "afterglow doctor --fix"


def backups(config: Config, now: float) -> Iterator[CheckupLine]:
    if not config.home.is_dir():
        return
    if config.knowledge.exists() or config.memory.exists():
        yield _last(config, now)
    drafts = unfinished(config)
    if drafts:
        text = f"a backup or restore that was killed left {drafts[0]}"
        yield CheckupLine("backup", "attention", text, FIX)
    for home in set_aside_homes(config):
        text = f"the home from before a restore is still there: {home}"
        help = f"rm -r {shlex.quote(str(home))}"
        yield CheckupLine("backup", "note", text, help)


def _last(config: Config, now: float) -> CheckupLine:
    last = last_backup(config)
    if last is None:
        text = "what is kept has never been backed up"
        return CheckupLine("backup", "note", text, BACK_UP)
    text = f"last backed up {ago(now - last.time)} to {last.file}"
    if now - last.time > OLD_SECONDS:
        return CheckupLine("backup", "note", text, BACK_UP)
    return CheckupLine("backup", "ok", text)


def drop_leftovers(config: Config) -> str:
    """Removes what killed ones left; what was done, or an empty string."""
    removed = remove_leftovers(config)
    what = count(len(removed), "unfinished backup or restore", "unfinished ones")
    return f"removed {what}" if removed else ""
