"""Long output goes through a pager, as git's does: what fits on a screen is simply printed, what does not is read from
its top. Only on a terminal, and only for commands that print and ask nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper

PAGED = frozenset(
    {"profile", "replay", "measure", "sample", "problems", "windows", "dataset"}
)
# End at once where all fits, show colours, leave the text on the screen.
LESS = ("less", "-FRX")


class _ToPager(TextIOWrapper):
    """What is printed after somebody left the pager goes nowhere."""

    def write(self, text: str) -> int:
        with suppress(BrokenPipeError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(BrokenPipeError):
            super().flush()


def page_output(command: str, pager: str) -> Callable[[], None] | None:
    """Leads what is printed from now on through the pager; gives what ends that, or nothing where it does not apply."""
    if command not in PAGED or not sys.stdout.isatty() or not sys.stdin.isatty():
        return None
    import shlex  # on use: every command starts through here
    import shutil
    import subprocess

    words = shlex.split(pager) if pager else list(LESS)
    if words[:1] == ["cat"] or shutil.which(words[0]) is None:
        return None
    reader = subprocess.Popen(words, stdin=subprocess.PIPE)
    assert reader.stdin is not None
    screen = sys.stdout
    sys.stdout = _ToPager(reader.stdin, encoding="utf-8", errors="replace")

    def end() -> None:
        with suppress(BrokenPipeError):
            sys.stdout.close()
        sys.stdout = screen
        reader.wait()

    return end
