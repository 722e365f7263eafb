"""The terminal a person looks at: how wide it is, and whether it is shown colours.

Colour is decided once, where a command starts, and is off for whoever did not decide: an agent, a file, a test.
"""

from __future__ import annotations

import shutil
from contextvars import ContextVar

DEFAULT_COLUMNS = 120  # where nobody knows: a pipe, a log
MAX_TEXT_COLUMNS = 120  # longer lines of prose are hard to read

STYLES = {
    "strong": "\x1b[1m",
    "faint": "\x1b[2m",
    "good": "\x1b[32m",
    "bad": "\x1b[31m",
}
_RESET = "\x1b[0m"
_colour: ContextVar[bool] = ContextVar("colour", default=False)


def use_colour(colour: bool) -> None:
    _colour.set(colour)


def columns() -> int:
    return shutil.get_terminal_size((DEFAULT_COLUMNS, 24)).columns


def styled(text: str, style: str) -> str:
    """The text in one of STYLES where colour is shown, else as it is."""
    if not text or not style or not _colour.get():
        return text
    return f"{STYLES[style]}{text}{_RESET}"
