"""Readers of agents' sessions: which format a file has, and the sessions in it."""

from __future__ import annotations

import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import cast

from afterglow.errors import UnreadableSource
from afterglow.records.session import Mark, Session
from afterglow.sessions.formats import FORMATS, Format
from afterglow.sessions.joined_parts import join
from afterglow.sessions.remote_files import (
    at_address,
    fetch_beside,
    fetched,
    is_fetched,
)

HEAD_BYTES = 65536  # some formats name themselves only behind a long first message
GLANCE_BYTES = 4096  # enough to recognise what a neighbour has shown already

MANY_FILES = "its sessions lie in many files each; copy the folder here and scan that"

__all__ = ["FORMATS", "Format", "load", "parts", "read", "recognise"]


def recognise(path: Path, first: str = "") -> Format | None:
    """The format of a file, judged by its content. `first` is tried first: neighbours are usually alike."""
    file = os.open(path, os.O_RDONLY)
    try:
        head = os.read(file, GLANCE_BYTES)
        if first and FORMATS.load(first).sniff(path, head):
            return cast(Format, FORMATS.load(first))
        if len(head) == GLANCE_BYTES:
            head += os.read(file, HEAD_BYTES - len(head))
    finally:
        os.close(file)
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise UnreadableSource("UTF-16: only UTF-8 is read")
    head = head.removeprefix(BOM_UTF8).lstrip()
    if not head:
        return None
    second_line = head.partition(b"\n")[2]
    format_ = _sniffed(path, head)
    if format_ is None and second_line.startswith(b"{"):
        format_ = _sniffed(path, second_line)  # the first line may be the damaged one
    return format_


def _sniffed(path: Path, head: bytes) -> Format | None:
    formats: Iterator[Format] = map(FORMATS.load, FORMATS)
    return next((format_ for format_ in formats if format_.sniff(path, head)), None)


def parts(
    format_: Format,
    path: Path,
    since: Mark = Mark(),
    only: Collection[str] | None = None,
) -> Iterator[Session]:
    """The sessions of a source, long ones in parts: behind a mark, or, of a database, `only` those named. What was
    fetched says of itself where it lies."""
    if not is_fetched(path):
        return _parts(format_, path, since, only)
    if hasattr(format_, "MANY_FILES"):
        raise UnreadableSource(MANY_FILES)
    for beside in format_.beside(path) if hasattr(format_, "beside") else ():
        fetch_beside(beside)
    return (at_address(part, path) for part in _parts(format_, path, since, only))


def _parts(
    format_: Format, path: Path, since: Mark, only: Collection[str] | None
) -> Iterator[Session]:
    if only is not None and hasattr(format_, "stamps"):
        return format_.read(path, since, only)  # type: ignore[call-arg]
    return format_.read(path, since)


def read(
    path: Path,
    since: Mark = Mark(),
    only: Collection[str] | None = None,
    format: str = "",
) -> Iterator[Session]:
    """Every session in a file, long ones in parts; `format` is the one it had. Raises `UnreadableSource` where nothing
    can be made of it."""
    format_ = recognise(path, format)
    if format_ is None:
        raise UnreadableSource(f"{path}: not a session file of any format known here")
    return parts(format_, path, since, only)


def load(
    path: Path, only: Collection[str] | None = None, format: str = ""
) -> list[Session]:
    """Every session in a file, whole: parts joined. `only` some of them, if said; `format` is the one the file had. A
    file that lies elsewhere is fetched."""
    whole: dict[str, Session] = {}
    with fetched(path) as file:
        for part in read(file, only=only, format=format):
            if only is not None and part.id not in only:
                continue
            whole[part.id] = join(whole[part.id], part) if part.id in whole else part
    return list(whole.values())
