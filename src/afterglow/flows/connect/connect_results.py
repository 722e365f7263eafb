"""What connecting or disconnecting did to an agent's files, or would do; and the mark of exactly what was shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import Conflict
from afterglow.flows.connect.record import digest

NOTHING_EXPECTED: Mapping[str, str] = MappingProxyType({})
EMPTY = {b"", b"{}"}  # what is left of a file that was only ours


class Change(Struct, frozen=True):
    """A file, what was done to it (made, changed, restored, cleaned, removed) and, for a dry run, the difference."""

    path: str
    what: str
    diff: str = ""


class ConnectResult(Struct, frozen=True):
    """What was done for one agent. `refused` says why nothing was; `mark` stands for exactly what a dry run showed."""

    agent: str
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""
    mark: str = ""


def changes_mark(changes: Iterable[tuple[str, bytes | None, bytes | None]]) -> str:
    words = [
        word
        for path, before, after in changes
        for word in (path, digest(before), digest(after))
    ]
    return digest("\n".join(words).encode())


def check_expected(name: str, mark: str, expected: str | None) -> None:
    if expected is not None and expected != mark:
        raise Conflict(
            f"the files of {name} changed since you looked; nothing was written: look again"
        )


def difference(
    config: Config, path: Path, before: bytes | None, after: bytes | None
) -> Change:
    """The difference, with what is secret in it hidden: settings may hold keys."""
    from afterglow.flows.redactor import redactor_of

    diff = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else str(path),
        "/dev/null" if after is None else str(path),
        n=2,
        lineterm="",
    )
    what = "changed"
    if before is None:
        what = "made"
    elif after is None:
        what = "removed"
    return Change(str(path), what, redactor_of(config).redact("\n".join(diff)).text)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()
