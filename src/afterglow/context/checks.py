"""Cheap looks at the world before an item is shown: does the path still exist, is the program still there?

Only where an item says so plainly, and only in the checkout it is about. A failed check is a doubt, not a proof:
another branch may have the file. The item is left out this once and counts a little less from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from afterglow.records.knowledge import KnowledgeItem

_CODE = re.compile(r"`([^`]{2,160})`")
_PATH = re.compile(r"(?:\./)?[\w.@-]+(?:/[\w.@-]+)*/?$")
_PROGRAM = re.compile(r"[A-Za-z][\w.+-]*$")
DOUBT = 0.9  # what a failed check leaves of an item's confidence


def fails(item: KnowledgeItem, root: Path, which: Callable[[str], str | None]) -> str:
    """Why an item does not hold in the checkout at `root`, or an empty string."""
    named = _CODE.findall(item.remedy)
    if (
        item.miner == "places"
        and named
        and _PATH.match(named[0])
        and not (root / named[0]).exists()
    ):
        return f"{named[0]} is not there"
    if item.miner == "commands" and named:
        programs = {code.split()[0] for code in named if code.split()}
        missing = sorted(
            program for program in programs if not _found(program, root, which)
        )
        if missing and len(missing) == len(programs):
            return f"{missing[0]} is not installed"
    return ""


def _found(program: str, root: Path, which: Callable[[str], str | None]) -> bool:
    if "/" in program:
        return (
            "<" in program
            or program.startswith(("/", "~"))
            or (root / program).exists()
        )
    return not _PROGRAM.match(program) or which(program) is not None
