"""Whether others on this machine may look into what is kept."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.config import Config
from afterglow.folders import close_to_others, is_ours_alone, open_to_others
from afterglow.records.doctor import CheckupLine
from afterglow.text.numbers import count

FIX = "afterglow doctor --fix"


def permissions(config: Config) -> Iterator[CheckupLine]:
    """Every command closes the home; what is open all the same came since, or cannot be closed."""
    if not config.home.is_dir():
        return
    if not is_ours_alone(config.home, config.user_home):
        text = f"{config.home} holds more than what afterglow keeps, so others may be able to look into it"
        help = "set AFTERGLOW_HOME to a folder of its own"
        yield CheckupLine("home", "note", f"{text}; {help}")
        return
    paths = list(open_to_others(config.home))
    if paths:
        text = f"others on this machine may look into {_named(len(paths))} of the home, first {paths[0]}"
        yield CheckupLine("home", "attention", text, FIX)
    else:
        yield CheckupLine("home", "ok", "only you can look into it")


def close_home(config: Config) -> str:
    """Closes the home to others; what was done, or an empty string."""
    if not is_ours_alone(config.home, config.user_home):
        return ""
    closed = close_to_others(config.home)
    return f"closed {_named(closed)} to others" if closed else ""


def _named(paths: int) -> str:
    return count(paths, "file or folder", "files and folders")
