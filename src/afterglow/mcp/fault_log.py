"""Where faults go: one short line on stderr for who started the server, and one in the log that `doctor` shows.

The SDK logs a fault with its whole traceback, which may quote what no log should hold.
"""

from __future__ import annotations

import logging
import sys

from afterglow.config import Config
from afterglow.flows.harvest import log_of
from afterglow.text.clip import printable

MAX_FAULT_CHARACTERS = 3000  # looked at; a trace back may be endless


class Noting(logging.Handler):
    """Warnings and worse, shortened and redacted."""

    def __init__(self, config: Config, name: str) -> None:
        super().__init__(logging.WARNING)
        self._log = log_of(config)
        self._name = name

    def emit(self, record: logging.LogRecord) -> None:
        fault = record.exc_info[1] if record.exc_info else None
        cause = fault.__cause__ or fault if fault is not None else None
        message = record.getMessage() + (
            f": {type(cause).__name__}: {cause}" if cause is not None else ""
        )
        text = printable(self._log.cleaned(message[:MAX_FAULT_CHARACTERS]))
        if cause is not None:
            self._log.add(self._name, text)
        sys.stderr.write(f"afterglow {self._name}: {text}\n")


def note_faults(config: Config, name: str = "mcp") -> None:
    """The only handler of the process: whoever would set up another finds one there."""
    handler = Noting(config, name)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
