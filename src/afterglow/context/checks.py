"""Cheap looks at the world before an item is shown: does the path still exist, is the repository's script still there?

Only where an item says so plainly, and only in the checkout it is about. A failed check is a doubt, not a proof:
another branch may have the file. The item is left out this once and counts a little less from then on. Programs are not
looked for: a hook's PATH is often shorter than that of the shell the agent works in, and says nothing about a lesson.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from afterglow.records.knowledge import KnowledgeItem

_CODE = re.compile(r"`([^`]{2,160})`")
_PATH = re.compile(r"(?:\./)?[\w.@-]+(?:/[\w.@-]+)*/?$")
DOUBT = 0.9  # what a failed check leaves of an item's confidence


def fails(item: KnowledgeItem, root: Path) -> str:
    """Why an item does not hold in the checkout at `root`, or an empty string."""
    named = _CODE.findall(item.remedy)
    if not named:
        return ""
    if item.miner == "places":
        return _missing_path(named[0], root)
    if item.miner == "commands":
        return _missing_script(named, root)
    return ""


def _missing_path(path: str, root: Path) -> str:
    if not _PATH.match(path):
        return ""
    if (root / path).exists():
        return ""
    return f"{path} is not there"


def _missing_script(commands: Sequence[str], root: Path) -> str:
    """Only where all of the commands are scripts that are gone: one that works is enough."""
    missing = []
    for command in commands:
        words = command.split()
        if not words:
            continue
        program = words[0]
        if _may_be_there(program, root):
            return ""
        missing.append(program)
    if not missing:
        return ""
    return f"{min(missing)} is not there"


def _may_be_there(program: str, root: Path) -> bool:
    """What cannot be looked up, such as a path with a hole in it, is not doubted."""
    is_of_checkout = "/" in program and not program.startswith(("/", "~"))
    if not is_of_checkout or "<" in program:
        return True
    return (root / program).exists()
