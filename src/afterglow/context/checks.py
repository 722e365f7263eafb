"""Cheap looks at the world before an item is shown: does the path still exist, is the program still there?

Only where an item says so plainly, and only in the checkout it is about. A failed check is a doubt, not a proof:
another branch may have the file. The item is left out this once and counts a little less from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from afterglow.records.knowledge import KnowledgeItem

_CODE = re.compile(r"`([^`]{2,160})`")
_PATH = re.compile(r"(?:\./)?[\w.@-]+(?:/[\w.@-]+)*/?$")
_PROGRAM = re.compile(r"[A-Za-z][\w.+-]*$")
DOUBT = 0.9  # what a failed check leaves of an item's confidence


def fails(item: KnowledgeItem, root: Path, which: Callable[[str], str | None]) -> str:
    """Why an item does not hold in the checkout at `root`, or an empty string."""
    named = _CODE.findall(item.remedy)
    if not named:
        return ""
    if item.miner == "places":
        return _missing_path(named[0], root)
    if item.miner == "commands":
        return _missing_program(named, root, which)
    return ""


def _missing_path(path: str, root: Path) -> str:
    if not _PATH.match(path):
        return ""
    if (root / path).exists():
        return ""
    return f"{path} is not there"


def _missing_program(
    commands: Sequence[str], root: Path, which: Callable[[str], str | None]
) -> str:
    """Only where none of the programs is there: one that works is enough."""
    missing = []
    for command in commands:
        words = command.split()
        if not words:
            continue
        program = words[0]
        if _is_there(program, root, which):
            return ""
        missing.append(program)
    if not missing:
        return ""
    return f"{min(missing)} is not installed"


def _is_there(program: str, root: Path, which: Callable[[str], str | None]) -> bool:
    """What cannot be looked up, such as a path with a hole in it, is not doubted."""
    if "/" not in program:
        return not _PROGRAM.match(program) or which(program) is not None
    if "<" in program or program.startswith(("/", "~")):
        return True
    return (root / program).exists()
