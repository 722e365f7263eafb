"""Where afterglow keeps its files. Apart from `config`, because a hook asks for nothing else before it answers."""

from __future__ import annotations

import os
from os.path import expanduser

PRIVATE = (
    "AFTERGLOW_PRIVATE"  # 1: nothing is told to this session, nothing is kept of it
)


def is_private() -> bool:
    return os.environ.get(PRIVATE, "0") not in {"", "0"}


def user_home() -> str:
    return os.environ.get("HOME") or expanduser("~")


def home_folder() -> str:
    named = os.environ.get("AFTERGLOW_HOME")
    return expanduser(named) if named else f"{user_home()}/.afterglow"


def time_zone() -> str:
    """As it was set for this process: days are told by it."""
    return os.environ.get("TZ", "")
