"""Putting one folder in the place of another, so that whoever looks sees the old one or the new one."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_HERE = -100  # AT_FDCWD: paths are as they are
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


def exchange(first: Path, second: Path) -> None:
    """Each has the other's place; at no moment is one of them missing, where the system can do that. Elsewhere there is
    a moment without the first, and a failure puts it back."""
    if _exchange_at_once(os.fsencode(first), os.fsencode(second)):
        return
    between = second.with_name(f"{second.name}-exchanged")
    first.rename(between)
    try:
        second.rename(first)
    except OSError:
        between.rename(first)
        raise
    between.rename(second)


def _exchange_at_once(first: bytes, second: bytes) -> bool:
    library = ctypes.CDLL(None, use_errno=True)
    if rename := getattr(library, "renameat2", None):
        return bool(rename(_HERE, first, _HERE, second, _EXCHANGE) == 0)
    if rename := getattr(library, "renamex_np", None):
        return bool(rename(first, second, _EXCHANGE) == 0)
    return False
